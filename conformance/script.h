// A packet script as values: what the parser makes of the text and the runner
// walks through. Numbers are the script's own (sequence numbers relative to its
// ISN after the SYN, descriptors as labels); nothing here knows a stack.
//
// The language is packetdrill's; docs/conformance.md describes it.
#ifndef CONFORMANCE_SCRIPT_H_
#define CONFORMANCE_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/wire/tcp.h"

namespace conformance {

// --- When.

struct When {
  enum class Kind : uint8_t {
    kAbsolute,       // 1.5
    kRelative,       // +.1
    kAny,            // *
    kAbsoluteRange,  // 1~2
    kRelativeRange,  // +1~+2
  };
  Kind kind = Kind::kAbsolute;
  tcpip::Duration from;   // the time, or the range's start
  tcpip::Duration until;  // the range's end; else as `from`
  // "...N" after the time: the call returns then, relative if the event is.
  std::optional<tcpip::Duration> returns;

  friend bool operator==(const When&, const When&) = default;
};

// --- Packets. What is unset is not compared in an outbound packet.

enum class Direction : uint8_t { kInbound, kOutbound };

struct IpSpec {
  enum class Ecn : uint8_t { kNone, kEct1, kEct0, kCe, kEither };  // ect01
  std::optional<Ecn> ecn = {};
  std::optional<uint8_t> tos = {};
  std::optional<uint8_t> ttl = {};
  std::optional<uint32_t> flow_label = {};
  friend bool operator==(const IpSpec&, const IpSpec&) = default;
};

struct PortsSpec {
  uint16_t source = 0;
  uint16_t destination = 0;
  friend bool operator==(const PortsSpec&, const PortsSpec&) = default;
};

namespace option {
struct Mss {
  uint16_t bytes = 0;
  friend bool operator==(const Mss&, const Mss&) = default;
};
struct WindowScale {
  uint8_t shift = 0;
  friend bool operator==(const WindowScale&, const WindowScale&) = default;
};
struct SackPermitted {
  friend bool operator==(const SackPermitted&, const SackPermitted&) = default;
};
struct Sack {
  std::vector<std::pair<uint32_t, uint32_t>> blocks;  // left, right
  friend bool operator==(const Sack&, const Sack&) = default;
};
struct Timestamps {
  uint32_t val = 0;
  uint32_t ecr = 0;
  friend bool operator==(const Timestamps&, const Timestamps&) = default;
};
struct Nop {
  friend bool operator==(const Nop&, const Nop&) = default;
};
struct Eol {
  friend bool operator==(const Eol&, const Eol&) = default;
};
struct FastOpen {
  bool experimental = false;  // FOEXP: kind 254 with Linux's magic
  std::vector<uint8_t> cookie;
  friend bool operator==(const FastOpen&, const FastOpen&) = default;
};
struct Md5 {
  std::vector<uint8_t> digest;
  friend bool operator==(const Md5&, const Md5&) = default;
};
struct AccEcn {
  // In the order of the option's kind: 0 is "e0b ceb e1b", 1 the reverse.
  uint8_t order = 0;
  std::vector<uint32_t> counters;  // up to three, 24 bits each
  friend bool operator==(const AccEcn&, const AccEcn&) = default;
};
// Seen, never written: a kind that scripts have no word for.
struct Other {
  std::vector<uint8_t> bytes;  // kind, length and data
  friend bool operator==(const Other&, const Other&) = default;
};
}  // namespace option

using OptionSpec =
    std::variant<option::Mss, option::WindowScale, option::SackPermitted,
                 option::Sack, option::Timestamps, option::Nop, option::Eol,
                 option::FastOpen, option::Md5, option::AccEcn, option::Other>;

struct TcpSpec {
  std::optional<PortsSpec> ports;
  tcpip::wire::TcpFlags flags;
  // The bits AE, CWR, ECE as a number: a digit, or letters with an A among
  // them. Then `flags` has neither E nor W.
  std::optional<uint8_t> ace;
  uint32_t start = 0;
  uint32_t end = 0;  // start + length
  uint16_t length = 0;
  std::optional<uint32_t> ack;
  std::optional<uint16_t> window;  // the raw field
  std::optional<uint16_t> urgent;
  // As listed, with padding; unset for "<...>". No list: no option at all.
  std::optional<std::vector<OptionSpec>> options =
      std::optional<std::vector<OptionSpec>>(std::in_place);
  friend bool operator==(const TcpSpec&, const TcpSpec&) = default;
};

struct UdpSpec {
  std::optional<PortsSpec> ports;
  uint16_t length = 0;
  friend bool operator==(const UdpSpec&, const UdpSpec&) = default;
};

// What an ICMP message quotes: a TCP sequence range, or a length.
struct EchoedTcp {
  uint32_t start = 0;
  uint32_t end = 0;
  uint16_t length = 0;
  friend bool operator==(const EchoedTcp&, const EchoedTcp&) = default;
};
struct EchoedUdp {
  uint16_t length = 0;
  friend bool operator==(const EchoedUdp&, const EchoedUdp&) = default;
};
struct EchoedRaw {
  uint16_t length = 0;
  friend bool operator==(const EchoedRaw&, const EchoedRaw&) = default;
};

using Echoed = std::variant<std::monostate, EchoedTcp, EchoedUdp, EchoedRaw>;

struct IcmpSpec {
  std::string type;  // a name, or a number in digits
  std::string code;  // "" for none given, which is 0
  std::optional<uint32_t> mtu;
  std::optional<uint16_t> id;
  Echoed echoed;
  friend bool operator==(const IcmpSpec&, const IcmpSpec&) = default;
};

struct PacketSpec {
  Direction direction = Direction::kInbound;
  // Tunnel headers before the packet, as written: "ipv4 1.1.1.1 > 2.2.2.2".
  // No runner of ours carries them; such a script is skipped.
  std::vector<std::string> encapsulation;
  IpSpec ip;
  std::variant<TcpSpec, UdpSpec, IcmpSpec> transport;
  friend bool operator==(const PacketSpec&, const PacketSpec&) = default;
};

// --- Expressions: arguments and results of calls.

struct Expr {
  enum class Kind : uint8_t {
    kEllipsis,  // ...           "fill in for me", "any"
    kInteger,   // 5, 0x1f, -1
    kWord,      // AF_INET       a constant, looked up when it is used
    kString,    // "text"
    kOr,        // a | b         items
    kArray,     // [a, b]        items; a pointer to one is an array of one
    kStruct,    // {a = 1, ...}  fields; names are empty where none is given;
                // the (1) of "msg_iov(1) = [...]" is checked and not kept
    kApply,     // htons(8080)   text is the function, items its arguments
  };
  Kind kind = Kind::kEllipsis;
  int64_t integer = 0;
  std::string text;  // word, string without quotes (escapes undone), function
  std::vector<Expr> items;
  std::vector<std::pair<std::string, Expr>> fields;

