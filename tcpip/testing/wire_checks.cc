#include "tcpip/testing/wire_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::sim {
namespace {

constexpr uint8_t kMaxScale = 14;
constexpr uint32_t kMaxFlight = uint32_t{1} << 30;  // [RFC 7323 2.3]

bool IsAfter(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

FourTuple Reverse(const FourTuple& flow) { return {flow.remote, flow.local}; }

}  // namespace

std::string WireChecks::OnSent(ByteSpan packet) {
  if (const auto fragment = ReadFragment(packet)) {
    const size_t size = fragment->data.size();
    if (fragment->protocol == wire::kTcp) return "a fragment of a segment";
    if (fragment->more && size % 8 != 0) return "a fragment of an odd size";
    return packet.size() > mtu_ ? "a fragment larger than the MTU" : "";
  }
  const std::optional<ReadPacket> read = Read(packet);
  if (!read) return "a packet that does not parse";
  const char* wrong = nullptr;
  if (packet.size() > mtu_) {
    wrong = "larger than the MTU";
  } else if (!read->checksum_valid) {
    wrong = "bad checksum";
  } else if (read->tcp) {
    wrong = CheckTcp(read->flow(), *read->tcp);
  }
  if (wrong == nullptr) return "";
  return absl::StrCat(wrong, ": ", read->ToString());
}

const char* WireChecks::CheckTcp(const FourTuple& flow, const ReadTcp& tcp) {
  const wire::TcpFlags flags = tcp.header.flags;
  if (flags.rst()) return nullptr;
  if (!flags.syn() && !flags.ack()) {
    return "neither ACK, SYN nor RST";  // [RFC 9293 3.10.7.4]
  }
  Direction& own = directions_[flow];
  Direction& other = directions_[Reverse(flow)];
  if (flags.syn()) {
    // A new connection may reuse the ports.
    if (!flags.ack()) other = Direction();
    own = Direction{.sent = tcp.header.seq,
                    .window_scale = tcp.options.window_scale,
                    .advertised = std::nullopt,
                    .usable = std::nullopt};
  }
  // Somebody else's connection, or a forged packet: nothing is known.
  if (!own.sent) return nullptr;
  const uint32_t sent = tcp.header.seq + tcp.len();
  if (IsAfter(sent, *own.sent)) own.sent = sent;
  if (!flags.ack()) return nullptr;
  if (const char* wrong = CheckAdvertised(own, other, tcp)) return wrong;
  if (tcp.payload.size() <= 1 || flags.syn() || !own.usable) return nullptr;
  const uint32_t end =
      tcp.header.seq + static_cast<uint32_t>(tcp.payload.size());
  return IsAfter(end, *own.usable) ? "data beyond the peer's window" : nullptr;
}

const char* WireChecks::CheckAdvertised(Direction& own, const Direction& other,
                                        const ReadTcp& tcp) {
  const uint32_t edge = RightEdge(own, other, tcp);
  if (own.advertised && IsAfter(*own.advertised, edge)) {
    return "the window's right edge moved left";  // [RFC 9293 3.8.6 SHLD-14]
  }
  own.advertised = edge;
  return nullptr;
}

uint32_t WireChecks::RightEdge(const Direction& from, const Direction& other,
                               const ReadTcp& tcp) {
  uint32_t window = tcp.header.window;
  // [RFC 7323 2.2] scaled when both have offered it, and never on a SYN
  if (!tcp.header.flags.syn() && from.window_scale && other.window_scale) {
    window <<= std::min(*from.window_scale, kMaxScale);
  }
  return tcp.header.ack + window;
}

void WireChecks::OnDelivered(ByteSpan packet) {
  const std::optional<ReadPacket> read = Read(packet);
  // What a path has corrupted is no news to anyone.
  if (!read || !read->tcp || !read->checksum_valid) return;
  const wire::TcpFlags flags = read->tcp->header.flags;
  if (flags.rst() || !flags.ack()) return;
  const Direction& from = directions_[read->flow()];
  Direction& to = directions_[Reverse(read->flow())];
  // An ACK of what was never sent, or too long ago, is no news to anyone.
  if (!to.sent || *to.sent - read->tcp->header.ack > kMaxFlight) return;
  const uint32_t edge = RightEdge(from, to, *read->tcp);
  if (!to.usable || IsAfter(edge, *to.usable)) to.usable = edge;
}

}  // namespace tcpip::sim
