// What a datagram costs in memory: no allocation once the queues have grown.
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/counting_allocator.h"

namespace tcpip {
namespace {

const IpAddress kOwn = IpAddress::Ipv4(127, 0, 0, 1);

// Offload or not, and payload bytes.
class UdpMemory : public testing::TestWithParam<std::tuple<bool, size_t>> {
 protected:
  UdpMemory() : stack_({}, pool_, rng_, kTestStart) {
    link_ = stack_.AddInterface(
        {.name = "lo",
         .link = {.mtu = 65535, .tx = {.checksum = std::get<0>(GetParam())}},
         .loopback = true});
    EXPECT_TRUE(stack_.AddAddress(link_, {kOwn, 8}).ok());
    server_ = *stack_.UdpOpen({.local = {kOwn, 53}});
    client_ = *stack_.UdpOpen({.local = {kOwn, 0}, .remote = {{kOwn, 53}}});
  }

  // A burst of datagrams from the client and their answers, as a loopback
  // carries them. Returns how many arrived.
  int Exchange(int burst) {
    for (int i = 0; i < burst; ++i) {
      EXPECT_TRUE(stack_.UdpSend(client_, std::nullopt, payload_).ok());
    }
    Carry();
    int arrived = 0;
    while (const auto query = *stack_.UdpRecv(server_)) {
      EXPECT_TRUE(stack_.UdpSend(server_, query->source, payload_).ok());
      ++arrived;
    }
    Carry();
    while (*stack_.UdpRecv(client_)) ++arrived;
    while (stack_.NextReady()) {
    }
    return arrived;
  }

  void Carry() {
    stack_.DrainOutput(link_, batch_, 100, kTestStart);
    stack_.OnPackets(link_, batch_, kTestStart);
    batch_.clear();
  }

  SlabPool pool_;
  SeededRng rng_{1};
  Stack stack_;
  InterfaceId link_ = 0;
  SocketId server_;
  SocketId client_;
  PacketBatch batch_;
  const std::vector<uint8_t> payload_ =
      std::vector<uint8_t>(std::get<1>(GetParam()), 0x42);
};

INSTANTIATE_TEST_SUITE_P(Stack, UdpMemory,
                         testing::Combine(testing::Bool(),
                                          testing::Values(0, 64, 1472, 65507)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) ? "Offload"
                                                                   : "Plain") +
                                  std::to_string(std::get<1>(i.param));
                         });

TEST_P(UdpMemory, NothingIsAllocatedPerDatagramAfterWarmUp) {
  EXPECT_EQ(Exchange(3), 6);
  const sim::AllocationCounter counter;
  int arrived = 0;
  for (int i = 0; i < 500; ++i) arrived += Exchange(1 + i % 3);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(arrived, 2 * 999);
  EXPECT_EQ(pool_.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip
