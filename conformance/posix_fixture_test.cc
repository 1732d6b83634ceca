#include "conformance/posix_fixture.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(PosixFixture, PeerHearsWhatTheHostSays) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  EXPECT_EQ(peer.flags, "S.");
  EXPECT_EQ(f.Do(call::Send{.fd = fd, .lengths = {100}}).value, 100);
  f.Hear(peer);
  EXPECT_EQ(peer.flags, "S. P.");
  EXPECT_EQ(peer.bytes, 100u);
}

TEST(PosixFixture, TimePassesOnlyWhenTold) {
  PosixFixture f;
  const auto began = f.now();
  f.Listener();
  f.Knock();
  EXPECT_EQ(f.now(), began);
  f.Pass(tcpip::Duration::Seconds(1));
  EXPECT_EQ(f.now(), began + tcpip::Duration::Seconds(1));
}

}  // namespace
}  // namespace conformance
