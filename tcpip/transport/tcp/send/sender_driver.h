// A Sender with a scripted peer and a virtual clock, for tests: what leaves is
// text, offsets count from the first data byte.
//
//   SenderDriver d({.smss = 1000});
//   d.Write(2500);
//   EXPECT_EQ(d.Drain(), "0..1000 1000..2000 2000..2500P");
//   EXPECT_EQ(d.Ack(1000), "");
//
// Every payload byte is compared with what was written, and the invariants are
// checked after every step. It knows no wire format and no receiver.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SENDER_DRIVER_H_
#define TCPIP_TRANSPORT_TCP_SEND_SENDER_DRIVER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/send/sender.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {

class SenderDriver {
 public:
  struct Options {
    uint32_t smss = 1000;
    uint32_t iss = 0;
    uint32_t wnd = 1'000'000;
    uint32_t send_buffer_bytes = 10'000'000;
    uint32_t max_gso_bytes = 0;
    bool sack = true;
    bool ecn = false;
    bool no_delay = false;
    std::optional<Duration> handshake_rtt = Duration::Milliseconds(100);
    bool syn_retransmitted = false;
    TcpConfig config{};
  };
  // The peer's word, besides the ACK itself. Ranges are offsets.
  struct Peer {
    std::optional<uint32_t> wnd{};  // as before, if none
    std::vector<std::pair<uint32_t, uint32_t>> sack{};
    uint32_t seg_len = 0;
    std::optional<Duration> echo_age{};
    bool ece = false;
    Duration late{};  // processed this long after it arrived
  };

  explicit SenderDriver(const Options& options)
      : options_(options), wnd_(options.wnd) {
    Negotiated negotiated;
    negotiated.smss = options.smss;
    negotiated.sack = options.sack;
    negotiated.ecn = options.ecn;
    sender_.emplace(options_.config, negotiated,
                    SenderStart{.iss = SeqNum(options.iss),
                                .snd_wnd = WindowSize(options.wnd),
                                .snd_wl1 = SeqNum(7),
                                .snd_wl2 = SeqNum(options.iss + 1),
                                .handshake_rtt = options.handshake_rtt,
                                .syn_retransmitted = options.syn_retransmitted,
                                .send_buffer_bytes = options.send_buffer_bytes,
                                .no_delay = options.no_delay,
                                .max_gso_bytes = options.max_gso_bytes});
  }

  Sender& sender() { return *sender_; }
  Timers& timers() { return timers_; }
  Instant now() const { return now_; }
  TcpInfo Info() const {
    TcpInfo info;
    sender_->FillInfo(info);
    return info;
  }
  bool gave_up() const { return gave_up_; }
  const AckOutcome& outcome() const { return outcome_; }

  // The byte at a stream offset: no short period.
  static uint8_t Byte(uint64_t offset) {
    return static_cast<uint8_t>((offset * 2654435761u) >> 13);
  }

  size_t Write(uint32_t n) {
    std::vector<uint8_t> bytes(n);
    for (uint32_t i = 0; i < n; ++i) bytes[i] = Byte(written_ + i);
    const size_t taken = sender_->WriteCopy(bytes, pool_);
    written_ += taken;
    return taken;
  }
  void Close() { sender_->CloseWrite(); }

  void SetSmss(uint32_t smss) {
    options_.smss = smss;
    sender_->SetSmss(smss);
  }
  // The path turns out to take segments of `smss` bytes at most.
  void TooBig(uint32_t smss) {
    options_.smss = smss;
    sender_->OnPacketTooBig(smss);
  }

  // Polls until nothing more leaves.
  std::string Drain() {
    std::string text;
    while (auto out = sender_->PollSend(timers_, now_)) {
      if (!text.empty()) text += ' ';
      text += Text(*out);
    }
    sender_->CheckInvariants(timers_);
    return text;
  }

  // An ACK arrives; returns what leaves for it.
  std::string Ack(uint32_t offset) { return Ack(offset, Peer()); }
  std::string Ack(uint32_t offset, const Peer& peer) {
    if (peer.wnd) wnd_ = *peer.wnd;
    std::vector<wire::SackBlock> blocks;
    for (const auto& [left, right] : peer.sack) {
      blocks.push_back({Seq(left).value(), Seq(right).value()});
    }
    AckInput in{.ack = Seq(offset),
                .seg_seq = SeqNum(7),
                .seg_len = peer.seg_len,
                .wnd = WindowSize(wnd_),
                .sack = blocks,
                .timestamps = {},
                .echo_age = peer.echo_age,
                .ece = peer.ece,
                .ingress = now_};
    now_ += peer.late;
    outcome_ = sender_->OnAck(in, timers_, now_);
    sender_->CheckInvariants(timers_);
    return Drain();
  }

  void Advance(int64_t ms) { now_ += Duration::Milliseconds(ms); }

  // Runs the clock to the next deadline and the timers due then; returns
  // "+<ms waited>: <what leaves>", or "idle" when no timer is armed.
  std::string Expire() {
    Instant next = Instant::Never();
    for (TimerSlot slot : kSlots) next = std::min(next, timers_.deadline(slot));
    if (next.IsNever()) return "idle";
    const int64_t waited = next <= now_ ? 0 : (next - now_).milliseconds();
    now_ = std::max(now_, next);
    Fire();
    return "+" + std::to_string(waited) + ": " + Drain();
  }

  SeqNum Seq(uint32_t offset) const {
    return SeqNum(options_.iss) + 1 + offset;
  }

 private:
  static constexpr std::initializer_list<TimerSlot> kSlots = {
      TimerSlot::kRetransmit, TimerSlot::kPersist, TimerSlot::kHold};

  void Fire() {
    if (timers_.TakeExpired(TimerSlot::kRetransmit, now_)) {
      gave_up_ |= sender_->OnRetransmitTimer(timers_, now_) ==
                  RetransmitVerdict::kGiveUp;
    }
    if (timers_.TakeExpired(TimerSlot::kPersist, now_)) {
      gave_up_ |=
          sender_->OnPersistTimer(timers_, now_) == RetransmitVerdict::kGiveUp;
    }
    if (timers_.TakeExpired(TimerSlot::kHold, now_)) sender_->OnHoldTimer();
  }

  std::string Text(const OutData& out) {
    const auto begin = static_cast<uint32_t>(out.seq - Seq(0));
    const auto size = static_cast<uint32_t>(out.payload.size());
    if (size == 0 && !out.fin) {
      EXPECT_EQ(out.seq, sender_->snd_una() - 1);
      return "probe";
    }
    CheckPayload(out.payload, begin);
    EXPECT_EQ(out.gso_size, size > options_.smss ? options_.smss : 0);
    std::string text = out.retransmission ? "r" : "";
    text += std::to_string(begin) + ".." + std::to_string(begin + size);
    if (out.psh) text += 'P';
    if (out.cwr) text += 'W';
    if (out.fin) text += 'F';
    return text;
  }

  static void CheckPayload(const ViewChain& payload, uint64_t offset) {
    for (size_t i = 0; i < payload.view_count(); ++i) {
      for (uint8_t byte : payload.view(i).span()) {
        ASSERT_EQ(byte, Byte(offset)) << "at offset " << offset;
        ++offset;
      }
    }
  }

  Options options_;
  SlabPool pool_{0};
  std::optional<Sender> sender_;
  Timers timers_;
  Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  uint32_t wnd_;
  uint64_t written_ = 0;
  bool gave_up_ = false;
  AckOutcome outcome_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SENDER_DRIVER_H_
