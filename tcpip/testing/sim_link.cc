#include "tcpip/testing/sim_link.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "emulator/packet_facts.h"
#include "tcpip/link/link.h"
#include "tcpip/testing/segmentation.h"

namespace tcpip::sim {
namespace {

constexpr size_t kPullBatch = 16;

const char* FateOf(const emulator::PathVerdict& verdict) {
  if (verdict.copies == 0) return " LOST";
  if (verdict.corrupt_bit) return " CORRUPTED";
  return verdict.mark_ce ? " MARKED" : "";
}

// For somebody who wants to see what happens: every packet and its fate.
void PrintIfAsked(const Simulation& simulation,
                  const std::optional<ReadPacket>& read,
                  const emulator::PathVerdict& verdict) {
  static const bool asked = std::getenv("NETSTACK_SIM_PRINT") != nullptr;
  if (!asked) return;
  std::string line = read ? read->ToString() : "(does not parse)";
  if (read && read->tcp) {
    const wire::TcpOptions& options = read->tcp->options;
    for (int i = 0; i < options.sack_block_count; ++i) {
      absl::StrAppend(&line, i == 0 ? " sack " : ",",
                      options.sack_blocks[i].left, "-",
                      options.sack_blocks[i].right);
    }
  }
  std::fprintf(stderr, "%10lld us %s%s\n",
               static_cast<long long>(simulation.elapsed().microseconds()),
               line.c_str(), FateOf(verdict));
}

}  // namespace

SimLink::SimLink(Simulation& simulation, SimHost& first, SimHost& second,
                 const SimLinkConfig& config)
    : simulation_(simulation),
      config_(config),
      checks_(config.mtu),
      ends_{End{&first, {config.there, simulation.NextSeed()}},
            End{&second, {config.back, simulation.NextSeed()}}} {
  const LinkOffloads tx = config.offload ? kAllOffloads : LinkOffloads{};
  for (const Side side : {kFirst, kSecond}) {
    ends_[side].interface = ends_[side].host->AddInterface(
        {.name = "eth0", .link = {.mtu = config.mtu, .tx = tx}},
        [this, side] { return Pull(side); });
  }
}

bool SimLink::Pull(Side from) {
  End& end = ends_[from];
  bool any = false;
  while (true) {
    if (config_.wait_for_idle && end.path.IdleAt() > simulation_.now()) {
      WaitForIdle(end);
      return any;
    }
    end.host->stack().DrainOutput(end.interface, batch_,
                                  config_.wait_for_idle ? 1 : kPullBatch,
                                  simulation_.now());
    if (batch_.empty()) return any;
    any = true;
    for (const Packet& packet : batch_) Send(from, packet);
    batch_.clear();
  }
}

void SimLink::WaitForIdle(End& end) {
  if (end.wake == end.path.IdleAt()) return;
  end.wake = end.path.IdleAt();
  simulation_.At(end.wake, [&end] { end.host->Settle(); });
}

void SimLink::Send(Side from, const Packet& packet) {
  const uint16_t gso_size = packet.offload().gso_size;
  if (!config_.offload && gso_size != 0) {
    simulation_.Violation("a super-segment for a link that cannot cut");
  }
  std::vector<Bytes> pieces = Cut(Complete(packet), gso_size);

  // What a card says of what it receives.
  const Offload whole = {.checksum = config_.offload
                                         ? ChecksumState::kVerified
                                         : ChecksumState::kUnverified};
  Offload merged = packet.offload();
  merged.checksum = whole.checksum;

  // Pieces [begin, end) have survived together so far.
  size_t begin = 0;
  emulator::PathVerdict run;
  const auto flush = [&](size_t end) {
    if (begin == end) return;
    const auto some = std::span(pieces).subspan(begin, end - begin);
    Deliver(Other(from), Merge(some), some.size() > 1 ? merged : whole,
            run.arrivals[0]);
  };
  for (size_t i = 0; i < pieces.size(); ++i) {
    const emulator::PathVerdict verdict = Offer(from, pieces[i]);
    const bool alone = verdict.copies != 1 || verdict.corrupt_bit;
    if (config_.offload && !alone && begin < i &&
        verdict.mark_ce == run.mark_ce &&
        verdict.arrivals[0] >= run.arrivals[0]) {
      run.arrivals = verdict.arrivals;
      continue;
    }
    flush(i);
    begin = i;
    run = verdict;
    if (!alone) continue;
    for (int copy = 0; copy < verdict.copies; ++copy) {
      Deliver(Other(from), pieces[i], verdict.corrupt_bit ? Offload{} : whole,
              verdict.arrivals[copy]);
    }
    begin = i + 1;
  }
  flush(pieces.size());
}

emulator::PathVerdict SimLink::Offer(Side from, Bytes& piece) {
  simulation_.trace().Mix(
      static_cast<uint64_t>(simulation_.now().nanoseconds()));
  simulation_.trace().Mix(from);
  simulation_.trace().Mix(piece);
  if (const std::string wrong = checks_.OnSent(piece); !wrong.empty()) {
    simulation_.Violation(
        absl::StrCat(ends_[from].host->name(), " sent ", wrong));
  }
  const std::optional<ReadPacket> read = Read(piece);
  emulator::PathVerdict verdict;
  if (!read || !filter_ || filter_(from, *read)) {
    verdict = ends_[from].path.Offer(emulator::FactsOf(piece, piece.size()),
                                     simulation_.now());
  }
  if (watch_ != nullptr && read) watch_->OnSent(from, *read, verdict);
  PrintIfAsked(simulation_, read, verdict);
  if (verdict.mark_ce) emulator::MarkCe(piece);
  if (verdict.corrupt_bit) emulator::FlipBit(piece, *verdict.corrupt_bit);
  return verdict;
}

void SimLink::Deliver(Side to, Bytes packet, const Offload& offload,
                      Instant arrival) {
  simulation_.At(arrival, [this, to, offload, bytes = std::move(packet)] {
    checks_.OnDelivered(bytes);
    SimHost& host = *ends_[to].host;
    Packet arrived = Packet::Copy(host.pool(), bytes);
    arrived.offload() = offload;
    host.Receive(ends_[to].interface, std::move(arrived));
    if (watch_ == nullptr) return;
    if (const auto read = Read(bytes)) watch_->OnArrived(to, *read);
  });
}

}  // namespace tcpip::sim
