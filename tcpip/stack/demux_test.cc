#include "tcpip/stack/demux.h"

#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

IpEndpoint At(std::string_view text) { return IpEndpoint::Parse(text).value(); }

constexpr uint32_t kNone = ~0u;

// Bound and hearing; false on a conflict.
bool Listen(Demux& demux, const IpEndpoint& local, uint32_t slot,
            BindRules rules = {}) {
  if (!demux.Bind(local, rules)) return false;
  demux.AddReceiver(local, rules, slot);
  return true;
}

void Leave(Demux& demux, const IpEndpoint& local, uint32_t slot,
           BindRules rules = {}) {
  demux.RemoveReceiver(local, rules, slot);
  demux.Unbind(local, rules);
}

uint32_t Find(const Demux& demux, const IpEndpoint& local,
              const IpEndpoint& remote = {}) {
  return demux.FindReceiver({local, remote}).value_or(kNone);
}

struct Lookup {
  const char* local;
  uint32_t want;
};

TEST(Demux, BoundEndpointsFallBackFromSpecificToWildcard) {
  SeededRng rng(1);
  Demux demux(rng);
  constexpr BindRules kOnly6 = {.v6_only = true};
  ASSERT_TRUE(Listen(demux, At("10.0.0.2:80"), 1));
  ASSERT_TRUE(Listen(demux, At("0.0.0.0:81"), 2));
  ASSERT_TRUE(Listen(demux, At("[::]:81"), 3, kOnly6));
  ASSERT_TRUE(Listen(demux, At("[::]:82"), 4));
  ASSERT_TRUE(Listen(demux, At("[2001:db8::2]:80"), 5));
  ASSERT_TRUE(Listen(demux, At("[::]:83"), 6, kOnly6));
  const Lookup lookups[] = {
      {"10.0.0.2:80", 1},          {"10.0.0.3:80", kNone},
      {"10.0.0.3:81", 2},          {"[2001:db8::2]:81", 3},
      {"10.0.0.3:82", 4},  // [RFC 3493 5.3] "::" takes IPv4
      {"[2001:db8::3]:82", 4},     {"[2001:db8::2]:80", 5},
      {"[2001:db8::3]:80", kNone}, {"[2001:db8::2]:83", 6},
      {"10.0.0.2:83", kNone},  // unless it says not to
      {"10.0.0.2:84", kNone},
  };
  for (const Lookup& lookup : lookups) {
    EXPECT_EQ(Find(demux, At(lookup.local)), lookup.want) << lookup.local;
  }
}

struct Conflict {
  const char* first;
  const char* second;
  bool dual;   // is it one?
  bool only6;  // and when "::" is v6_only?
};

// As bind(2).
const Conflict kConflicts[] = {
    {"10.0.0.2:80", "10.0.0.2:80", true, true},
    {"10.0.0.2:80", "10.0.0.2:81", false, false},
    {"10.0.0.2:80", "10.0.0.3:80", false, false},
    {"10.0.0.2:80", "0.0.0.0:80", true, true},
    {"0.0.0.0:80", "0.0.0.0:80", true, true},
    {"[::]:80", "[::]:80", true, true},
    {"[::]:80", "[2001:db8::2]:80", true, true},
    {"[::]:80", "0.0.0.0:80", true, false},
    {"[::]:80", "10.0.0.2:80", true, false},
    {"[::]:80", "10.0.0.2:81", false, false},
    {"[2001:db8::2]:80", "0.0.0.0:80", false, false},
    {"[2001:db8::2]:80", "10.0.0.2:80", false, false},
};

