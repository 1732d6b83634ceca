// EmulatedPathTest: the emulator, as a process of its own, between two network
// namespaces of the kernel.
//
//   kernel 10.88.0.1  <--- emu0 --- emulator --- emu1 --->  10.88.0.2 kernel
//        (left)                                                  (right)
//
// Skips, saying why, where namespaces or TUN devices cannot be had.
#ifndef TESTS_EMULATOR_EMULATED_PATH_H_
#define TESTS_EMULATOR_EMULATED_PATH_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/wire/address.h"
#include "tests/tun/kernel_net.h"

namespace tcpip {

// CLOCK_REALTIME, the clock of the kernel's stamps on received packets.
Instant WallNow();

// A datagram, and when the kernel received it.
struct Stamped {
  Instant at;
  int tos = 0;
  std::vector<uint8_t> bytes;
};

class EmulatedPathTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;
  void TearDown() override;

  // Starts the emulator and sets up its devices. False when that has failed and
  // the test is over.
  bool Start(const std::string& there, const std::string& back = "");
  // Ends it; what it has printed since the last Counter().
  std::string Stop();
  // The same for one that ends by itself, with that code.
  std::string AwaitEnd(int exit_code);

  // Sends it a signal.
  void Signal(int signal);

  // A number in what it says of the packets from left to right when asked:
  // Counter("offered") for "there: ... offered 30 packets".
  uint64_t Counter(absl::string_view word);
  // Asks until the counter is at least `value`, for some seconds.
  bool CounterReaches(absl::string_view word, uint64_t value);

  // Runs in the right namespace; sockets made there stay there.
  static void InRight(absl::FunctionRef<void()> act);

  static IpEndpoint Left(uint16_t port);
  static IpEndpoint Right(uint16_t port);

  // Sockets of UDP that are connected to each other; the right one stamps what
  // it gets, and has room for all of it.
  struct Pair {
    KernelSocket left;
    KernelSocket right;
  };
  static Pair UdpPair();
  // The next datagram, within some seconds.
  static bool Receive(const KernelSocket& socket, Stamped& datagram);
  // Is there one within `patience`?
  static bool IsReadable(const KernelSocket& socket, Duration patience);

  // From an echo request to the right kernel to its answer; an infinite time
  // when there is none.
  static Duration Ping();

 private:
  // Empty when the emulator has ended.
  std::string ReadLine();
  int WaitForExit();

  pid_t emulator_ = -1;
  int output_ = -1;  // of the emulator
};

}  // namespace tcpip

#endif  // TESTS_EMULATOR_EMULATED_PATH_H_
