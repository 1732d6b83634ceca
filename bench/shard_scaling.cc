// What a second shard brings, where nothing else wants its core: bytes received
// per second by one shard and by several, in turns, and the ratio.
//
//   shard_scaling [--shards 2] [--seconds 2] [--rounds 5] [--payload 1448]
//
// Each shard has a link in memory with canned peers on it: finished packets in
// which only the sequence number is set, and no TCP but the count of what was
// acknowledged. So nearly all of a thread's time is the stack's. Wants as many
// idle cores as shards.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "bench/port_services.h"
#include "bench/ports.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/siphash.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/shard/shard_group.h"
#include "tcpip/stack/steering.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"

ABSL_FLAG(uint32_t, shards, 2, "shards to compare with one");
ABSL_FLAG(double, seconds, 2, "of each measurement");
ABSL_FLAG(uint32_t, rounds, 5, "measurements of each kind; the median counts");
ABSL_FLAG(uint32_t, payload, 1448, "bytes of each packet; up to 60000");
ABSL_FLAG(uint32_t, connections, 32, "of each shard");

namespace {

using tcpip::FourTuple;
using tcpip::IpAddress;

constexpr tcpip::SipHashKey kKey = {3, 7};
const IpAddress kStack = IpAddress::Ipv4(10, 7, 0, 2);
const IpAddress kPeers = IpAddress::Ipv4(10, 7, 0, 1);
constexpr uint32_t kHeaders = tcpip::wire::kIpv4HeaderSize + 20;
constexpr size_t kSeqOffset = tcpip::wire::kIpv4HeaderSize + 4;

// A packet to the discard port.
std::vector<uint8_t> MakePacket(uint16_t port, uint32_t seq, uint32_t ack,
                                uint8_t flags, uint32_t payload) {
  std::vector<uint8_t> bytes(kHeaders + payload);
  tcpip::wire::EmitIpv4({.total_length = static_cast<uint16_t>(bytes.size()),
                         .dont_fragment = true,
                         .ttl = 64,
                         .protocol = tcpip::wire::kTcp,
                         .source = kPeers,
                         .destination = kStack,
                         .options = {}},
                        bytes);
  tcpip::wire::EmitTcp({.source_port = port,
                        .destination_port = bench::kDiscardPort,
                        .seq = seq,
                        .ack = ack,
                        .flags = tcpip::wire::TcpFlags(flags),
                        .window = 65535,
                        .options = {}},
                       std::span(bytes).subspan(tcpip::wire::kIpv4HeaderSize));
  return bytes;
}

class CannedPeers final : public tcpip::Link {
 public:
  // Peers whose connections `steering`'s shard owns.
  CannedPeers(const tcpip::Steering& steering, std::atomic<uint64_t>& acked)
      : acked_(acked), always_readable_(eventfd(1, EFD_CLOEXEC)) {
    const uint32_t count = absl::GetFlag(FLAGS_connections);
    for (uint16_t port = 1024; peers_.size() < count; ++port) {
      const FourTuple flow = {{kStack, bench::kDiscardPort}, {kPeers, port}};
      if (!steering.OwnsTcp(flow)) continue;
      by_port_[port] = peers_.size();
      peers_.push_back({.port = port, .packet = {}});
    }
  }
  ~CannedPeers() override { close(always_readable_); }

  tcpip::LinkCapabilities capabilities() const override {
    return {.tx = tcpip::kAllOffloads};
  }

  size_t ReadBatch(tcpip::SlabPool& pool, tcpip::PacketBatch& to, size_t max,
                   tcpip::Instant now) override {
    size_t n = 0;
    for (size_t idle = 0; n < max && idle < peers_.size();) {
      Peer& peer = peers_[next_++ % peers_.size()];
      if (!HasRoom(peer)) {
        ++idle;
        continue;
      }
      idle = 0;
      to.push_back(NextPacket(pool, peer));
      to.back().set_ingress(now);
      to.back().offload().checksum = tcpip::ChecksumState::kVerified;
      ++n;
    }
    return n;
  }

  size_t WriteBatch(std::span<tcpip::Packet> packets) override {
    uint64_t acked = 0;
    for (const tcpip::Packet& packet : packets) acked += OnAnswer(packet);
    acked_.fetch_add(acked, std::memory_order_relaxed);
    return packets.size();
  }

