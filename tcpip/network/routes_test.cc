#include "tcpip/network/routes.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::ip {
namespace {

IpAddress Address(const char* text) { return IpAddress::Parse(text).value(); }
Cidr Prefix(const char* text) { return Cidr::Parse(text).value(); }

constexpr InterfaceId kNone = 99;

struct Case {
  const char* destination;
  InterfaceId want;
};

const Case kCases[] = {
    {"10.1.2.3", 3},      {"10.1.2.4", 2},    {"10.1.9.9", 1},
    {"10.9.9.9", 0},      {"192.0.2.1", 7},   {"2001:db8:1::5", 5},
    {"2001:db8:2::5", 4}, {"2002::1", kNone}, {"::1", kNone},
};

// [fault I19] the longest prefix, whatever the order of addition
TEST(Routes, LongestPrefixWinsInAnyOrderOfAddition) {
  std::vector<Route> routes = {
      {Prefix("10.0.0.0/8"), 0},    {Prefix("10.1.0.0/16"), 1},
      {Prefix("10.1.2.0/24"), 2},   {Prefix("10.1.2.3/32"), 3},
      {Prefix("2001:db8::/32"), 4}, {Prefix("2001:db8:1::/48"), 5},
      {Prefix("0.0.0.0/0"), 7},
  };
  SeededRng rng(11);
  for (int round = 0; round < 50; ++round) {
    for (size_t i = routes.size(); i > 1; --i) {
      std::swap(routes[i - 1], routes[rng.Below(static_cast<uint32_t>(i))]);
    }
    Routes table;
    for (const Route& route : routes) ASSERT_TRUE(table.Add(route));
    for (const Case& c : kCases) {
      EXPECT_EQ(table.Find(Address(c.destination)).value_or(kNone), c.want)
          << c.destination << " in round " << round;
    }
  }
}

TEST(Routes, OnePrefixHasOneRoute) {
  Routes table;
  EXPECT_TRUE(table.Add({Prefix("10.0.0.0/8"), 1}));
  EXPECT_FALSE(table.Add({Prefix("10.2.3.4/8"), 2}));  // the same, masked
  EXPECT_EQ(table.Find(Address("10.0.0.1")), InterfaceId{1});
}

TEST(Routes, ARemovedRouteLeavesTheNextLonger) {
  Routes table;
  table.Add({Prefix("10.0.0.0/8"), 1});
  table.Add({Prefix("10.1.0.0/16"), 2});
  EXPECT_TRUE(table.Remove(Prefix("10.1.0.0/16")));
  EXPECT_FALSE(table.Remove(Prefix("10.1.0.0/16")));
  EXPECT_EQ(table.Find(Address("10.1.0.1")), InterfaceId{1});
}

TEST(Routes, DefaultOfOneFamilySaysNothingOfTheOther) {
  Routes table;
  table.Add({Prefix("::/0"), 1});
  EXPECT_FALSE(table.Find(Address("10.0.0.1")));
  EXPECT_TRUE(table.Find(Address("2001:db8::1")));
}

// The longest of those that contain the destination, by looking at all.
TEST(Routes, FindWhatAWalkWouldFind) {
  SeededRng rng(5);
  Routes table;
  for (int step = 0; step < 3000; ++step) {
    const auto address =
        IpAddress::Ipv4(10, static_cast<uint8_t>(rng.Below(4)),
                        static_cast<uint8_t>(rng.Below(4) * 64), 0);
    const Cidr prefix = {address, static_cast<uint8_t>(rng.Below(25))};
    const auto id = static_cast<InterfaceId>(rng.Below(100));
    if (rng.Below(3) == 0) {
      table.Remove(prefix);
    } else {
      table.Add({prefix, id});
    }
    const auto to = IpAddress::Ipv4(10, static_cast<uint8_t>(rng.Below(4)),
                                    static_cast<uint8_t>(rng.Below(256)), 1);
    std::optional<InterfaceId> want;
    for (const Route& route : table.routes()) {
      if (want || !route.destination.Contains(to)) continue;
      want = route.interface;
    }
    ASSERT_EQ(table.Find(to), want) << to.ToString();
  }
  for (size_t i = 1; i < table.routes().size(); ++i) {
    EXPECT_GE(table.routes()[i - 1].destination.prefix_length,
              table.routes()[i].destination.prefix_length);
  }
}

struct SourceCase {
  const char* name;
  std::vector<const char*> own;
  const char* destination;
  const char* want;  // empty: none
};

// [fault I19] [RFC 6724 5] rules 1, 2, 6 and 8
const SourceCase kSourceCases[] = {
    {"SamePrefix", {"10.0.0.2/24", "10.0.1.2/24"}, "10.0.1.9", "10.0.1.2"},
    {"LongestMatch", {"10.0.0.2/8", "10.0.1.2/24"}, "10.0.1.9", "10.0.1.2"},
    {"FirstOtherwise", {"10.0.0.2/24", "10.0.1.2/24"}, "8.8.8.8", "10.0.0.2"},
    {"OwnItself", {"10.0.0.2/24", "10.0.0.3/24"}, "10.0.0.3", "10.0.0.3"},
    {"NotLinkLocal",
     {"fe80::2/64", "2001:db8::2/64"},
     "2001:db9::1",
     "2001:db8::2"},
    {"LinkLocalWhenAsked",
     {"2001:db8::2/64", "fe80::2/64"},
     "fe80::9",
     "fe80::2"},
    {"LinkLocalWhenNothingElse", {"169.254.1.2/16"}, "10.0.0.1", "169.254.1.2"},
    {"OtherFamily", {"2001:db8::2/64"}, "10.0.0.1", ""},
    {"OwnFamily", {"2001:db8::2/64", "10.0.0.2/24"}, "10.0.0.1", "10.0.0.2"},
    {"NoAddress", {}, "10.0.0.1", ""},
    {"OwnItselfInIpv6", {"fe80::2/64", "fe80::3/128"}, "fe80::3", "fe80::3"},
    {"SmallestScopeThatReaches",
     {"2001:db8::2/0", "fe80::2/128"},
     "fe80::9",
     "fe80::2"},
    {"LargestScopeOtherwise",
     {"fe80::2/64", "fd00::2/64"},
     "2001:db8::1",
     "fd00::2"},
    {"LabelOfUniqueLocal",
     {"2001:db8::2/64", "fd00:1::2/64"},
     "fd99::1",
     "fd00:1::2"},
    {"LabelOf6to4",
     {"2001:db8::2/64", "2002:a00:1::2/48"},
     "2002:b00:1::1",
     "2002:a00:1::2"},
    {"LabelOfTeredoIsNotTheRest",
     {"2001::2/64", "2620::2/64"},
     "2001:db8::1",
     "2620::2"},
    {"LongestMatchOutsideAnyPrefix",
     {"2001:db8:8000::2/48", "2001:db8:1::2/48"},
     "2001:db8:2::1",
     "2001:db8:1::2"},
    {"MatchEndsAtThePrefix",
     {"2001:db8:1::2/32", "2001:db8:1::3/40"},
     "2001:db8:1::9",
     "2001:db8:1::3"},
    {"FirstOtherwiseInIpv4",
     {"10.0.0.2/24", "192.168.0.2/24"},
     "192.169.0.1",
     "10.0.0.2"},
};

TEST(ChooseSource, FollowsTheTable) {
  for (const SourceCase& c : kSourceCases) {
    std::vector<Cidr> own;
    for (const char* text : c.own) own.push_back(Prefix(text));
    const std::optional<IpAddress> source =
        ChooseSource(own, Address(c.destination));
    EXPECT_EQ(source ? source->ToString() : "", c.want) << c.name;
  }
}

}  // namespace
}  // namespace tcpip::ip
