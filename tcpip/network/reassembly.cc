#include "tcpip/network/reassembly.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/require.h"
#include "tcpip/network/partial_datagram.h"

namespace tcpip::ip {
namespace {

// What a datagram costs beside its fragments: its record and its place in the
// tables.
constexpr size_t kDatagramOverhead = 512;

size_t AgeList(IpFamily family) { return family == IpFamily::kIpv4 ? 0 : 1; }

// One from the spare ones, else a new one.
template <typename T>
std::unique_ptr<T> TakeSpare(std::vector<std::unique_ptr<T>>& spare) {
  if (spare.empty()) return std::make_unique<T>();
  std::unique_ptr<T> taken = std::move(spare.back());
  spare.pop_back();
  return taken;
}

}  // namespace

struct BySource;

struct Reassembly::Datagram : ListNode<Datagram>, ListNode<Datagram, BySource> {
  Key key;
  Source* source = nullptr;
  Instant deadline;
  Instant started;
  std::optional<DropReason> condemned;
  PartialDatagram parts;

  size_t charged_bytes() const {
    return kDatagramOverhead + parts.charged_bytes();
  }
};

struct Reassembly::Source {
  IntrusiveList<Datagram, BySource> by_age;
  uint32_t count = 0;
};

size_t Reassembly::KeyHash::operator()(const Key& k) const {
  std::array<uint8_t, 16 + 16 + 4 + 1> bytes;
  const auto& from = k.source.mapped_bytes();
  const auto& to = k.destination.mapped_bytes();
  std::copy(from.begin(), from.end(), bytes.begin());
  std::copy(to.begin(), to.end(), bytes.begin() + 16);
  StoreBe32(&bytes[32], k.id);
  bytes[36] = k.protocol;
  return SipHash(key, bytes);
}

size_t Reassembly::KeyHash::operator()(const IpAddress& a) const {
  return SipHash(key, a.mapped_bytes());
}

Reassembly::Reassembly(const ReassemblyConfig& config, SlabPool& pool, Rng& rng)
    : config_(config),
      pool_(pool),
      datagrams_(0, KeyHash{SipHashKey::FromRng(rng)}),
      sources_(0, datagrams_.hash_function()) {}

Reassembly::~Reassembly() {
  for (Ages& ages : by_age_) {
    while (!ages.empty()) Erase(ages.front());
  }
}

Reassembly::Outcome Reassembly::OnFragment(Packet packet, const InboundIp& ip,
                                           const FragmentFacts& fragment,
                                           Instant now) {
  if (config_.max_datagrams == 0) {
    return {.drop = DropReason::kIpReassemblyFull};
  }
  // [fault O01] nothing more is kept while memory is spent
  if (pool_.IsSpent()) return {.drop = DropReason::kMemorySpent};
  Datagram& datagram = FindOrStart(ip, fragment, now);
  if (datagram.condemned) return {.drop = datagram.condemned};
  PartialDatagram& parts = datagram.parts;
  switch (parts.FitOf(packet, ip, fragment)) {
    case PartialDatagram::Fit::kDuplicate:
      return {.drop = DropReason::kIpFragmentDuplicate};
    case PartialDatagram::Fit::kConflict:
      return Condemn(datagram, DropReason::kIpFragmentOverlap);
    case PartialDatagram::Fit::kNew:
      break;
  }
  if (parts.fragments() == config_.max_fragments) {
    return Condemn(datagram, DropReason::kIpFragmentTooMany);
  }
  const Instant ingress = packet.ingress();
  charged_ -= parts.charged_bytes();
  parts.Add(std::move(packet), ip, fragment, pool_);
  charged_ += parts.charged_bytes();
  if (parts.complete()) return Finish(datagram, ingress);
  while (charged_ > config_.max_bytes && &Oldest() != &datagram) {
    Evict(Oldest());
  }
  if (charged_ <= config_.max_bytes) return {};
  return Abandon(datagram, DropReason::kIpReassemblyFull);
}

Reassembly::Datagram& Reassembly::FindOrStart(const InboundIp& ip,
                                              const FragmentFacts& fragment,
                                              Instant now) {
  // [RFC 8200 4.5] in IPv6 the first fragment alone says what follows
  const Key key = {
      .source = ip.source,
      .destination = ip.destination,
      .id = fragment.id,
      .protocol = ip.family() == IpFamily::kIpv4 ? ip.protocol : uint8_t{0}};
  const auto it = datagrams_.find(key);
  return it != datagrams_.end() ? *it->second : Start(key, now);
}

Reassembly::Datagram& Reassembly::Start(const Key& key, Instant now) {
  if (datagrams_.size() >= config_.max_datagrams) Evict(Oldest());
  if (const auto it = sources_.find(key.source);
      it != sources_.end() &&
      it->second->count >= config_.max_datagrams_per_source) {
    Evict(it->second->by_age.front());
  }
  std::unique_ptr<Datagram> started = TakeSpare(spare_datagrams_);
  Datagram& datagram = *started;
  const bool v4 = key.source.IsIpv4();
  datagram.key = key;
  datagram.started = now;
  datagram.deadline = now + (v4 ? config_.ipv4_timeout : config_.ipv6_timeout);
  datagram.source = &SourceFor(key.source);
  datagram.source->by_age.PushBack(datagram);
  ++datagram.source->count;
  by_age_[AgeList(key.source.family())].PushBack(datagram);
  charged_ += datagram.charged_bytes();
  datagrams_.emplace(key, std::move(started));
  return datagram;
}

Reassembly::Source& Reassembly::SourceFor(const IpAddress& address) {
  std::unique_ptr<Source>& source = sources_[address];
  if (!source) source = TakeSpare(spare_sources_);
  return *source;
}

Reassembly::Outcome Reassembly::Finish(Datagram& datagram, Instant ingress) {
  Outcome outcome = {.whole = Packet()};
  if (const auto why = datagram.parts.Take(pool_, *outcome.whole)) {
    return Abandon(datagram, *why);
  }
  outcome.whole->set_ingress(ingress);
  Erase(datagram);
  return outcome;
}

Reassembly::Outcome Reassembly::Condemn(Datagram& datagram, DropReason why) {
  DropHeld(datagram, why, datagram.parts.fragments());
  datagram.condemned = why;
  return {.drop = why};
}

Reassembly::Outcome Reassembly::Abandon(Datagram& datagram, DropReason why) {
  DropHeld(datagram, why, datagram.parts.fragments() - 1);
  Erase(datagram);
  return {.drop = why};
}

void Reassembly::DropHeld(Datagram& datagram, DropReason why,
                          uint32_t fragments) {
  if (!datagram.condemned) ++fails_;
  dropped_[static_cast<size_t>(why)] += fragments;
  charged_ -= datagram.parts.charged_bytes();
  datagram.parts.Clear();
}

void Reassembly::Evict(Datagram& datagram) {
  DropHeld(datagram, DropReason::kIpReassemblyFull, datagram.parts.fragments());
  Erase(datagram);
}

void Reassembly::Erase(Datagram& datagram) {
  charged_ -= datagram.charged_bytes();
  datagram.parts.Clear();
  datagram.condemned.reset();
  static_cast<ListNode<Datagram>&>(datagram).Unlink();
  static_cast<ListNode<Datagram, BySource>&>(datagram).Unlink();
  if (--datagram.source->count == 0) {
    const auto it = sources_.find(datagram.key.source);
    spare_sources_.push_back(std::move(it->second));
    sources_.erase(it);
  }
  const auto it = datagrams_.find(datagram.key);
  spare_datagrams_.push_back(std::move(it->second));
  datagrams_.erase(it);
}

Reassembly::Datagram& Reassembly::Oldest() {
  Ages& v4 = by_age_[0];
  Ages& v6 = by_age_[1];
  if (v4.empty()) return v6.front();
  if (v6.empty()) return v4.front();
  return v6.front().started < v4.front().started ? v6.front() : v4.front();
}

std::optional<Reassembly::Expired> Reassembly::PopExpired(Instant now) {
  for (Ages& ages : by_age_) {
    if (ages.empty() || ages.front().deadline > now) continue;
    Datagram& datagram = ages.front();
    Expired expired;
    if (datagram.parts.has_first()) {
      expired.first.SetHead(datagram.parts.First());
      expired.ip = datagram.parts.first_ip();
    }
    DropHeld(datagram, DropReason::kIpReassemblyTimeout,
             datagram.parts.fragments());
    Erase(datagram);
    return expired;
  }
  return std::nullopt;
}

Instant Reassembly::NextDeadline() const {
  Instant next = Instant::Never();
  for (const Ages& ages : by_age_) {
    if (!ages.empty()) next = std::min(next, ages.front().deadline);
  }
  return next;
}

void Reassembly::CheckInvariants() const {
  size_t charged = 0;
  size_t count = 0;
  size_t of_sources = 0;
  for (const auto& [key, datagram] : datagrams_) {
    charged += datagram->charged_bytes();
    ++count;
    Require(key == datagram->key, "reassembly", "a datagram is under its key");
    Require(!datagram->parts.complete(), "reassembly", "what is whole leaves");
  }
  for (const auto& [address, source] : sources_) of_sources += source->count;
  Require(charged == charged_, "reassembly", "charges are those of datagrams");
  Require(count == of_sources, "reassembly", "a datagram has a source");
  Require(charged_ <= config_.max_bytes && count <= config_.max_datagrams,
          "reassembly", "limits hold");
}

}  // namespace tcpip::ip
