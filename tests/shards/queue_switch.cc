#include "tests/shards/queue_switch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {
namespace {

constexpr size_t kQueueFrames = 1024;
constexpr uint64_t kFramesBetweenMoves = 16;

struct Ends {
  IpEndpoint source;
  IpEndpoint destination;
};

// As the kernel tells flows apart: by addresses alone where it sees no ports,
// as in every fragment.
std::optional<Ends> EndsOf(ByteSpan packet) {
  if (const auto part = sim::ReadFragment(packet)) {
    return Ends{{part->source, 0}, {part->destination, 0}};
  }
  const auto read = sim::Read(packet);
  if (!read) return std::nullopt;
  Ends ends = {{read->source, 0}, {read->destination, 0}};
  if (read->protocol == wire::kTcp || read->protocol == wire::kUdp) {
    // The ports stand first in both.
    ends.source.port = LoadBe16(&read->transport[0]);
    ends.destination.port = LoadBe16(&read->transport[2]);
  }
  return ends;
}

}  // namespace

// One queue of one host.
class QueueSwitch::Queue final : public Link {
 public:
  Queue(QueueSwitch& owner, size_t host, size_t index)
      : switch_(owner), host_(host), index_(index) {}

  LinkCapabilities capabilities() const override {
    return switch_.capabilities_;
  }

  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override {
    if (next_ == arrived_.size()) {
      arrived_.clear();
      next_ = 0;
      inbox().PopAll(arrived_);
    }
    const size_t n = std::min(max, arrived_.size() - next_);
    for (size_t i = 0; i < n; ++i) {
      const Frame& frame = arrived_[next_++];
      to.push_back(Packet::Copy(pool, frame.bytes));
      to.back().offload() = frame.offload;
      to.back().set_ingress(now);
    }
    return n;
  }

  size_t WriteBatch(std::span<Packet> packets) override {
    size_t n = 0;
    while (n < packets.size() && switch_.Carry(host_, index_, packets[n])) ++n;
    return n;
  }

  int poll_fd() const override { return inbox().wake_fd(); }
  LinkCounters counters() const override { return {}; }

 private:
  Mailbox<Frame>& inbox() const { return *switch_.queues_[host_][index_]; }

  QueueSwitch& switch_;
  const size_t host_;
  const size_t index_;
  std::vector<Frame> arrived_;
  size_t next_ = 0;
};

QueueSwitch::QueueSwitch(const std::array<size_t, kHosts>& queues,
                         Queueing queueing,
                         const LinkCapabilities& capabilities, uint64_t seed)
    : queueing_(queueing), capabilities_(capabilities), rng_(seed) {
  for (size_t host = 0; host < kHosts; ++host) {
    for (size_t i = 0; i < queues[host]; ++i) {
      queues_[host].push_back(std::make_unique<Mailbox<Frame>>(kQueueFrames));
    }
  }
}

std::vector<std::unique_ptr<Link>> QueueSwitch::TakeLinks(size_t host) {
  std::vector<std::unique_ptr<Link>> links;
  for (size_t i = 0; i < queues_[host].size(); ++i) {
    links.push_back(std::make_unique<Queue>(*this, host, i));
  }
  return links;
}

bool QueueSwitch::IsNowhere(const IpAddress& address) {
  return Cidr::Parse("192.0.2.0/24")->Contains(address);
}

size_t QueueSwitch::QueueFor(size_t host, const Flow& flow) {
  const size_t count = queues_[host].size();
  const size_t any = rng_.Next() % count;
  if (queueing_ == Queueing::kRandom) return any;
  const size_t learned = learned_[host].try_emplace(flow, any).first->second;
  if (queueing_ == Queueing::kLearned) return learned;
  return (learned + carried_ / kFramesBetweenMoves) % count;
}

bool QueueSwitch::Carry(size_t from_host, size_t from_queue,
                        const Packet& packet) {
  Frame frame = {.bytes = sim::Flatten(packet), .offload = packet.offload()};
  const std::optional<Ends> ends = EndsOf(frame.bytes);
  if (!ends)
    return true;  // nothing of ours is malformed; see the tests' counts
  auto [source, destination] = *ends;
  size_t to_host = 1 - from_host;
  if (IsNowhere(destination.address)) {
    constexpr uint8_t kDestinationUnreachable = 3;
    constexpr uint8_t kHostUnreachable = 1;
    frame = {
        .bytes = sim::Build(sim::IcmpPacket{.from = destination.address,
                                            .to = source.address,
                                            .type = kDestinationUnreachable,
                                            .code = kHostUnreachable,
                                            .payload = frame.bytes}),
        .offload = {}};
    to_host = from_host;
    std::swap(source, destination);
    source.port = destination.port = 0;
  }
  std::lock_guard lock(mutex_);
  ++carried_;
  const Flow flow = std::minmax(source, destination);
  learned_[from_host][flow] = from_queue;
  const size_t to_queue = QueueFor(to_host, flow);
  return queues_[to_host][to_queue]->TryPush(std::move(frame));
}

}  // namespace tcpip
