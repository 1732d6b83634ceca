// The closed set of commands other threads may post to a shard, and the
// replies they get. Values only: ids, addresses, bytes; no pointer into a
// shard ever leaves it.
//
// A command names the ReplySink that takes its reply and an opaque cookie by
// which the poster recognises it (ReplyTo). Every command gets exactly one
// reply; those still pending when they are cancelled, their socket is closed or
// the shard stops get CANCELLED. Pending means:
//   TcpDial    until the handshake is decided, or the timeout
//   TcpAccept  until a connection waits; several may, first come first served
//   TcpSend    until every byte is in the send queue
//   TcpRecv    until there is a byte, an EOF or an error
//   UdpRecv    until a datagram waits
//   Ping       until the reply or the timeout
// At most one Send and one Recv may be pending per socket, and CloseWrite must
// wait for the Send; otherwise FAILED_PRECONDITION. A reply nobody takes is
// dropped; a socket it would have named is aborted.
#ifndef TCPIP_SHARD_COMMAND_H_
#define TCPIP_SHARD_COMMAND_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/link/link.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stats.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// Bytes crossing a thread border: owned, movable, from any allocator. The
// shard copies them into slabs once, or out of slabs once.
class OwnedBytes {
 public:
  OwnedBytes() = default;
  // `release` runs on whichever thread drops the bytes.
  OwnedBytes(const uint8_t* data, size_t size,
             std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}
  // A fresh block of `size` bytes to be filled through mutable_data().
  static OwnedBytes Allocate(size_t size) {
    OwnedBytes b;
    std::shared_ptr<uint8_t[]> block(new uint8_t[size]);
    b.data_ = block.get();
    b.size_ = size;
    b.owner_ = std::move(block);
    return b;
  }
  static OwnedBytes CopyOf(ByteSpan bytes) {
    OwnedBytes b = Allocate(bytes.size());
    std::copy(bytes.begin(), bytes.end(), b.mutable_data());
    return b;
  }
  uint8_t* mutable_data() { return const_cast<uint8_t*>(data_); }
  ByteSpan span() const { return {data_, size_}; }
  size_t size() const { return size_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

class ReplySink;

namespace command {

struct TcpDial {
  TcpConnectOptions options;
  Duration timeout = Duration::Zero();  // zero: the SYN retries decide
};
struct TcpListen {
  TcpListenOptions options;
};
struct TcpAccept {
  SocketId listener;
};
struct TcpSend {
  SocketId socket;
  OwnedBytes data;
};
struct TcpRecv {
  SocketId socket;
  uint32_t max_bytes = 256 * 1024;
};
struct TcpCloseWrite {
  SocketId socket;
};
struct Close {  // orderly; any kind of socket
  SocketId socket;
};
struct Abort {  // RST; any kind of socket
  SocketId socket;
};
struct SetSettings {
  SocketId socket;
  tcp::SocketSettings settings;
};
struct GetInfo {
  SocketId socket;
};
struct ListSockets {
  uint32_t cursor = 0;
  uint32_t max = 1000;
  bool with_info = false;
};
struct GetStats {};
struct UdpOpen {
  UdpOpenOptions options;
};
struct UdpSend {
  SocketId socket;
  std::optional<IpEndpoint> to;
  OwnedBytes payload;
  UdpControl control = {};
};
struct UdpRecv {
  SocketId socket;
  UdpReceiveOptions options = {};
};
struct UdpConnect {
  SocketId socket;
  std::optional<IpEndpoint> remote;  // none: unconnected again
};
struct UdpSetSettings {
  SocketId socket;
  UdpSettings settings;
};
struct UdpGetPathMtu {
  SocketId socket;
  std::optional<IpEndpoint> to;  // none: where the socket is connected
};
struct Ping {
  IpAddress remote;
  uint16_t seq = 0;
  uint32_t payload_bytes = 56;
  Duration timeout = Duration::Seconds(1);
};
struct AddAddress {
  std::string interface;
  Cidr address;
};
struct RemoveAddress {
  std::string interface;
  IpAddress address;
};
struct AddRoute {
  Cidr destination;
  std::string interface;
};
struct RemoveRoute {
  Cidr destination;
};
struct GetNetwork {};
struct SetOffloads {  // of every shard's link; see Link
  LinkOffloads rx;
  LinkOffloads tx;
};
// Ends a TcpDial or Ping that still waits; its socket is gone with it.
// NOT_FOUND when it does not: its reply is on the way, or was taken.
struct Cancel {
  uint64_t cookie = 0;  // of the command
  // Where the command was to be answered; null: where this one is.
  const ReplySink* sink = nullptr;
};

using Body =
    std::variant<TcpDial, TcpListen, TcpAccept, TcpSend, TcpRecv, TcpCloseWrite,
                 Close, Abort, SetSettings, GetInfo, ListSockets, GetStats,
                 UdpOpen, UdpSend, UdpRecv, UdpConnect, UdpSetSettings,
                 UdpGetPathMtu, Ping, AddAddress, RemoveAddress, AddRoute,
                 RemoveRoute, GetNetwork, SetOffloads, Cancel>;

}  // namespace command

namespace reply {

struct Done {};  // the command succeeded and has nothing to add; see status
struct Opened {  // TcpDial, TcpListen, TcpAccept, UdpOpen
  SocketId socket;
  FourTuple tuple;
};
struct Received {    // TcpRecv
  OwnedBytes data;   // may be empty with eof
  bool eof = false;  // the peer's FIN came after these bytes
};
struct Info {
  FourTuple tuple;
  tcp::TcpInfo info;
};
struct Sockets {
  struct Entry {
    SocketSummary summary;
    std::optional<tcp::TcpInfo> info;
  };
  std::vector<Entry> entries;
  uint32_t next_cursor = 0;  // 0 = complete
};
struct Stats {
  StackStats stack;
  LinkCounters link;
  Duration uptime;
  uint64_t turns = 0;  // of the shard's loop: what woke it, and went on
};
struct DatagramReceived {
  IpEndpoint source;
  IpEndpoint destination;
  OwnedBytes payload;
  uint8_t ttl = 0;
  uint8_t tos = 0;
  InterfaceId interface = 0;  // that it came in by
  size_t size = 0;            // more than the payload's after a short read
};
struct PathMtu {  // UdpGetPathMtu
  uint32_t bytes = 0;
};
struct PingReply {
  EchoReply reply;
};
struct Network {
  std::vector<InterfaceInfo> interfaces;
  std::vector<Route> routes;
  // Of the link beside the loopback; of a group, what all its links have on.
  SwitchedOffloads offloads;
};

using Body = std::variant<Done, Opened, Received, Info, Sockets, Stats,
                          DatagramReceived, PathMtu, PingReply, Network>;

}  // namespace reply

// What the codes of a failure mean stands in errors.h.
struct Reply {
  uint64_t cookie = 0;
  absl::Status status;
  reply::Body body;  // meaningful only when status is OK
};

class ReplySink {
 public:
  virtual ~ReplySink() = default;
  // False when nobody will see the reply; it is untouched then. On the thread
  // of a shard, which must not wait.
  virtual bool Push(Reply&& reply) = 0;
};

// Whom to answer, and what he knows the command by.
class ReplyTo {
 public:
  ReplyTo() = default;  // nobody takes the reply
  ReplyTo(std::shared_ptr<ReplySink> sink, uint64_t cookie)
      : sink_(std::move(sink)), cookie_(cookie) {}

  // False when nobody will see the answer.
  bool Answer(absl::StatusOr<reply::Body> answer) const;
  // The same for an answer to another command, which is untouched then but for
  // its cookie.
  bool Pass(Reply&& reply) const;

  const std::shared_ptr<ReplySink>& sink() const { return sink_; }
  uint64_t cookie() const { return cookie_; }

 private:
  std::shared_ptr<ReplySink> sink_;
  uint64_t cookie_ = 0;
};

struct Command {
  ReplyTo reply_to;
  command::Body body;
};

// What executes commands: a shard, or a group of shards that looks like one.
class CommandTarget {
 public:
  virtual ~CommandTarget() = default;
  // From any thread. RESOURCE_EXHAUSTED when too many wait, UNAVAILABLE after
  // the end; the command is untouched then and no reply comes. Close, Abort
  // and Cancel are taken also when too many wait.
  virtual absl::Status Post(Command&& command) = 0;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_COMMAND_H_
