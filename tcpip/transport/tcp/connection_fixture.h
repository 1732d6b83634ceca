// Test kit of this folder: a Connection in any state, reached through public
// calls only, and a scripted peer that says exactly what a test tells it.
//
// Take() runs CheckInvariants(): an event is over when it has been polled.
// Time is virtual.
#ifndef TCPIP_TRANSPORT_TCP_CONNECTION_FIXTURE_H_
#define TCPIP_TRANSPORT_TCP_CONNECTION_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/state.h"

namespace tcpip::tcp {

inline constexpr int kAck = TcpFlags::kAck;
inline constexpr int kFin = TcpFlags::kFin;
inline constexpr int kRst = TcpFlags::kRst;
inline constexpr int kSyn = TcpFlags::kSyn;

// An instant of virtual time.
constexpr Instant At(int64_t ms) {
  return Instant() + Duration::Milliseconds(ms);
}

struct FixtureOptions {
  FixtureOptions();

  TcpConfig config;
  SocketSettings settings;
  PathFacts path;
  SeqNum iss{1'000};
  SeqNum irs{50'000};
  // What the peer's SYN says: MSS 1000, scale 7, SACK; no timestamps.
  TcpOptions peer_options;
  uint16_t peer_wnd = 1'000;
};

class ConnectionFixture {
 public:
  // In SYN-SENT, with its SYN sent.
  explicit ConnectionFixture(const FixtureOptions& options = {});
  ~ConnectionFixture();

  // One in the given state; LISTEN is not a connection's. Nothing is left to
  // poll.
  static std::unique_ptr<ConnectionFixture> In(
      TcpState state, const FixtureOptions& options = {});

  Connection& connection() { return *connection_; }
  const FixtureOptions& options() const { return options_; }
  SlabPool& pool() { return pool_; }
  Instant now() const { return now_; }

  // A segment of the peer with its usual window and its next sequence number
  // and our next as acknowledgment; tests change what they mean to.
  Segment FromPeer(TcpFlags flags, std::string_view payload = {});
  // Hands it over; what the peer has sent and we have sent is kept up to date
  // by tests that use peer_nxt and our_nxt.
  void Deliver(Segment seg);
  // Deliver and advance peer_nxt over what it carries.
  void Say(TcpFlags flags, std::string_view payload = {});

  // Polls until nothing is left.
  std::vector<OutSegment> Take();
  // Moves time forward, running timers when they are due.
  void Advance(Duration d);

  size_t Write(std::string_view text);
  std::string Read();

  SeqNum peer_nxt;
  SeqNum our_nxt;  // one past the highest sequence number taken

 private:
  FixtureOptions options_;
  SlabPool pool_;
  Instant now_ = Instant::FromNanoseconds(0) + Duration::Seconds(100);
  std::unique_ptr<Connection> connection_;
};

// "S. 1000:1001 ack 50001 win 65535", sizes in place of payload.
std::string ToString(const OutSegment& seg);
std::string PayloadOf(const ViewChain& chain);
inline ByteSpan BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONNECTION_FIXTURE_H_
