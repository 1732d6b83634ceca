#include "tests/emulator/emulated_path.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tcpip/base/checksum.h"

namespace tcpip {
namespace {

constexpr int kPatienceMs = 20'000;

// The two namespaces; this process is in the left one.
struct Namespaces {
  absl::Status status;
  int left = -1;
  int right = -1;
};

int OpenOwnNamespace() { return open("/proc/thread-self/ns/net", O_RDONLY); }

// Only what the test sends shall cross the path.
void SwitchIpv6Off() {
  const int fd =
      open("/proc/sys/net/ipv6/conf/all/disable_ipv6", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  EXPECT_EQ(write(fd, "1", 1), 1);
  close(fd);
}

Namespaces MakeNamespaces() {
  Namespaces result;
  result.status = EnterOwnNetwork();
  if (!result.status.ok()) return result;
  SwitchIpv6Off();
  result.left = OpenOwnNamespace();
  result.status = EnterOwnNetwork();
  if (!result.status.ok()) return result;
  SwitchIpv6Off();
  result.right = OpenOwnNamespace();
  if (setns(result.left, CLONE_NEWNET) != 0) {
    result.status = absl::UnavailableError("cannot go back");
  }
  return result;
}

const Namespaces& TheNamespaces() {
  static const Namespaces namespaces = MakeNamespaces();
  return namespaces;
}

Instant FromTimespec(const timespec& time) {
  return Instant::FromNanoseconds(time.tv_sec * int64_t{1'000'000'000} +
                                  time.tv_nsec);
}

// Is this, with its IPv4 header, the answer to that request?
bool IsEchoReply(const std::vector<uint8_t>& packet, uint16_t sequence) {
  constexpr size_t kIpHeader = 20;
  icmphdr icmp;
  if (packet.size() < kIpHeader + sizeof icmp) return false;
  std::memcpy(&icmp, &packet[kIpHeader], sizeof icmp);
  return icmp.type == ICMP_ECHOREPLY &&
         ntohs(icmp.un.echo.sequence) == sequence;
}

void Enable(const KernelSocket& socket, int level, int option, int value = 1) {
  EXPECT_EQ(setsockopt(socket.fd(), level, option, &value, sizeof value), 0);
}

// Starts the emulator with `output` as its output.
pid_t Spawn(std::vector<std::string> args, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  EXPECT_EQ(posix_spawn(&pid, "emulator/emulator", &actions, nullptr,
                        argv.data(), environ),
            0);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

Instant WallNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return FromTimespec(now);
}

void EmulatedPathTest::SetUpTestSuite() { TheNamespaces(); }

void EmulatedPathTest::SetUp() {
  const absl::Status& status = TheNamespaces().status;
  if (!status.ok()) GTEST_SKIP() << status.message();
  if (access("/dev/net/tun", R_OK | W_OK) != 0) {
    GTEST_SKIP() << "/dev/net/tun: " << std::strerror(errno);
  }
}

void EmulatedPathTest::TearDown() {
  if (emulator_ > 0) Stop();
}

bool EmulatedPathTest::Start(const std::string& there,
                             const std::string& back) {
  int pipe_ends[2];
  EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  output_ = pipe_ends[0];
  emulator_ =
      Spawn({"emulator", "--left=emu0",
             absl::StrCat("--right=emu1@/proc/self/fd/", TheNamespaces().right),
             absl::StrCat("--there=", there), absl::StrCat("--back=", back)},
            pipe_ends[1]);
  close(pipe_ends[1]);
  // Its first line says that it is ready, or why it will never be.
  const std::string line = ReadLine();
  if (line.rfind("emu0", 0) != 0) {
    WaitForExit();
    ADD_FAILURE() << line;
    return false;
  }
  absl::Status status = AddKernelAddress("emu0", *Cidr::Parse("10.88.0.1/24"));
  EXPECT_TRUE(status.ok()) << status;
  InRight(
      [&] { status = AddKernelAddress("emu1", *Cidr::Parse("10.88.0.2/24")); });
  EXPECT_TRUE(status.ok()) << status;
  return true;
}

void EmulatedPathTest::Signal(int signal) {
  ASSERT_EQ(kill(emulator_, signal), 0);
}

std::string EmulatedPathTest::Stop() {
  Signal(SIGTERM);
  return AwaitEnd(0);
}

std::string EmulatedPathTest::AwaitEnd(int exit_code) {
  std::string said;
  for (std::string line = ReadLine(); !line.empty(); line = ReadLine()) {
    absl::StrAppend(&said, line, "\n");
  }
  const int status = WaitForExit();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == exit_code) << said;
  return said;
}

int EmulatedPathTest::WaitForExit() {
  int status = -1;
  EXPECT_GT(waitpid(std::exchange(emulator_, -1), &status, 0), 0);
  close(output_);
  return status;
}

std::string EmulatedPathTest::ReadLine() {
  std::string line;
  char c;
  while (read(output_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

uint64_t EmulatedPathTest::Counter(absl::string_view word) {
  Signal(SIGUSR1);
  const std::string there = ReadLine();
  ReadLine();  // what it says of the way back
  const std::vector<std::string> words =
      absl::StrSplit(there, absl::ByAnyChar(" ,;"), absl::SkipEmpty());
  uint64_t value = 0;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == word && absl::SimpleAtoi(words[i + 1], &value)) break;
  }
  return value;
}

bool EmulatedPathTest::CounterReaches(absl::string_view word, uint64_t value) {
  const Instant end = WallNow() + Duration::Milliseconds(kPatienceMs);
  while (Counter(word) < value) {
    if (WallNow() > end) return false;
  }
  return true;
}

void EmulatedPathTest::InRight(absl::FunctionRef<void()> act) {
  ASSERT_EQ(setns(TheNamespaces().right, CLONE_NEWNET), 0);
  act();
  ASSERT_EQ(setns(TheNamespaces().left, CLONE_NEWNET), 0);
}

IpEndpoint EmulatedPathTest::Left(uint16_t port) {
  return {*IpAddress::Parse("10.88.0.1"), port};
}

IpEndpoint EmulatedPathTest::Right(uint16_t port) {
  return {*IpAddress::Parse("10.88.0.2"), port};
}

EmulatedPathTest::Pair EmulatedPathTest::UdpPair() {
  constexpr uint16_t kPort = 5353;
  const KernelAddress left(Left(kPort));
  const KernelAddress right(Right(kPort));
  Pair pair;
  InRight([&] {
    pair.right = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
    EXPECT_EQ(bind(pair.right.fd(), right.get(), right.size), 0);
    EXPECT_EQ(connect(pair.right.fd(), left.get(), left.size), 0);
    Enable(pair.right, SOL_SOCKET, SO_TIMESTAMPNS);
    Enable(pair.right, IPPROTO_IP, IP_RECVTOS);
    Enable(pair.right, SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20);
  });
  pair.left = KernelSocket::Make(IpFamily::kIpv4, SOCK_DGRAM);
  EXPECT_EQ(bind(pair.left.fd(), left.get(), left.size), 0);
  EXPECT_EQ(connect(pair.left.fd(), right.get(), right.size), 0);
  return pair;
}

bool EmulatedPathTest::Receive(const KernelSocket& socket, Stamped& datagram) {
  static std::array<uint8_t, 65536> room;
  const ssize_t n = socket.RecvMessage(room, [&datagram](const cmsghdr& c) {
    if (c.cmsg_level == SOL_SOCKET && c.cmsg_type == SO_TIMESTAMPNS) {
      timespec stamp;
      std::memcpy(&stamp, CMSG_DATA(&c), sizeof stamp);
      datagram.at = FromTimespec(stamp);
    } else if (c.cmsg_level == IPPROTO_IP && c.cmsg_type == IP_TOS) {
      datagram.tos = *CMSG_DATA(&c);
    }
  });
  if (n < 0) return false;
  datagram.bytes.assign(room.begin(), room.begin() + n);
  return true;
}

bool EmulatedPathTest::IsReadable(const KernelSocket& socket,
                                  Duration patience) {
  pollfd fd = {socket.fd(), POLLIN, 0};
  const timespec timeout = {patience.nanoseconds() / 1'000'000'000,
                            patience.nanoseconds() % 1'000'000'000};
  return ppoll(&fd, 1, &timeout, nullptr) == 1;
}

Duration EmulatedPathTest::Ping() {
  static uint16_t sequence = 0;
  const KernelSocket socket =
      KernelSocket::Make(IpFamily::kIpv4, SOCK_RAW, IPPROTO_ICMP);
  Enable(socket, SOL_SOCKET, SO_TIMESTAMPNS);
  icmphdr request = {};
  request.type = ICMP_ECHO;
  request.un.echo.sequence = htons(++sequence);
  std::array<uint8_t, sizeof request> bytes;
  std::memcpy(bytes.data(), &request, sizeof request);
  StoreBe16(&bytes[2], SumBytes(bytes).Checksum());
  const KernelAddress to(Right(0));
  const Instant sent = WallNow();
  EXPECT_EQ(
      sendto(socket.fd(), bytes.data(), bytes.size(), 0, to.get(), to.size),
      ssize_t{sizeof request});
  Stamped answer;
  while (Receive(socket, answer)) {
    if (IsEchoReply(answer.bytes, sequence)) return answer.at - sent;
  }
  return Duration::Nanoseconds(std::numeric_limits<int64_t>::max());
}

}  // namespace tcpip