TEST(Demux, RefusesOverlappingEndpointsUntilTheFirstIsGone) {
  for (const Conflict& c : kConflicts) {
    for (const bool swapped : {false, true}) {
      for (const bool only6 : {false, true}) {
        const IpEndpoint first = At(swapped ? c.second : c.first);
        const IpEndpoint second = At(swapped ? c.first : c.second);
        const BindRules rules = {.v6_only = only6};
        SeededRng rng(1);
        Demux demux(rng);
        ASSERT_TRUE(Listen(demux, first, 1, rules));
        const bool fits = demux.Bind(second, rules);
        EXPECT_EQ(fits, !(only6 ? c.only6 : c.dual))
            << first.ToString() << " then " << second.ToString() << " only6 "
            << only6;
        Leave(demux, first, 1, rules);
        if (!fits) {
          EXPECT_TRUE(demux.Bind(second, rules));
        }
      }
    }
  }
}

// Both must say the same word.
TEST(Demux, HoldersGetAlongWhenBothReuseTheAddressOrBothThePort) {
  for (int first = 0; first < 4; ++first) {
    for (int second = 0; second < 4; ++second) {
      SeededRng rng(1);
      Demux demux(rng);
      const auto rules = [](int bits) {
        return BindRules{.reuse_address = (bits & 1) != 0,
                         .reuse_port = (bits & 2) != 0};
      };
      ASSERT_TRUE(demux.Bind(At("0.0.0.0:53"), rules(first)));
      EXPECT_EQ(demux.Bind(At("10.0.0.2:53"), rules(second)),
                (first & second) != 0)
          << first << " then " << second;
    }
  }
}

TEST(Demux, OfThoseThatReuseTheAddressTheLastOneHears) {
  SeededRng rng(1);
  Demux demux(rng);
  constexpr BindRules kReuse = {.reuse_address = true};
  const IpEndpoint local = At("10.0.0.2:53");
  for (const uint32_t slot : {1u, 2u, 3u}) {
    ASSERT_TRUE(Listen(demux, local, slot, kReuse));
    EXPECT_EQ(Find(demux, local), slot);
  }
  Leave(demux, local, 2, kReuse);
  EXPECT_EQ(Find(demux, local), 3u);
  Leave(demux, local, 3, kReuse);
  EXPECT_EQ(Find(demux, local), 1u);
  Leave(demux, local, 1, kReuse);
  EXPECT_EQ(Find(demux, local), kNone);
}

TEST(Demux, ThoseThatReuseThePortShareByFlow) {
  SeededRng rng(1);
  Demux demux(rng);
  constexpr BindRules kReuse = {.reuse_port = true};
  const IpEndpoint local = At("10.0.0.2:53");
  constexpr int kGroup = 4;
  for (uint32_t slot = 0; slot < kGroup; ++slot) {
    ASSERT_TRUE(Listen(demux, local, slot, kReuse));
  }
  int heard[kGroup] = {};
  for (int port = 1; port <= 4000; ++port) {
    const IpEndpoint remote = {At("10.0.0.1:1").address,
                               static_cast<uint16_t>(port)};
    const uint32_t slot = Find(demux, local, remote);
    ASSERT_LT(slot, uint32_t{kGroup});
    ++heard[slot];
    ASSERT_EQ(Find(demux, local, remote), slot);
  }
  // 1000 each, give or take 5 deviations.
  for (const int count : heard) EXPECT_NEAR(count, 1000, 140);
  // Nobody waits for one that has left.
  Leave(demux, local, 1, kReuse);
  for (int port = 1; port <= 100; ++port) {
    const uint32_t slot = Find(
        demux, local, {At("10.0.0.1:1").address, static_cast<uint16_t>(port)});
    ASSERT_TRUE(slot < kGroup && slot != 1);
  }
}

// The rules, socket by socket, as a list is walked in Linux.
class Model {
 public:
  struct Holder {
    IpEndpoint local;
    BindRules rules;
    uint32_t slot;
    bool hears;
  };

  bool Conflicts(const IpEndpoint& local, BindRules rules) const {
    for (const Holder& h : holders) {
      const bool get_along = (h.rules.reuse_address && rules.reuse_address) ||
                             (h.rules.reuse_port && rules.reuse_port);
      if (!get_along && Overlap(h, {local, rules, 0, false})) return true;
    }
    return false;
  }

