#include "tcpip/tun/tun_queue.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/tun/vnet_offload.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

constexpr size_t kMinFrame = 20;  // an IPv4 header without options
constexpr uint32_t kSmallRoom =
    SlabCapacity(SlabClass::kSmall) - kPacketHeadroom;
constexpr uint32_t kMaxPacket = 40 + 65535;  // IPv6 counts only what follows
// What 16 bits of IPv4 length leave beside the longest TCP header.
constexpr uint32_t kMaxGsoBytes = 65535 - 20 - 60;
constexpr size_t kMaxIovecs = 64;

iovec IovecOf(ByteSpan bytes) {
  return {const_cast<uint8_t*>(bytes.data()), bytes.size()};
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
  LinkCapabilities result;
  result.mtu = device_.mtu;
  if (device_.offload) {
    result.max_gso_bytes_ipv4 = kMaxGsoBytes;
    result.max_gso_bytes_ipv6 = kMaxGsoBytes;
    result.checksum_offload = true;
  }
  return result;
}

size_t TunQueue::header_bytes() const {
  return device_.vnet_header ? wire::kVirtioNetHeaderSize : 0;
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
    n = device_.io->Read(device_.vnet_header ? all : all.subspan(1));
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
  if (device_.vnet_header) {
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
    int result;
    do {
      result = WriteOne(packets[i]);
    } while (result == -EINTR);
    if (result == -EAGAIN) return i;
    if (result < 0) {
      ++counters_.write_errors;
      continue;
    }
    ++counters_.packets_out;
    counters_.bytes_out += packets[i].size();
  }
  return packets.size();
}

int TunQueue::WriteOne(const Packet& packet) {
  assert(device_.offload || packet.offload().gso_type == GsoType::kNone);
  assert(device_.offload ||
         packet.offload().checksum != ChecksumState::kPartial);
  std::array<uint8_t, wire::kVirtioNetHeaderSize> vnet;
  std::array<iovec, kMaxIovecs> iov;
  size_t count = 0;
  if (device_.vnet_header) {
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
  const ssize_t n = device_.io->Write({iov.data(), count});
  return n < 0 ? static_cast<int>(n) : 0;
}

}  // namespace tcpip
