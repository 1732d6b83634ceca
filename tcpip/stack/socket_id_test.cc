#include "tcpip/stack/socket_id.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(SocketId, TheDefaultNamesNoSocket) { EXPECT_FALSE(SocketId{}.IsValid()); }

TEST(SocketId, SurvivesTheWayThroughANumber) {
  for (const SocketId id : {SocketId{0, 1}, SocketId{~0u, 1}, SocketId{3, ~0u},
                            SocketId{123, 456}}) {
    EXPECT_TRUE(id.IsValid());
    EXPECT_EQ(SocketId::FromU64(id.ToU64()), id);
  }
  EXPECT_NE((SocketId{1, 2}.ToU64()), (SocketId{2, 1}.ToU64()));
}

}  // namespace
}  // namespace tcpip
