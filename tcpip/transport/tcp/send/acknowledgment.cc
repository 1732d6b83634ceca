#include "tcpip/transport/tcp/send/acknowledgment.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {
namespace {

// Timestamps count milliseconds: a shorter time reads as one.
constexpr Duration kEchoTick = Duration::Milliseconds(1);

SeqRange RangeOf(const wire::SackBlock& block) {
  return {SeqNum(block.left), SeqNum(block.right)};
}

}  // namespace

bool HasDsack(const AckInput& in) {
  if (in.sack.empty()) return false;
  const SeqRange first = RangeOf(in.sack[0]);
  if (first.empty()) return false;
  if (first.end <= in.ack) return true;
  if (in.sack.size() < 2) return false;
  const SeqRange second = RangeOf(in.sack[1]);
  return second.begin <= first.begin && first.end <= second.end;
}

void ApplySackBlocks(const AckInput& in, SentLog& log, Delivery& delivery) {
  const SeqRange in_flight{log.snd_una(), log.snd_max()};
  for (const wire::SackBlock& block : in.sack) {
    const SeqRange range = RangeOf(block);
    if (range.empty() || !in_flight.Contains(range.begin) ||
        range.end > in_flight.end) {
      continue;
    }
    log.ApplySack(range, in.ingress, delivery);
  }
}

bool IsDuplicateAck(const AckInput& in, const Delivery& delivery, bool sack,
                    WindowSize snd_wnd, uint32_t flight_size) {
  if (delivery.sacked_bytes > 0) return true;
  if (sack && !in.sack.empty()) return false;  // repeats itself: no news
  // [fault W04] at a shut window it answers a probe
  if (snd_wnd == WindowSize()) return false;
  // [RFC 5681 2] [fault S17] (a) to (e)
  return flight_size > 0 && in.seg_len == 0 && delivery.acked_bytes == 0 &&
         in.wnd == snd_wnd;
}

std::optional<RttSample> RttSampleOf(const AckInput& in,
                                     const Delivery& delivery,
                                     const SentLog& log, bool sack) {
  // A duplicate triggered this ACK: it says nothing about when the data it
  // covers arrived, and its echo is that of an older segment. Timing it would
  // turn every lost ACK into a longer RTO.
  if (sack && HasDsack(in)) return std::nullopt;
  // Data sent before an expiry is not timed [req E-11]; nor is data that a hole
  // held back, which only SACK tells from data that just arrived [req A-29].
  Instant reliable = log.last_expiry();
  if (!sack || delivery.covers_retransmission) {
    reliable = std::max(reliable, log.last_retransmission());
  }
  // [req E-01] [fault S04] from the departure to the arrival of the ACK
  if (delivery.newest_sent && *delivery.newest_sent >= reliable) {
    return RttSample{in.ingress - *delivery.newest_sent, true};
  }
  // [RFC 7323 4.1] only an ACK that moves SND.UNA may time by its echo
  if (delivery.acked_bytes > 0 && in.echo_age) {
    return RttSample{std::max(*in.echo_age, kEchoTick), false};
  }
  return std::nullopt;
}

}  // namespace tcpip::tcp
