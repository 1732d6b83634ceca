#include "tcpip/shard/errors.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

struct Row {
  tcp::TcpError error;
  absl::StatusCode code;
  const char* text;
};

class StatusOfTcpError : public testing::TestWithParam<Row> {};

TEST_P(StatusOfTcpError, SaysWhatHappened) {
  const absl::Status status = StatusOf(GetParam().error);
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_EQ(status.message(), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Errors, StatusOfTcpError,
    testing::Values(Row{tcp::TcpError::kNone, absl::StatusCode::kOk, ""},
                    Row{tcp::TcpError::kRefused, absl::StatusCode::kUnavailable,
                        "connection refused"},
                    Row{tcp::TcpError::kReset, absl::StatusCode::kAborted,
                        "connection reset by peer"},
                    Row{tcp::TcpError::kTimedOut,
                        absl::StatusCode::kDeadlineExceeded, "timed out"},
                    Row{tcp::TcpError::kUnreachable,
                        absl::StatusCode::kUnavailable,
                        "destination unreachable"},
                    Row{tcp::TcpError::kAborted, absl::StatusCode::kCancelled,
                        "connection aborted"}));

}  // namespace
}  // namespace tcpip
