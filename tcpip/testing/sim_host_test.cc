#include "tcpip/testing/sim_host.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"

namespace tcpip::sim {
namespace {

// A host on an interface whose packets end here.
class Host : public testing::Test {
 protected:
  Host() {
    interface_ = host_.AddInterface({.name = "eth0"}, [this] {
      PacketBatch batch;
      host_.stack().DrainOutput(interface_, batch, 10, simulation_.now());
      for (const Packet& packet : batch) {
        sent_.emplace_back(simulation_.elapsed(), Flatten(packet));
      }
      return !batch.empty();
    });
    EXPECT_TRUE(
        host_.stack().AddAddress(interface_, *Cidr::Parse("10.0.0.1/24")).ok());
  }

  Simulation simulation_{1};
  SimHost host_{simulation_, "host", {}};
  InterfaceId interface_ = 0;
  std::vector<std::pair<Duration, Bytes>> sent_;
};

TEST_F(Host, StepsTimersExactlyWhenTheyAreDue) {
  host_.Act([](Stack& stack, Instant now) {
    EXPECT_TRUE(
        stack.TcpConnect({.remote = *IpEndpoint::Parse("10.0.0.2:80")}, now)
            .ok());
  });
  simulation_.RunFor(Duration::Seconds(10));
  EXPECT_TRUE(simulation_.violations().empty());
  ASSERT_EQ(sent_.size(), 4u);  // SYNs
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sent_[i].first, Duration::Seconds((1 << i) - 1));
  }
}

TEST_F(Host, AnswersWhatItReceivesAtOnce) {
  simulation_.RunFor(Duration::Milliseconds(7));
  host_.Receive(
      interface_,
      Packet::Copy(host_.pool(),
                   Build(IcmpPacket{.from = *IpAddress::Parse("10.0.0.2"),
                                    .to = *IpAddress::Parse("10.0.0.1"),
                                    .type = 8,
                                    .payload = {1, 2, 3}})));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].first, Duration::Milliseconds(7));
  const auto read = Read(sent_[0].second);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->checksum_valid);
  EXPECT_EQ(read->transport[0], 0);  // echo reply
}

TEST_F(Host, ASocketThatCannotBeOpenedIsAViolation) {
  host_.Connect({.remote = *IpEndpoint::Parse("192.0.2.1:80")},
                std::make_unique<Echo>());
  ASSERT_EQ(simulation_.violations().size(), 1u);
  EXPECT_NE(simulation_.violations()[0].find("cannot connect"),
            std::string::npos);
}

}  // namespace
}  // namespace tcpip::sim
