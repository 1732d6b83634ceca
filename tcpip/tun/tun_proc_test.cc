#include "tcpip/tun/tun_proc.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

namespace fs = std::filesystem;

// A /proc of files, with ourselves in it.
class TunProcTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    AddProcess("self", "me", "net:[1]");
  }

  void AddProcess(const std::string& pid, const std::string& name,
                  const std::string& network) {
    for (const char* folder : {"ns", "fd", "fdinfo"}) {
      fs::create_directories(root_ / pid / folder);
    }
    fs::create_symlink(network, root_ / pid / "ns" / "net");
    Write(pid + "/comm", name + "\n");
  }
  void AddFile(const std::string& pid, const std::string& fd,
               const std::string& target, const std::string& fdinfo) {
    fs::create_symlink(target, root_ / pid / "fd" / fd);
    Write(pid + "/fdinfo/" + fd, fdinfo);
  }
  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

// [fault L18] "device busy" can say by whom
TEST_F(TunProcTest, TheHolderIsFoundByItsOpenDevice) {
  AddProcess("17", "shell", "net:[1]");
  AddFile("17", "4", "/dev/net/tun", "pos:\t0\niff:\t\n");
  AddFile("17", "5", "/dev/net/tun", "pos:\t0\niff:\tnst1\n");
  AddFile("17", "6", "/tmp/notes", "pos:\t0\niff:\tnst0\n");
  AddProcess("23", "netstackd", "net:[1]");
  AddFile("23", "9", "/dev/net/tun", "pos:\t0\nflags:\t02\niff:\tnst0\n");
  EXPECT_EQ(FindTunHolder("nst0", root_), "process 23 (netstackd)");
  EXPECT_EQ(FindTunHolder("nst1", root_), "process 17 (shell)");
  EXPECT_EQ(FindTunHolder("nst2", root_), "");
}

TEST_F(TunProcTest, ADeviceOfAnotherNamespaceIsAnother) {
  AddProcess("23", "netstackd", "net:[2]");
  AddFile("23", "9", "/dev/net/tun", "iff:\tnst0\n");
  EXPECT_EQ(FindTunHolder("nst0", root_), "");
}

TEST_F(TunProcTest, WithoutProcNobodyIsFound) {
  EXPECT_EQ(FindTunHolder("nst0", root_ / "nowhere"), "");
}

TEST_F(TunProcTest, DropsAreTheTwelfthNumber) {
  Write("dev",
        "Inter-|   Receive                  |  Transmit\n"
        " face |bytes packets errs drop fifo frame compressed multicast|...\n"
        "    lo:   1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
        "  nst0: 101 102 103 104 105 106 107 108 109 110 111 112 113 114 0 0\n"
        "nst1: 1 2 3\n");
  EXPECT_EQ(TunDrops("nst0", root_ / "dev"), 112u);
  EXPECT_EQ(TunDrops("nst1", root_ / "dev"), 0u);
  EXPECT_EQ(TunDrops("st0", root_ / "dev"), 0u);
  EXPECT_EQ(TunDrops("nst0", root_ / "nowhere"), 0u);
}

}  // namespace
}  // namespace tcpip
