// One budget for all that holds packets: users who write to peers that do not
// read, and peers who send what nobody reads. [fault O01]
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip {
namespace {

const IpEndpoint kServer = {Ip("10.0.0.2"), 80};
constexpr uint32_t kPeerIss = 1000;
// What is begun below the budget may end above it by the blocks of a segment:
// two pages of what is out of order.
constexpr size_t kSlack = 2 * (18 << 10);

class MemoryBudget : public testing::Test {
 protected:
  explicit MemoryBudget(size_t budget)
      : budget_(budget),
        host_(1, {.name = "x"}, {"10.0.0.2/8"}, {.memory_budget = budget}) {
    listener_ = *stack().TcpListen({.local = kServer});
  }

  Stack& stack() { return host_.stack(); }
  size_t pinned() { return host_.pool().stats().live_bytes; }
  static IpEndpoint Peer(uint32_t i) {
    return {IpAddress::Ipv4(10, 1, static_cast<uint8_t>(i >> 8),
                            static_cast<uint8_t>(i)),
            4000};
  }

  // A connection from peer `i`, whose window is shut from the start.
  struct Flow {
    uint32_t peer = 0;
    uint32_t ack = 0;
    SocketId socket = {};
  };
  Flow Connect(uint32_t i) {
    DrainAll();
    Send({.peer = i}, 0, wire::TcpFlags::kSyn, {});
    const std::vector<Bytes> answer = host_.Drain();
    if (answer.empty()) return {};
    Flow flow = {.peer = i, .ack = Open(answer[0]).Tcp().seq + 1};
    Send(flow, 1, wire::TcpFlags::kAck, {});
    flow.socket = *stack().TcpAccept(listener_);
    return flow;
  }
  void DrainAll() {
    while (!host_.Drain().empty()) {
    }
  }
  // `seq` counts from the peer's SYN.
  void Send(const Flow& flow, uint32_t seq, uint8_t flags, Bytes payload) {
    host_.Receive(sim::Build(sim::TcpPacket{.from = Peer(flow.peer),
                                            .to = kServer,
                                            .seq = kPeerIss + seq,
                                            .ack = flow.ack,
                                            .flags = wire::TcpFlags(flags),
                                            .window = 0,
                                            .payload = std::move(payload)}));
    ASSERT_LE(pinned(), budget_ + kSlack);
  }

  const size_t budget_;
  Host host_;
  SocketId listener_;
};

class Writers : public MemoryBudget {
 protected:
  Writers() : MemoryBudget(size_t{64} << 20) {}
};

TEST_F(Writers, TenThousandToShutWindowsStayUnderTheBudget) {
  const Bytes data(100 << 10, 0x42);
  std::vector<Flow> flows;
  for (uint32_t i = 0; i < 10'000; ++i) flows.push_back(Connect(i));
  for (int round = 0; round < 2; ++round) {
    for (const Flow& flow : flows) {
      const size_t taken = *stack().TcpSendCopy(flow.socket, data, kTestStart);
      ASSERT_TRUE(round > 0 || taken >= 2048);  // nobody goes away empty
      ASSERT_LE(pinned(), budget_);
    }
  }
  EXPECT_GT(pinned(), budget_ / 8 * 7);
  for (size_t i = 0; i < flows.size(); i += 2) {
    EXPECT_TRUE(stack().Abort(flows[i].socket, kTestStart).ok());
  }
  EXPECT_LT(pinned(), budget_ / 8 * 5);
  const Flow another = Connect(10'001);
  ASSERT_TRUE(another.socket.IsValid());
  EXPECT_GE(*stack().TcpSendCopy(another.socket, data, kTestStart), 65536u);
  EXPECT_LE(pinned(), budget_);
  DrainAll();
  stack().CheckInvariants();
}

class Flood : public MemoryBudget {
 protected:
  static constexpr int kSockets = 200;

  Flood() : MemoryBudget(size_t{16} << 20) {
    for (uint16_t i = 0; i < kSockets; ++i) {
      sockets_.push_back(*stack().UdpOpen(
          {.local = {kServer.address, static_cast<uint16_t>(5000 + i)},
           .receive_queue_bytes = 1 << 20}));
    }
    for (uint32_t i = 0; i < 100; ++i) flows_.push_back(Connect(i));
  }

  void SendDatagram(int socket) {
    host_.Receive(MakeUdp(
        {Peer(0), {kServer.address, static_cast<uint16_t>(5000 + socket)}},
        Bytes(1400, 0x17)));
    ASSERT_LE(pinned(), budget_ + kSlack);
  }
  void SendFragment(uint32_t id) {
    host_.Receive(sim::Build(sim::IpFragment{.from = Peer(id).address,
                                             .to = kServer.address,
                                             .id = id,
                                             .more = true,
                                             .data = Bytes(1400)}));
    ASSERT_LE(pinned(), budget_ + kSlack);
  }
  // A piece of a stream whose first piece never came.
  void SendBehindAHole(const Flow& flow, uint32_t piece) {
    Send(flow, 1 + 1000 * piece, wire::TcpFlags::kAck, Bytes(1000));
  }

  std::vector<SocketId> sockets_;
  std::vector<Flow> flows_;
};

TEST_F(Flood, OfAllKindsStaysUnderTheBudgetAndPassesOnceItIsRead) {
  for (uint32_t round = 0; round < 100; ++round) {
    for (int i = 0; i < kSockets; ++i) SendDatagram(i);
    for (uint32_t i = 0; i < 50; ++i) SendFragment(round * 50 + i);
    for (const Flow& flow : flows_) SendBehindAHole(flow, 1 + round % 60);
    DrainAll();
  }
  // All but the block of the packet that was dropped last.
  EXPECT_GE(pinned() + 2048, budget_);
  EXPECT_GT(host_.Dropped(DropReason::kMemorySpent), 10'000u);
  {
    const View last = View::Copy(host_.pool(), Bytes(1));
    const uint64_t before = host_.Dropped(DropReason::kMemorySpent);
    EXPECT_FALSE(Connect(500).socket.IsValid());
    EXPECT_EQ(host_.Dropped(DropReason::kMemorySpent), before + 1);
    EXPECT_EQ(host_.Dropped(DropReason::kTcpTooManySockets), 0u);
    EXPECT_FALSE(stack().UdpOpen({.local = {kServer.address, 4999}}).ok());
  }

  // A hole can be filled all the same.
  Send(flows_[0], 1, wire::TcpFlags::kAck, Bytes(1000));
  EXPECT_GE(stack().TcpRecv(flows_[0].socket, SIZE_MAX, kTestStart)->size(),
            1000u);

  for (const SocketId socket : sockets_) {
    while (stack().UdpRecv(socket)->has_value()) {
    }
  }
  EXPECT_LT(pinned(), budget_);
  const uint64_t before = host_.Dropped(DropReason::kMemorySpent);
  SendDatagram(0);
  EXPECT_TRUE(stack().UdpRecv(sockets_[0])->has_value());
  EXPECT_TRUE(Connect(500).socket.IsValid());
  EXPECT_EQ(host_.Dropped(DropReason::kMemorySpent), before);
  DrainAll();
  stack().CheckInvariants();
}

// [fault X19] fragments that nobody completes
class SmallBudget : public MemoryBudget {
 protected:
  SmallBudget() : MemoryBudget(size_t{1} << 20) {}
};

TEST_F(SmallBudget, FragmentsLeaveRoomForOthers) {
  const IpEndpoint own = {kServer.address, 53};
  const SocketId socket = *stack().UdpOpen({.local = own});
  for (uint32_t i = 0; i < 2000; ++i) {
    host_.Receive(sim::Build(sim::IpFragment{.from = Peer(i).address,
                                             .to = kServer.address,
                                             .id = i,
                                             .more = true,
                                             .data = Bytes(1400)}));
    ASSERT_LE(pinned(), budget_ / 8);
  }
  EXPECT_GT(pinned(), budget_ / 16);
  host_.Receive(MakeUdp({Peer(1), own}, Bytes(9)));
  EXPECT_TRUE(stack().UdpRecv(socket)->has_value());
  EXPECT_TRUE(Connect(1).socket.IsValid());
  EXPECT_EQ(host_.Dropped(DropReason::kMemorySpent), 0u);
}

// [fault O01] [fault W01] b reads whatever comes, while others hold three
// quarters of its budget: for good, or at first.
class ShutWindow : public testing::TestWithParam<std::tuple<uint32_t, bool>> {};

INSTANTIATE_TEST_SUITE_P(MtusAndForHowLong, ShutWindow,
                         testing::Combine(testing::Values(1500, 9000, 65535),
                                          testing::Bool()));

TEST_P(ShutWindow, OpensAgainWhateverASegmentIs) {
  constexpr size_t kBudget = size_t{1} << 20;
  constexpr size_t kAll = 300'000;
  const auto [mtu, for_good] = GetParam();
  StackPair pair({.name = "x", .link = {.mtu = mtu}},
                 {.memory_budget = kBudget});
  pair.set_delay(Duration::Milliseconds(1));
  const SocketId listener = *pair.b().stack().TcpListen({.local = kServer});
  const auto ends = pair.Connect(listener, kServer);
  std::vector<SlabRef> held;
  while (pair.b().pool().stats().live_bytes < kBudget / 4 * 3) {
    held.push_back(pair.b().pool().Allocate(SlabClass::kMedium));
  }
  size_t sent = 0;
  size_t got = 0;
  const auto step = [&](Duration pause) {
    const Bytes more(std::min<size_t>(kAll - sent, 16384));
    sent += *pair.a().stack().TcpSendCopy(ends.client, more, pair.now());
    pair.RunFor(pause);
    got += pair.b().stack().TcpRecv(ends.server, SIZE_MAX, pair.now())->size();
  };
  for (int i = 0; i < 2000 && got < kAll; ++i) step(Duration::Milliseconds(1));
  if (!for_good) held.clear();
  for (int i = 0; i < 600 && got < kAll; ++i) step(Duration::Seconds(1));
  EXPECT_EQ(got, kAll);
  EXPECT_GT(pair.b().stack().TcpGetInfo(ends.server)->rcv_wnd, 0u);
}

}  // namespace
}  // namespace tcpip
