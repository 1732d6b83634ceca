#include "tcpip/tun/tun_queue.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/tun/tun_attach.h"
#include "tcpip/tun/tun_offload.h"
#include "tcpip/tun/vnet_offload.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

constexpr size_t kMinFrame = 20;  // an IPv4 header without options
constexpr uint32_t kSmallRoom =
    SlabCapacity(SlabClass::kSmall) - kPacketHeadroom;
constexpr uint32_t kMaxPacket = 40 + 65535;  // IPv6 counts only what follows
// [fault L11] whatever comes has room
static_assert(kSmallRoom + SlabCapacity(SlabClass::kLarge) > kMaxPacket);
constexpr size_t kMaxIovecs = 64;
// [fault L01] some kernels refuse some super-segments: once or twice is borne,
// since the others are worth it.
constexpr int kTolerated = 3;

iovec IovecOf(ByteSpan bytes) {
  return {const_cast<uint8_t*>(bytes.data()), bytes.size()};
}

// What is left of `offloads` where packets of this type get none.
LinkOffloads Without(GsoType type, LinkOffloads offloads) {
  if (type == GsoType::kNone) return {};  // cutting needs the checksum
  (type == GsoType::kTcp4 ? offloads.tso4 : offloads.tso6) = false;
  return offloads;
}

}  // namespace

// What one frame is read into. `large` lives on until a packet needs it.
struct TunQueue::ReadBlocks {
  std::array<uint8_t, wire::kVirtioNetHeaderSize> vnet;
  SlabRef small;
  SlabRef large;
};

TunQueue::TunQueue(TunDevice device) : device_(std::move(device)) {}

LinkCapabilities TunQueue::capabilities() const {
  return {.mtu = device_.mtu,
          .tx = refusing_ ? Without(*refusing_, device_.tx) : device_.tx};
}

LinkOffloads TunQueue::refused() const {
  LinkOffloads kept = kAllOffloads;
  for (const GsoType type : {GsoType::kNone, GsoType::kTcp4, GsoType::kTcp6}) {
    if (refusals_[static_cast<size_t>(type)] >= kTolerated) {
      kept = Without(type, kept);
    }
  }
  return {!kept.checksum, !kept.tso4, !kept.tso6};
}

LinkCounters TunQueue::counters() const {
  LinkCounters result = counters_;
  result.drops_in = device_.io->Drops(device_.name());
  return result;
}

absl::Status TunQueue::SetOffloads(const LinkOffloads& rx,
                                   const LinkOffloads& tx) {
  for (const LinkOffloads& way : {rx, tx}) {
    if (absl::Status s = CheckOffloads(way); !s.ok()) return s;
  }
  if (!device_.attachment.vnet_header()) {
    return TunFailure(absl::StatusCode::kFailedPrecondition, device_.name(),
                      "was opened without offload", 0, "");
  }
  if (!SetReceiveOffloads(*device_.io, rx)) {
    return TunFailure(absl::StatusCode::kFailedPrecondition, device_.name(),
                      "the kernel does not know these offloads", 0, "");
  }
  device_.rx = rx;
  device_.tx = tx;
  refusing_.reset();
  refusals_ = {};
  return absl::OkStatus();
}

size_t TunQueue::header_bytes() const {
  return device_.attachment.vnet_header() ? wire::kVirtioNetHeaderSize : 0;
}

size_t TunQueue::ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                           Instant now) {
  ReadBlocks blocks;
  size_t delivered = 0;
  // Dropped frames count against `max` too: it bounds the work.
  for (size_t reads = 0; reads < max; ++reads) {
    if (!blocks.small) blocks.small = pool.Allocate(SlabClass::kSmall);
    if (!blocks.large) blocks.large = pool.Allocate(SlabClass::kLarge);
    const ssize_t n = ReadFrame(blocks);
    if (n == -EAGAIN) break;
    if (n < 0) {
      ++counters_.read_errors;
      break;
    }
    Packet packet;
    if (!TakeFrame(pool, blocks, static_cast<size_t>(n), packet)) {
      ++counters_.bad_frames_in;
      continue;
    }
    packet.set_ingress(now);
    ++counters_.packets_in;
    counters_.bytes_in += packet.size();
    to.push_back(std::move(packet));
    ++delivered;
  }
  return delivered;
}

ssize_t TunQueue::ReadFrame(ReadBlocks& blocks) {
  const std::array<iovec, 3> iov = {
      iovec{blocks.vnet.data(), header_bytes()},
      iovec{blocks.small.bytes() + kPacketHeadroom, kSmallRoom},
      iovec{blocks.large.bytes(), blocks.large.capacity()},
  };
  const std::span<const iovec> all(iov);
  ssize_t n;
  do {
    n = device_.io->Read(device_.attachment.vnet_header() ? all
                                                          : all.subspan(1));
  } while (n == -EINTR);
  return n;
}

