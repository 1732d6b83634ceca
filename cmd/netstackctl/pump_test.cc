#include "cmd/netstackctl/pump.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <future>
#include <string>
#include <utility>

#include "tests/service/service_fixture.h"

namespace netstack {
namespace {

// A pump between two pipes and the near end of a connection.
class PumpTest : public ServiceTest {
 protected:
  PumpTest() {
    signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe(in_), 0);
    EXPECT_EQ(pipe(out_), 0);
  }
  ~PumpTest() override {
    for (int fd : {in_[0], in_[1], out_[0], out_[1]}) {
      if (fd >= 0) close(fd);
    }
  }

  std::future<absl::Status> StartPump(Stream& stream) {
    return std::async(std::launch::async,
                      [&] { return Pump(stream, in_[0], out_[1]); });
  }
  void Type(const std::string& text) {
    EXPECT_EQ(write(in_[1], text.data(), text.size()), ssize_t(text.size()));
  }
  static void Close(int& fd) { close(std::exchange(fd, -1)); }
  std::string Printed(size_t size) {
    std::string text(size, '\0');
    const ssize_t n = read(out_[0], text.data(), size);
    return text.substr(0, n < 0 ? 0 : static_cast<size_t>(n));
  }

  int in_[2];
  int out_[2];
};

TEST_F(PumpTest, EndOfStdinHalfClosesAndTheAnswerIsPrinted) {
  Pair pair = Connect();
  std::future<absl::Status> pumped = StartPump(pair.near);
  Type("question");
  Close(in_[1]);
  EXPECT_EQ(ReadAll(pair.far).size(), 8u);
  ASSERT_TRUE(WriteText(pair.far, "answer").ok());
  ASSERT_TRUE(pair.far.CloseWrite().ok());
  EXPECT_EQ(Printed(6), "answer");
  EXPECT_EQ(pumped.get(), absl::OkStatus());
}

// [fault F09]
TEST_F(PumpTest, AnAnswerIsSentAfterTheEndOfTheQuestion) {
  Pair pair = Connect();
  std::future<absl::Status> pumped = StartPump(pair.near);
  ASSERT_TRUE(WriteText(pair.far, "question").ok());
  ASSERT_TRUE(pair.far.CloseWrite().ok());
  EXPECT_EQ(Printed(8), "question");
  Type("answer");
  Close(in_[1]);
  EXPECT_EQ(ReadAll(pair.far).size(), 6u);
  EXPECT_EQ(pumped.get(), absl::OkStatus());
}

TEST_F(PumpTest, AtATerminalTheEndOfTheStreamEndsThePump) {
  Close(in_[0]);
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  in_[0] = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(in_[0], 0);
  Pair pair = Connect();
  std::future<absl::Status> pumped = StartPump(pair.near);
  ASSERT_TRUE(pair.far.CloseWrite().ok());
  EXPECT_EQ(ReadAll(pair.far).size(), 0u);
  EXPECT_EQ(pumped.get(), absl::OkStatus());
  Close(terminal);
}

TEST_F(PumpTest, ResetIsAnError) {
  Pair pair = Connect();
  std::future<absl::Status> pumped = StartPump(pair.near);
  pair.far.Abort();
  EXPECT_EQ(pumped.get().code(), absl::StatusCode::kAborted);
}

TEST_F(PumpTest, StdoutThatIsClosedIsAnErrorAndResetsThePeer) {
  Pair pair = Connect();
  std::future<absl::Status> pumped = StartPump(pair.near);
  Close(out_[0]);
  ASSERT_TRUE(WriteText(pair.far, "x").ok());
  EXPECT_NE(pumped.get().message().find("stdout"), absl::string_view::npos);
  EXPECT_EQ(ReadError(pair.far).code(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace netstack
