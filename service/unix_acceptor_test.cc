#include "service/unix_acceptor.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace netstack::service {
namespace {

class UnixAcceptorTest : public testing::Test {
 protected:
  UnixAcceptorTest() {
    char name[] = "/tmp/acceptor_XXXXXX";
    top_ = mkdtemp(name);
    directory_ = top_ + "/run";
    path_ = directory_ + "/s.sock";
  }
  ~UnixAcceptorTest() override {
    unlink(path_.c_str());
    rmdir(directory_.c_str());
    rmdir(top_.c_str());
  }

  mode_t Mode(const std::string& path) {
    struct stat file = {};
    return stat(path.c_str(), &file) == 0 ? file.st_mode & 0777 : 0;
  }
  // Connects; -1 when nobody listens.
  int Connect() {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address),
                sizeof address) == 0) {
      return fd;
    }
    close(fd);
    return -1;
  }

  std::string top_;
  std::string directory_;
  std::string path_;
};

// [fault X34] Who may use the sockets.
TEST(MayConnect, RootTheDaemonsUserAndItsGroup) {
  EXPECT_TRUE(MayConnect({0, 0}, 1000, 50));
  EXPECT_TRUE(MayConnect({1000, 1000}, 1000, 50));
  EXPECT_TRUE(MayConnect({1001, 50}, 1000, 50));
  EXPECT_FALSE(MayConnect({1001, 1001}, 1000, 50));
}

// [fault X34]
TEST_F(UnixAcceptorTest, SocketAndDirectoryAreClosedToOthers) {
  const mode_t old_mask = umask(0);
  const auto acceptor = UnixAcceptor::Listen(path_);
  umask(old_mask);
  ASSERT_TRUE(acceptor.ok()) << acceptor.status();
  EXPECT_EQ(Mode(directory_), mode_t{0750});
  EXPECT_EQ(Mode(path_), mode_t{0660});
}

TEST_F(UnixAcceptorTest, HandsOnAConnectionOfOurOwn) {
  auto acceptor = UnixAcceptor::Listen(path_);
  ASSERT_TRUE(acceptor.ok()) << acceptor.status();
  std::promise<int> accepted;
  (*acceptor)->Start([&](int fd) { accepted.set_value(fd); });
  const int client = Connect();
  ASSERT_GE(client, 0);
  const int server = accepted.get_future().get();
  ASSERT_EQ(write(client, "x", 1), 1);
  close(client);
  EXPECT_EQ((*acceptor)->refused(), 0u);
  (*acceptor)->Stop();
  close(server);
}

TEST_F(UnixAcceptorTest, LiveSocketIsRefusedAndSaysSo) {
  const auto first = UnixAcceptor::Listen(path_);
  ASSERT_TRUE(first.ok());
  const auto second = UnixAcceptor::Listen(path_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(second.status().message().find("in use by a running daemon"),
            absl::string_view::npos);
  // The first one's socket is still there.
  const int client = Connect();
  EXPECT_GE(client, 0);
  close(client);
}

TEST_F(UnixAcceptorTest, SocketOfADeadDaemonIsReplaced) {
  mkdir(directory_.c_str(), 0750);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(fd);
  EXPECT_TRUE(UnixAcceptor::Listen(path_).ok());
}

TEST_F(UnixAcceptorTest, WhatIsNoSocketIsLeftAlone) {
  mkdir(directory_.c_str(), 0750);
  std::ofstream(path_) << "precious";
  const absl::Status status = UnixAcceptor::Listen(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  std::string content;
  std::ifstream(path_) >> content;
  EXPECT_EQ(content, "precious");
}

TEST_F(UnixAcceptorTest, StopRemovesTheSocket) {
  auto acceptor = UnixAcceptor::Listen(path_);
  ASSERT_TRUE(acceptor.ok());
  (*acceptor)->Start([](int fd) { close(fd); });
  (*acceptor)->Stop();
  EXPECT_EQ(access(path_.c_str(), F_OK), -1);
  EXPECT_EQ(Connect(), -1);
  // A successor's socket is not removed by the late end of the first.
  const auto successor = UnixAcceptor::Listen(path_);
  ASSERT_TRUE(successor.ok());
  acceptor->reset();
  EXPECT_EQ(access(path_.c_str(), F_OK), 0);
}

TEST_F(UnixAcceptorTest, PathThatDoesNotFitIsNamed) {
  for (const std::string& path : {std::string(), std::string(200, 'x')}) {
    EXPECT_EQ(UnixAcceptor::Listen(path).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(UnixAcceptorTest, DirectoryThatCannotBeMadeIsNamed) {
  const absl::Status status =
      UnixAcceptor::Listen(top_ + "/no/such/s.sock").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(status.message().find(top_ + "/no/such"), absl::string_view::npos);
}

}  // namespace
}  // namespace netstack::service
