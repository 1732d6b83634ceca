#include "tcpip/testing/sim_link.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/link/link.h"
#include "tcpip/testing/segmentation.h"

namespace tcpip::sim {
namespace {

constexpr size_t kPullBatch = 16;

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
               line.c_str(), verdict.copies == 0 ? " LOST" : "");
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
  const Bytes whole = Complete(packet);
  if (!config_.offload && gso_size != 0) {
    simulation_.Violation("a super-segment for a link that cannot cut");
  }
  std::vector<Bytes> pieces = Cut(whole, gso_size);

  // Pieces [begin, end) have survived together so far.
  size_t begin = 0;
  Instant run_arrival;
  const auto flush = [&](size_t end) {
    if (begin == end) return;
    const auto run = std::span(pieces).subspan(begin, end - begin);
    Deliver(Other(from), Merge(run), run.size() > 1 ? gso_size : uint16_t{0},
            run_arrival);
  };
  for (size_t i = 0; i < pieces.size(); ++i) {
    const emulator::PathVerdict verdict = Offer(from, pieces[i]);
    const Instant arrival = verdict.arrivals[0];
    if (config_.offload && verdict.copies == 1 && begin < i &&
        arrival >= run_arrival) {
      run_arrival = arrival;
      continue;
    }
    flush(i);
    begin = i;
    run_arrival = arrival;
    if (verdict.copies != 1) {
      for (int copy = 0; copy < verdict.copies; ++copy) {
        Deliver(Other(from), pieces[i], 0, verdict.arrivals[copy]);
      }
      begin = i + 1;
    }
  }
  flush(pieces.size());
}

emulator::PathVerdict SimLink::Offer(Side from, const Bytes& piece) {
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
    verdict = ends_[from].path.Offer(
        {.bytes = static_cast<uint32_t>(piece.size()),
         .has_data = read && read->tcp && !read->tcp->payload.empty()},
        simulation_.now());
  }
  if (watch_ != nullptr && read) watch_->OnSent(from, *read, verdict);
  PrintIfAsked(simulation_, read, verdict);
  return verdict;
}

void SimLink::Deliver(Side to, Bytes packet, uint16_t gso_size,
                      Instant arrival) {
  simulation_.At(arrival, [this, to, gso_size, bytes = std::move(packet)] {
    checks_.OnDelivered(bytes);
    SimHost& host = *ends_[to].host;
    Packet arrived = Packet::Copy(host.pool(), bytes);
    if (config_.offload) {
      arrived.offload().checksum = ChecksumState::kVerified;
    }
    if (gso_size != 0) {
      arrived.offload().gso_size = gso_size;
      arrived.offload().gso_type =
          bytes[0] >> 4 == 4 ? GsoType::kTcp4 : GsoType::kTcp6;
    }
    host.Receive(ends_[to].interface, std::move(arrived));
    if (watch_ == nullptr) return;
    if (const auto read = Read(bytes)) watch_->OnArrived(to, *read);
  });
}

}  // namespace tcpip::sim