bool TunQueue::TakeFrame(SlabPool& pool, ReadBlocks& blocks, size_t frame_bytes,
                         Packet& packet) {
  if (frame_bytes < header_bytes() + kMinFrame) return false;
  const size_t size = frame_bytes - header_bytes();
  if (size > kMaxPacket) return false;
  const auto in_small =
      static_cast<uint32_t>(std::min<size_t>(size, kSmallRoom));
  if (device_.attachment.vnet_header()) {
    const std::optional<Offload> offload = OffloadFromVnet(
        wire::LoadVirtioNet(blocks.vnet.data()),
        ByteSpan(blocks.small.bytes() + kPacketHeadroom, in_small), size);
    if (!offload) return false;
    packet.offload() = *offload;
  }
  packet.SetHead(View(std::move(blocks.small), kPacketHeadroom, in_small));
  const auto spill = static_cast<uint32_t>(size - in_small);
  if (spill == 0) return true;
  if (spill <= SlabCapacity(SlabClass::kMedium)) {
    packet.SetBody(
        ViewChain(View::Copy(pool, ByteSpan(blocks.large.bytes(), spill))));
  } else {
    packet.SetBody(ViewChain(View(std::move(blocks.large), 0, spill)));
  }
  return true;
}

size_t TunQueue::WriteBatch(std::span<Packet> packets) {
  for (size_t i = 0; i < packets.size(); ++i) {
    if (WriteOne(packets[i]) == Written::kNotTaken) return i;
    refusing_.reset();
  }
  return packets.size();
}

TunQueue::Written TunQueue::WriteOne(const Packet& packet) {
  const Offload& offload = packet.offload();
  if (!Finishes(capabilities().tx, offload)) return Written::kNotTaken;
  const int result = WriteFrame(packet);
  if (result == 0) {
    ++counters_.packets_out;
    counters_.bytes_out += packet.size();
    return Written::kTaken;
  }
  const bool unfinished = offload.checksum == ChecksumState::kPartial;
  if (result != -EINVAL || !unfinished) return OnError(-result);
  OnRefusal(offload.gso_type);
  return Written::kNotTaken;
}

void TunQueue::OnRefusal(GsoType type) {
  refusing_ = type;
  ++counters_.refused_offloads;
  if (++refusals_[static_cast<size_t>(type)] < kTolerated) return;
  ++counters_.disabled_offloads;
  device_.tx = Without(type, device_.tx);
}

TunQueue::Written TunQueue::OnError(int error) {
  switch (error) {
    case EAGAIN:
      return Written::kNotTaken;
    case EIO:  // "down", if the device says so, too: else we would spin
    case ENETDOWN:
      // A device that is being deleted is down first, then its name is gone.
      if (IsInterfaceUp(*device_.io, device_.name()) == true) break;
      [[fallthrough]];
    case EBADFD:  // deleted
      ++counters_.down;
      return Written::kNotTaken;
    default:  // ENOBUFS, ENOMEM: nothing will tell us when there is room
      break;
  }
  ++counters_.write_errors;
  return Written::kTaken;
}

int TunQueue::WriteFrame(const Packet& packet) {
  std::array<uint8_t, wire::kVirtioNetHeaderSize> vnet;
  std::array<iovec, kMaxIovecs> iov;
  size_t count = 0;
  if (header_bytes() != 0) {
    wire::StoreVirtioNet(VnetFromOffload(packet.offload(), packet.head()),
                         vnet.data());
    iov[count++] = IovecOf(vnet);
  }
  iov[count++] = IovecOf(packet.head());

  const ViewChain& body = packet.body();
  size_t i = 0;
  for (; i < body.view_count() && count + 1 < kMaxIovecs; ++i) {
    iov[count++] = IovecOf(body.view(i).span());
  }
  if (i < body.view_count()) {
    if (packet.size() > kMaxPacket) return -EMSGSIZE;
    if (!gather_) gather_ = std::make_unique<uint8_t[]>(kMaxPacket);
    size_t gathered = 0;
    for (; i < body.view_count(); ++i) {
      const ByteSpan bytes = body.view(i).span();
      std::memcpy(gather_.get() + gathered, bytes.data(), bytes.size());
      gathered += bytes.size();
    }
    iov[count++] = iovec{gather_.get(), gathered};
  }
  ssize_t n;
  do {
    n = device_.io->Write({iov.data(), count});
  } while (n == -EINTR);
  return n < 0 ? static_cast<int>(n) : 0;
}

}  // namespace tcpip
