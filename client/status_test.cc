#include "client/status.h"

#include "gtest/gtest.h"

namespace netstack {
namespace {

TEST(FromGrpc, KeepsCodeAndText) {
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status =
        FromGrpc({static_cast<grpc::StatusCode>(code), "why"});
    EXPECT_EQ(static_cast<int>(status.code()), code);
    EXPECT_EQ(status.message(), "why");
  }
}

}  // namespace
}  // namespace netstack