  int poll_fd() const override { return always_readable_; }
  tcpip::LinkCounters counters() const override { return {}; }

 private:
  struct Peer {
    uint16_t port;
    std::vector<uint8_t> packet;  // empty until the connection is open
    uint32_t seq = 0;
    uint32_t acked = 0;
    uint32_t window = 1;  // room for the SYN
  };

  static bool HasRoom(const Peer& peer) {
    const uint32_t in_flight = peer.seq - peer.acked;
    return peer.packet.empty()
               ? in_flight == 0
               : in_flight + (peer.packet.size() - kHeaders) <= peer.window;
  }

  static tcpip::Packet NextPacket(tcpip::SlabPool& pool, Peer& peer) {
    if (peer.packet.empty()) {
      return tcpip::Packet::Copy(
          pool,
          MakePacket(peer.port, peer.seq++, 0, tcpip::wire::TcpFlags::kSyn, 0));
    }
    tcpip::StoreBe32(&peer.packet[kSeqOffset], peer.seq);
    peer.seq += static_cast<uint32_t>(peer.packet.size()) - kHeaders;
    return tcpip::Packet::Copy(pool, peer.packet);
  }

  // How many bytes more it acknowledges.
  uint32_t OnAnswer(const tcpip::Packet& packet) {
    const auto header = tcpip::wire::ParseTcp(
        packet.head().subspan(tcpip::wire::kIpv4HeaderSize));
    Peer& peer = peers_[by_port_.at(header->destination_port)];
    const uint32_t more = header->ack - peer.acked;
    peer.acked = header->ack;
    peer.window = header->window;
    if (!header->flags.syn()) return more;
    peer.packet =
        MakePacket(peer.port, peer.seq, header->seq + 1,
                   tcpip::wire::TcpFlags::kAck, absl::GetFlag(FLAGS_payload));
    return 0;
  }

  std::atomic<uint64_t>& acked_;
  const int always_readable_;
  std::vector<Peer> peers_;
  std::unordered_map<uint16_t, size_t> by_port_;
  size_t next_ = 0;
};

// Bytes per second.
double Measure(uint32_t shards) {
  std::vector<std::atomic<uint64_t>> acked(shards);
  std::vector<std::unique_ptr<tcpip::Link>> links;
  std::vector<std::unique_ptr<bench::PortServices>> services;
  std::vector<tcpip::ShardApp*> apps;
  for (uint32_t i = 0; i < shards; ++i) {
    links.push_back(std::make_unique<CannedPeers>(
        tcpip::Steering(i, shards, kKey), acked[i]));
    services.push_back(std::make_unique<bench::PortServices>(
        std::vector{tcpip::Cidr{kStack, 24}}, [](const absl::Status&) {}));
    apps.push_back(services.back().get());
  }
  tcpip::ShardConfig config;
  config.interface.name = "canned";
  tcpip::ShardGroup group(config, std::move(links), apps, kKey);
  const auto total = [&acked] {
    uint64_t sum = 0;
    for (const auto& one : acked) sum += one.load(std::memory_order_relaxed);
    return sum;
  };
  // By the clock, since the peers never end.
  using Clock = std::chrono::steady_clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const uint64_t bytes_before = total();
  const Clock::time_point begin = Clock::now();
  std::this_thread::sleep_for(
      std::chrono::duration<double>(absl::GetFlag(FLAGS_seconds)));
  const uint64_t bytes = total() - bytes_before;
  const std::chrono::duration<double> took = Clock::now() - begin;
  group.Stop();
  return static_cast<double>(bytes) / took.count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const std::array<uint32_t, 2> kinds = {1, absl::GetFlag(FLAGS_shards)};
  std::array<std::vector<double>, 2> rates;
  for (uint32_t round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      rates[kind].push_back(Measure(kinds[kind]));
      std::printf("round %u, %u shards: %.2f Gbit/s\n", round + 1, kinds[kind],
                  rates[kind].back() * 8e-9);
      std::fflush(stdout);
    }
  }
  const double one = Median(rates[0]);
  const double many = Median(rates[1]);
  std::printf("1 shard %.2f Gbit/s, %u shards %.2f Gbit/s, ratio %.2f\n",
              one * 8e-9, kinds[1], many * 8e-9, many / one);
  return 0;
}
