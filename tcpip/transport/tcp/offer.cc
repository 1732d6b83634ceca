#include "tcpip/transport/tcp/offer.h"

#include <algorithm>

#include "tcpip/transport/tcp/replies.h"

namespace tcpip::tcp {
namespace {

// The smallest shift that lets 16 bits describe the largest buffer.
WindowScale ScaleFor(uint32_t buffer_bytes) {
  uint8_t shift = 0;
  while (shift < WindowScale::kMax && buffer_bytes >> shift > 0xffff) ++shift;
  return WindowScale(shift);
}

// What the options of every segment take: TS with two NOPs. [RFC 7323 A]
uint32_t OptionsSize(const Negotiated& negotiated) {
  return negotiated.timestamps ? 12 : 0;
}

// [RFC 3168 6.1.1] other flags than these are an old or a broken peer's
EcnSyn EcnOf(TcpFlags flags) {
  if (!flags.ece()) return EcnSyn::kNothing;
  if (!flags.ack() && flags.cwr()) return EcnSyn::kAsks;
  if (flags.ack() && !flags.cwr()) return EcnSyn::kAgrees;
  return EcnSyn::kNothing;
}

bool AgreeOnEcn(const TcpConfig& config, const PeerSyn& theirs) {
  switch (theirs.ecn) {
    case EcnSyn::kNothing:
      return false;
    case EcnSyn::kAsks:
      return config.ecn != EcnMode::kOff;
    case EcnSyn::kAgrees:
      return config.ecn == EcnMode::kActive;  // else nobody has asked
  }
  return false;
}

// TSecr of a segment that answers `theirs`.
uint32_t EchoOf(const PeerSyn& theirs) {
  return theirs.options.timestamps ? theirs.options.timestamps->tsval : 0;
}

}  // namespace

Offer MakeOffer(const SocketSettings& settings, const PathFacts& path,
                const InitialNumbers& numbers) {
  const uint32_t buffer = std::min(settings.receive_buffer_bytes, kMaxWindow);
  return {.numbers = numbers,
          .path = path,
          .window = static_cast<uint16_t>(std::min<uint32_t>(buffer, 0xffff)),
          .scale = ScaleFor(buffer)};
}

PeerSyn PeerSynOf(const Segment& seg) {
  return {.irs = seg.seq,
          .wnd = seg.wnd,
          .options = seg.options,
          .ecn = EcnOf(seg.flags)};
}

Negotiated Agree(const TcpConfig& config, const Offer& ours,
                 const PeerSyn& theirs) {
  const TcpOptions& options = theirs.options;
  Negotiated n;
  n.sack = config.sack && options.sack_permitted;
  n.timestamps = config.timestamps && options.timestamps.has_value();
  // [RFC 7323 2.2] scaling only when both SYNs carry the option
  if (config.window_scaling && options.window_scale) {
    n.snd_scale = WindowScale(*options.window_scale);
    n.rcv_scale = ours.scale;
  }
  // [RFC 9293 3.7.1 MUST-15] a SYN without the option means the default
  const uint16_t peer_mss =
      std::max(options.mss.value_or(ours.path.default_mss), kMinMss);
  const uint16_t mss = std::min(std::max(ours.path.mss, kMinMss), peer_mss);
  // [RFC 9293 3.7.1 MUST-16] options of every segment come out of the MSS
  n.smss_limit = mss - OptionsSize(n);
  n.smss = SmssFor(ours.path.path_mss, n);
  n.rmss = ours.path.mss;
  n.ecn = AgreeOnEcn(config, theirs);
  return n;
}

uint32_t SmssFor(uint16_t path_mss, const Negotiated& negotiated) {
  return std::min(std::max(path_mss, kMinMss) - OptionsSize(negotiated),
                  negotiated.smss_limit);
}

OutSegment MakeSyn(const TcpConfig& config, const Offer& ours, Instant now) {
  OutSegment syn;
  syn.seq = ours.numbers.iss;
  syn.flags = TcpFlags::kSyn;
  if (config.ecn == EcnMode::kActive) {
    syn.flags = syn.flags.With(TcpFlags::kEce | TcpFlags::kCwr);
  }
  syn.wnd = WireWindow(ours.window);
  // [RFC 9293 3.7.1 SHLD-5] always say what we take
  syn.options.mss = ours.path.mss;
  if (config.window_scaling) syn.options.window_scale = ours.scale.shift();
  syn.options.sack_permitted = config.sack;
  if (config.timestamps) {
    syn.options.timestamps = {TsvalAt(now, ours.numbers.tsval_offset), 0};
  }
  return syn;
}

OutSegment MakeSynAck(const TcpConfig& config, const Offer& ours,
                      const PeerSyn& theirs, Instant now) {
  OutSegment syn_ack = MakeSyn(config, ours, now);
  syn_ack.flags = TcpFlags::kSyn | TcpFlags::kAck;
  if (AgreeOnEcn(config, theirs)) {
    syn_ack.flags = syn_ack.flags.With(TcpFlags::kEce);
  }
  syn_ack.ack = theirs.irs + 1;
  TcpOptions& options = syn_ack.options;
  if (!theirs.options.window_scale) options.window_scale.reset();
  options.sack_permitted &= theirs.options.sack_permitted;
  if (!theirs.options.timestamps) options.timestamps.reset();
  if (options.timestamps) options.timestamps->tsecr = EchoOf(theirs);
  return syn_ack;
}

OutSegment MakeHandshakeAck(const TcpConfig& config, const Offer& ours,
                            const PeerSyn& theirs, Instant now) {
  const Negotiated agreed = Agree(config, ours, theirs);
  AckNumbers numbers{
      .snd_nxt = ours.numbers.iss + 1,
      .rcv_nxt = theirs.irs + 1,
      .wnd = WireWindow::RoundedDown(WindowSize(ours.window), agreed.rcv_scale),
      .timestamps = {}};
  if (agreed.timestamps) {
    numbers.timestamps = {TsvalAt(now, ours.numbers.tsval_offset),
                          EchoOf(theirs)};
  }
  return MakeAck(numbers);
}

}  // namespace tcpip::tcp
