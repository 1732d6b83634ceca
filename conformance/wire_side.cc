#include "conformance/wire_side.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/icmp_reader.h"
#include "conformance/packet_text.h"

namespace conformance {
namespace {

using tcpip::Duration;

// A packet that may come whenever it likes has to come within this.
constexpr Duration kAnyTime = Duration::Seconds(3600);

// The packet as FromWire names things.
PacketSpec InSeenNames(PacketSpec packet, const SeenPacket& seen) {
  if (auto* icmp = std::get_if<IcmpSpec>(&packet.transport)) {
    *icmp = WithUsualNames(seen.flow.local.address.family(), std::move(*icmp));
  }
  return packet;
}

uint16_t LengthOf(const PacketSpec& packet) {
  const auto* tcp = std::get_if<TcpSpec>(&packet.transport);
  return tcp == nullptr ? 0 : tcp->length;
}

std::string WindowText(const Window& window) {
  if (window.any) return "any time";
  if (window.from == window.until) return ClockText(window.from);
  return absl::StrCat(ClockText(window.from), "~", ClockText(window.until));
}

}  // namespace

Ended WireSide::Inject(const PacketSpec& packet) {
  const FlowMap& flow = flows_.OnInbound(packet);
  const auto bytes = ToWire(packet, flow);
  if (!bytes.ok()) return SkipOrFail(SkipReason::kTunnel, bytes.status());
  journal_.Add(host_.now(), ToText(packet));
  host_.Inject(*bytes);
  return std::nullopt;
}

std::optional<SentPacket> WireSide::Next(Duration until) {
  if (!put_back_.empty()) {
    SentPacket packet = std::move(put_back_.front());
    put_back_.pop_front();
    return packet;
  }
  return host_.NextPacket(until);
}

void WireSide::JoinMore(const PacketSpec& expected, Duration until,
                        SeenPacket& seen) {
  const uint16_t piece = LengthOf(seen.packet);
  while (!rules_.strict_segments && seen.faults.empty() && piece > 0 &&
         LengthOf(seen.packet) < LengthOf(expected)) {
    std::optional<SentPacket> sent = Next(until);
    if (!sent) return;
    const SeenPacket next = FromWire(sent->bytes, flows_.current());
    if (!next.faults.empty() || next.flow != seen.flow ||
        !Join(seen.packet, next.packet, piece)) {
      put_back_.push_front(*std::move(sent));
      return;
    }
  }
}

Ended WireSide::Judge(const PacketSpec& expected, const Window& window,
                      Duration at, const SeenPacket& seen) {
  std::vector<std::string> wrong = seen.faults;
  if (const std::string difference =
          Difference(InSeenNames(expected, seen), seen.packet, rules_.compare);
      !difference.empty()) {
    wrong.push_back(difference);
  }
  if (expected.transport.index() == seen.packet.transport.index() &&
      !seen.flow.local.address.IsUnspecified() &&
      !flows_.IsCurrent(seen.flow)) {
    wrong.push_back(absl::StrCat("it is of another flow, ",
                                 seen.flow.ToString(),
                                 ", than the one under test"));
  }
  if (!window.any &&
      (at < window.from - window.slack || at > window.until + window.slack)) {
    wrong.push_back(absl::StrCat("it was sent at ", ClockText(at),
                                 " instead of ", WindowText(window)));
  }
  const PacketSpec shown = Mentioned(expected, seen.packet);
  if (wrong.empty()) {
    journal_.Add(at, ToText(shown));
    return std::nullopt;
  }
  return Fail(
      absl::StrCat("wrong packet: ", absl::StrJoin(wrong, "; ")),
      {absl::StrCat("expected ", WindowText(window), " ", ToText(expected)),
       absl::StrCat("seen     ", ClockText(at), " ", ToText(shown))});
}

Ended WireSide::Expect(const PacketSpec& expected, const Window& window) {
  const Duration last =
      window.any ? host_.now() + kAnyTime : window.until + window.slack;
  const std::optional<SentPacket> sent = Next(last);
  if (!sent) {
    return Fail(
        absl::StrCat("no packet was sent by ", ClockText(last)),
        {absl::StrCat("expected ", WindowText(window), " ", ToText(expected))});
  }
  const FlowMap& flow = flows_.OnOutbound(expected, sent->bytes);
  SeenPacket seen = FromWire(sent->bytes, flow);
  JoinMore(expected, last, seen);
  return Judge(expected, window, sent->at, seen);
}

Ended WireSide::CheckLeftovers() {
  const std::optional<SentPacket> sent = Next(host_.now());
  if (!sent) return std::nullopt;
  const SeenPacket seen = FromWire(sent->bytes, flows_.current());
  return Fail("a packet that nothing in the script expects",
              {absl::StrCat("seen     ", ClockText(sent->at), " ",
                            ToText(seen.packet))});
}

}  // namespace conformance