  friend bool operator==(const Expr&, const Expr&) = default;
};

// name(args) = result [ERRNO (text)] [(note)]; the error only behind a negative
// number
struct CallSpec {
  std::string name;
  std::vector<Expr> args;
  Expr result;
  std::string error;  // "EAGAIN", or ""
  std::string note;   // the last text in parentheses, without them
  friend bool operator==(const CallSpec&, const CallSpec&) = default;
};

// `text`, never given to a shell.
struct CommandSpec {
  std::string text;
  friend bool operator==(const CommandSpec&, const CommandSpec&) = default;
};

// %{ text }%
struct CodeSpec {
  std::string text;
  friend bool operator==(const CodeSpec&, const CodeSpec&) = default;
};

// --- The whole.

struct Event {
  int line = 0;  // where it begins, from 1
  When when;
  std::variant<PacketSpec, CallSpec, CommandSpec, CodeSpec> action;
};

struct ScriptOption {
  int line = 0;
  std::string name;  // without dashes
  std::string value;
};

struct Script {
  std::string path;  // for messages
  std::vector<ScriptOption> options;
  std::string init_command;     // "" for none
  std::string cleanup_command;  // "" for none
  std::vector<Event> events;
};

}  // namespace conformance

#endif  // CONFORMANCE_SCRIPT_H_
