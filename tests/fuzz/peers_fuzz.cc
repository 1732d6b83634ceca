// Two stacks with a connection between them, over a wire on which the input
// decides what becomes of each packet: it arrives, is lost, comes twice, comes
// late, or with a bit changed. Invariants of both hold at every step, each side
// reads what the other wrote and nothing else; and once the wire is good again,
// all of it.
//
// One bit changed is what every checksum finds, so damage is only loss. The
// input: settings, then steps, a byte that chooses one, then its parameters.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/testing/pattern.h"
#include "tcpip/transport/tcp/config.h"
#include "tests/fuzz/input.h"

namespace tcpip {
namespace {

using fuzz::Check;
using fuzz::Input;

constexpr int kMaxSteps = 150;
constexpr int kMaxCalmSteps = 100'000;
constexpr uint64_t kMaxBytes = 200'000;  // written by each side

StackConfig ConfigOf(uint8_t settings) {
  StackConfig config;
  config.tcp.sack = settings % 2 == 0;
  config.tcp.timestamps = settings / 2 % 2 == 0;
  config.tcp.window_scaling = settings / 4 % 2 == 0;
  if (settings / 8 % 2 == 0) config.tcp.ecn = tcp::EcnMode::kActive;
  return config;
}

// One end of the connection, and what it writes.
struct End {
  End(uint64_t seed, const std::vector<std::string_view>& addresses, Input& in)
      : host(seed, {.name = "wire"}, addresses, ConfigOf(in.Byte())),
        pattern(seed) {}

  Host host;
  sim::Pattern pattern;
  SocketId socket = {};
  uint64_t written = 0;
  uint64_t read = 0;  // of the other's
  bool closed = false;
  std::vector<Bytes> arriving;
};

class World {
 public:
  explicit World(Input& in)
      : ends_{{{1, {"10.0.0.1/24", "2001:db8::1/64"}, in},
               {2, {"10.0.0.2/24", "2001:db8::2/64"}, in}}} {
    Connect(in.Byte() % 2 == 0);
  }

  void Step(Input& in) {
    End& end = ends_[in.Byte() % 2];
    switch (in.Byte() % 8) {
      case 0:
      case 1:
        Write(end, in.Below(20'000));
        break;
      case 2:
        Read(end, in.Below(50'000));
        break;
      case 3:
      case 4:
        Leave(end, in);
        break;
      case 5:
        Arrive(end, in.Byte());
        break;
      case 6:
        // Not for so long that anybody gives up.
        PassTime(Duration::Milliseconds(in.Byte() % 8 == 0 ? in.Below(1500)
                                                           : in.Byte()));
        break;
      case 7:
        if (in.Byte() % 8 == 0) CloseWrite(end);
        break;
    }
    for (End& each : ends_) each.host.stack().CheckInvariants();
  }

  void CalmDown() {
    for (End& end : ends_) CloseWrite(end);
    int steps = 0;
    while (!IsDone() && steps++ < kMaxCalmSteps) {
      for (End& end : ends_) {
        Read(end, SIZE_MAX);
        for (Bytes& packet : end.host.Drain(now_)) {
          Peer(end).arriving.push_back(std::move(packet));
        }
      }
      const bool quiet = ends_[0].arriving.empty() && ends_[1].arriving.empty();
      for (End& end : ends_) Arrive(end, SIZE_MAX);
      if (quiet) PassTime(NextDeadline() - now_);
      for (End& end : ends_) end.host.stack().CheckInvariants();
    }
    Check(IsDone(), "all that was written arrives, and the end after it");
  }

 private:
  End& Peer(const End& end) { return ends_[&end == &ends_[0] ? 1 : 0]; }

  void Connect(bool v4) {
    Stack& server = ends_[1].host.stack();
    const IpEndpoint at = {Ip(v4 ? "10.0.0.2" : "2001:db8::2"), 80};
    const SocketId listener = *server.TcpListen({.local = at});
    ends_[0].socket = *ends_[0].host.stack().TcpConnect({.remote = at}, now_);
    for (int i = 0; i < 2; ++i) {
      for (End& end : ends_) {
        for (const Bytes& packet : end.host.Drain(now_)) {
          Peer(end).host.Receive(packet, now_);
        }
      }
    }
    const auto accepted = server.TcpAccept(listener);
    Check(accepted.ok(), "the handshake is on a good wire");
    ends_[1].socket = *accepted;
  }

  void Write(End& end, uint64_t bytes) {
    if (end.closed) return;
    Bytes data(std::min(bytes, kMaxBytes - end.written));
    end.pattern.Fill(end.written, data);
    end.written += *end.host.stack().TcpSendCopy(end.socket, data, now_);
  }

  void CloseWrite(End& end) {
    if (std::exchange(end.closed, true)) return;
    Check(end.host.stack().TcpCloseWrite(end.socket, now_).ok(), "close");
  }

  void Read(End& end, size_t max) {
    const auto data = end.host.stack().TcpRecv(end.socket, max, now_);
    Check(data.ok(), "the connection lives");
    const Bytes bytes = Flatten(*data);
    const End& from = Peer(end);
    Check(from.pattern.Mismatch(end.read, bytes) == end.read + bytes.size(),
          "what is read is what was written");
    end.read += bytes.size();
    Check(end.read <= from.written, "nothing is read that was not written");
  }

  // What the end sends goes onto the wire, where the input awaits it.
  void Leave(End& end, Input& in) {
    std::vector<Bytes>& wire = Peer(end).arriving;
    for (Bytes& packet : end.host.Drain(now_)) {
      switch (in.Byte() % 16) {
        case 0:
        case 1:
          continue;
        case 2:
          wire.push_back(packet);
          break;
        case 3:
          packet[in.Below(static_cast<uint32_t>(packet.size()))] ^=
              static_cast<uint8_t>(1 << in.Byte() % 8);
          break;
        case 4:
          wire.insert(wire.begin(), std::move(packet));
          continue;
        case 5:
          if (!wire.empty()) std::swap(wire.back(), packet);
          break;
        default:
          break;
      }
      wire.push_back(std::move(packet));
    }
  }

  void Arrive(End& end, size_t max) {
    const auto stop = end.arriving.begin() + static_cast<ptrdiff_t>(std::min(
                                                 end.arriving.size(), max));
    for (auto it = end.arriving.begin(); it != stop; ++it) {
      end.host.Receive(*it, now_);
    }
    end.arriving.erase(end.arriving.begin(), stop);
  }

  Instant NextDeadline() {
    const Instant next = std::min(ends_[0].host.stack().NextDeadline(),
                                  ends_[1].host.stack().NextDeadline());
    Check(!next.IsNever(), "somebody has something to wait for");
    return std::max(next, now_);
  }

  void PassTime(Duration by) {
    now_ += by;
    for (End& end : ends_) {
      end.host.stack().OnTimers(now_);
      while (end.host.stack().NextReady()) {
      }
    }
  }

  bool IsDone() {
    return std::all_of(ends_.begin(), ends_.end(), [this](const End& end) {
      const auto ready =
          ends_[&end == &ends_[1]].host.stack().GetReadiness(end.socket);
      return end.read == Peer(end).written && ready.ok() &&
             (ready->read_closed || ready->closed);
    });
  }

  Instant now_ = kTestStart;
  std::array<End, 2> ends_;
};

}  // namespace
}  // namespace tcpip

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::fuzz::Input input(data, size);
  tcpip::World world(input);
  for (int i = 0; i < tcpip::kMaxSteps && !input.empty(); ++i) {
    world.Step(input);
  }
  world.CalmDown();
  return 0;
}