  // Whoever may hear it: one, or those that share.
  std::set<uint32_t> Hearers(const IpEndpoint& local) const {
    const bool is_ipv4 = local.address.IsIpv4();
    const IpEndpoint any = {IpAddress::Any(local.address.family()), local.port};
    const IpEndpoint any6 = {IpAddress(), local.port};
    std::set<uint32_t> found = At(local, true);
    if (found.empty()) found = At(any, true);
    if (found.empty() && is_ipv4) found = At(any6, false);
    return found;
  }

  std::vector<Holder> holders;

 private:
  static bool Takes(const Holder& h, IpFamily family) {
    if (h.local.address.family() == family) return true;
    return h.local.address == IpAddress() && !h.rules.v6_only;
  }
  static bool Overlap(const Holder& a, const Holder& b) {
    if (a.local.port != b.local.port) return false;
    for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
      if (!Takes(a, family) || !Takes(b, family)) continue;
      if (a.local.address == b.local.address ||
          a.local.address.IsUnspecified() || b.local.address.IsUnspecified()) {
        return true;
      }
    }
    return false;
  }
  std::set<uint32_t> At(const IpEndpoint& local, bool only6_too) const {
    std::set<uint32_t> sharing;
    std::set<uint32_t> last;
    for (const Holder& h : holders) {
      if (!h.hears || h.local != local) continue;
      if (h.rules.v6_only && !only6_too) continue;
      if (h.rules.reuse_port) {
        sharing.insert(h.slot);
      } else {
        last = {h.slot};
      }
    }
    return sharing.empty() ? last : sharing;
  }
};

TEST(Demux, AgreesWithTheRulesTakenOneByOne) {
  const IpEndpoint kLocals[] = {At("0.0.0.0:53"),       At("10.0.0.2:53"),
                                At("10.0.0.3:53"),      At("[::]:53"),
                                At("[2001:db8::2]:53"), At("[2001:db8::3]:53"),
                                At("0.0.0.0:54"),       At("10.0.0.2:54"),
                                At("[::]:54"),          At("[::1]:54")};
  SeededRng rng(7);
  Demux demux(rng);
  Model model;
  int refused = 0;
  for (uint32_t slot = 0; slot < 20'000; ++slot) {
    if (rng.Below(100) < 45 && !model.holders.empty()) {
      const size_t i = rng.Below(static_cast<uint32_t>(model.holders.size()));
      const Model::Holder gone = model.holders[i];
      model.holders.erase(model.holders.begin() + static_cast<long>(i));
      if (gone.hears) demux.RemoveReceiver(gone.local, gone.rules, gone.slot);
      demux.Unbind(gone.local, gone.rules);
    } else {
      const IpEndpoint& local = kLocals[rng.Below(std::size(kLocals))];
      const bool is_any6 = local.address == IpAddress();
      const BindRules rules = {.reuse_address = rng.Below(4) != 0,
                               .reuse_port = rng.Below(4) == 0,
                               .v6_only = is_any6 && rng.Below(2) == 0};
      const bool fits = !model.Conflicts(local, rules);
      refused += !fits;
      ASSERT_EQ(demux.Bind(local, rules), fits) << slot;
      if (fits) {
        // A connected socket holds and does not hear.
        const bool hears = rng.Below(4) != 0;
        if (hears) demux.AddReceiver(local, rules, slot);
        model.holders.push_back({local, rules, slot, hears});
      }
    }
    const IpEndpoint& asked = kLocals[rng.Below(std::size(kLocals))];
    const std::set<uint32_t> hearers = model.Hearers(asked);
    const IpEndpoint remote = {asked.address,
                               static_cast<uint16_t>(rng.Next())};
    const uint32_t found = Find(demux, asked, remote);
    ASSERT_TRUE(hearers.empty() ? found == kNone : hearers.contains(found))
        << slot;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tcpip
