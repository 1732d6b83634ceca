#include "service/claim_desk.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "gtest/gtest.h"
#include "tcpip/link/loopback.h"
#include "tcpip/shard/shard.h"

namespace netstack::service {
namespace {

namespace command = tcpip::command;
using tcpip::Duration;

tcpip::ShardConfig Config() {
  tcpip::ShardConfig config;
  config.interface.name = "test0";
  return config;
}

// A connection over the stack's own loopback: `near` belongs to the test, `far`
// was accepted and waits to be claimed.
class ClaimDeskTest : public testing::Test {
 protected:
  tcpip::Reply Call(command::Body body) {
    std::promise<tcpip::Reply> answered;
    client_.Call(std::move(body), [&](tcpip::Reply reply) {
      answered.set_value(std::move(reply));
    });
    return answered.get_future().get();
  }
  tcpip::SocketId Open(command::Body body) {
    const tcpip::Reply reply = Call(std::move(body));
    const auto* opened = std::get_if<tcpip::reply::Opened>(&reply.body);
    EXPECT_NE(opened, nullptr) << reply.status;
    return opened == nullptr ? tcpip::SocketId() : opened->socket;
  }

  void Connect() {
    command::TcpListen listen;
    listen.options.local = *tcpip::IpEndpoint::Parse("127.0.0.1:7");
    const tcpip::SocketId listener = Open(listen);
    command::TcpDial dial;
    dial.options.remote = listen.options.local;
    near_ = Open(dial);
    far_ = Open(command::TcpAccept{listener});
  }
  // Waits for the peer's word.
  absl::StatusCode NearReceives() {
    return Call(command::TcpRecv{near_}).status.code();
  }

  tcpip::Shard shard_{Config(), std::make_unique<tcpip::Loopback>(), nullptr};
  ShardClient client_{shard_};
  tcpip::SocketId near_;
  tcpip::SocketId far_;
};

TEST_F(ClaimDeskTest, WhatNobodyClaimsInTimeIsReset) {
  Connect();
  ClaimDesk desk(client_, Duration::Milliseconds(20));
  const std::string token = desk.Issue({far_, {}, {}, desk.NewListener({})});
  EXPECT_EQ(NearReceives(), absl::StatusCode::kAborted);
  EXPECT_FALSE(desk.Redeem(token).has_value());
  EXPECT_EQ(desk.expired(), 1u);
}

TEST_F(ClaimDeskTest, ListenerHearsOfEachOfItsConnectionsThatIsGone) {
  Connect();
  ClaimDesk desk(client_, Duration::Milliseconds(20));
  std::promise<void> expired;
  const uint64_t listener = desk.NewListener([&] { expired.set_value(); });
  desk.Issue({far_, {}, {}, listener});
  expired.get_future().wait();
  ClaimDesk patient(client_, Duration::Seconds(3600));
  int gone = 0;
  int gone_of_another = 0;
  const uint64_t mine = patient.NewListener([&] { ++gone; });
  patient.NewListener([&] { ++gone_of_another; });
  const std::string token = patient.Issue({far_, {}, {}, mine});
  patient.Issue({far_, {}, {}, mine});
  EXPECT_TRUE(patient.Redeem(token).has_value());
  EXPECT_FALSE(patient.Redeem(token).has_value());
  patient.Revoke(mine);
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(gone_of_another, 0);
  EXPECT_EQ(patient.expired(), 0u);
}

TEST_F(ClaimDeskTest, WhatWasClaimedIsTheClaimants) {
  Connect();
  {
    ClaimDesk desk(client_, Duration::Seconds(3600));
    const std::string token = desk.Issue({far_, {}, {}, desk.NewListener({})});
    const std::optional<Claimed> claimed = desk.Redeem(token);
    ASSERT_TRUE(claimed.has_value());
    EXPECT_EQ(claimed->socket, far_);
  }
  Call(command::TcpCloseWrite{far_});
  EXPECT_EQ(NearReceives(), absl::StatusCode::kOk);
}

TEST_F(ClaimDeskTest, RevokeResetsWhatItsListenerLeft) {
  Connect();
  ClaimDesk desk(client_, Duration::Seconds(3600));
  const uint64_t listener = desk.NewListener({});
  EXPECT_NE(desk.NewListener({}), listener);
  const std::string token = desk.Issue({far_, {}, {}, listener});
  desk.Revoke(listener);
  EXPECT_EQ(NearReceives(), absl::StatusCode::kAborted);
  EXPECT_FALSE(desk.Redeem(token).has_value());
}

TEST_F(ClaimDeskTest, WhatIsUnclaimedAtTheEndIsReset) {
  Connect();
  {
    ClaimDesk desk(client_, Duration::Seconds(3600));
    desk.Issue({far_, {}, {}, desk.NewListener({})});
  }
  EXPECT_EQ(NearReceives(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace netstack::service
