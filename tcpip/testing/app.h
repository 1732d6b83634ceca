// App: a user of one socket in a simulation, stepped by its host. Each does
// what it can and waits for the next event; none blocks or polls.
//
// The stack is called as any user calls it: what an app may do, the socket
// service may do, too.
#ifndef TCPIP_TESTING_APP_H_
#define TCPIP_TESTING_APP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack.h"
#include "tcpip/transport/tcp/observe.h"

namespace tcpip::sim {

class App {
 public:
  virtual ~App() = default;

  // Called on every event of the socket, and when the time has come that the
  // last call returned: Never for none. Not called after done().
  virtual Instant Step(Stack& stack, SocketId socket, Instant now) = 0;

  bool done() const { return done_; }
  // Why it ended other than as planned, or kNone.
  tcp::TcpError error() const { return error_; }
  // What is not as planned, each with "; " behind it, or "".
  virtual std::string Problem() const;

 protected:
  // The socket is closed or in error: no further steps.
  void End(tcp::TcpError error = tcp::TcpError::kNone) {
    error_ = error;
    done_ = true;
  }
  // Ends when the connection has died; true if so.
  bool EndIfDead(Stack& stack, SocketId socket, Instant now);

 private:
  bool done_ = false;
  tcp::TcpError error_ = tcp::TcpError::kNone;
};

// "client: not done; ", "" when all is as planned; without an app there was no
// connection.
std::string ProblemOf(const char* who, const App* app);

struct TalkPlan {
  uint64_t send_bytes = 0;  // then FIN
  uint64_t send_pattern = 1;
  // An on/off source writes write_bytes every write_interval, and is silent
  // between.
  uint64_t write_bytes = uint64_t{1} << 20;
  Duration write_interval = {};
  bool fin_after_peer = false;  // FIN waits for the peer's, as a server's does
  uint64_t expect_bytes = 0;    // before the peer's FIN
  uint64_t expect_pattern = 2;
  // A slow reader takes at most read_bytes every read_interval, and begins
  // read_after its first step.
  size_t read_bytes = size_t{1} << 20;
  Duration read_interval = {};
  Duration read_after = {};
};

// Sends one pattern while it checks another, closes its side when all is sent
// and the socket when both sides are done: bulk sender, on/off source, sink and
// slow reader.
class Talker final : public App {
 public:
  explicit Talker(const TalkPlan& plan);

  Instant Step(Stack& stack, SocketId socket, Instant now) override;

  // Everything went both ways as planned.
  bool succeeded() const {
    return done() && error() == tcp::TcpError::kNone && Problem().empty();
  }
  std::string Problem() const override;

  uint64_t sent() const { return sent_; }
  uint64_t received() const { return received_; }
  // When the last byte or the FIN came.
  Instant last_received_at() const { return last_received_at_; }
  const tcp::TcpInfo& last_info() const { return last_info_; }

 private:
  enum class Fin : uint8_t { kNone, kReceived, kSent, kBoth };

  // What may have been written by `now`, and when that grows.
  uint64_t DueBytes(Instant now) const;
  Instant NextBurst(Instant now) const;
  void Write(Stack& stack, SocketId socket, Instant now);
  // Returns when to read again.
  Instant Read(Stack& stack, SocketId socket, Instant now);

  TalkPlan plan_;
  Fin fin_ = Fin::kNone;
  bool intact_ = true;
  std::optional<Instant> started_at_;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  Instant next_read_;
  Instant last_received_at_;
  tcp::TcpInfo last_info_;  // as of just before Close
  std::vector<uint8_t> buffer_;
};

// Sends back what comes, with the same views, and closes after the peer.
class Echo final : public App {
 public:
  Instant Step(Stack& stack, SocketId socket, Instant now) override;

 private:
  ViewChain pending_;
};

// One side of a conversation in turns: `rounds` requests of a size, each
// answered by a response of another. The asker closes.
struct TurnPlan {
  uint64_t rounds = 1;
  size_t request_bytes = 1;
  size_t response_bytes = 1;
};

class Asker final : public App {
 public:
  explicit Asker(const TurnPlan& plan);

  Instant Step(Stack& stack, SocketId socket, Instant now) override;

  // Time from each request to the end of its response.
  const std::vector<Duration>& latencies() const { return latencies_; }

 private:
  TurnPlan plan_;
  std::vector<uint8_t> request_;
  size_t written_ = 0;
  size_t read_ = 0;
  Instant asked_at_;
  std::vector<Duration> latencies_;
};

class Answerer final : public App {
 public:
  explicit Answerer(const TurnPlan& plan);

  Instant Step(Stack& stack, SocketId socket, Instant now) override;

 private:
  TurnPlan plan_;
  std::vector<uint8_t> response_;
  size_t read_ = 0;  // of the present request
  size_t owed_ = 0;  // bytes of responses not yet written
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_APP_H_
