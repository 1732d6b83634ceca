#include "tcpip/wire/address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

IpAddress Address(std::string_view text) {
  const std::optional<IpAddress> address = IpAddress::Parse(text);
  EXPECT_TRUE(address.has_value()) << text;
  return address.value_or(IpAddress());
}

Cidr Prefix(std::string_view text) {
  const std::optional<Cidr> cidr = Cidr::Parse(text);
  EXPECT_TRUE(cidr.has_value()) << text;
  return cidr.value_or(Cidr());
}

struct TextRow {
  std::string_view text;
  std::string_view canonical;
};

TEST(IpAddress, ParsesEverySpellingAndPrintsTheCanonicalOne) {
  constexpr TextRow kRows[] = {
      {"0.0.0.0", "0.0.0.0"},
      {"192.0.2.1", "192.0.2.1"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"0:0:0:0:0:0:0:0", "::"},
      {"2001:db8::1", "2001:db8::1"},
      {"2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"},
      {"2001:DB8::ABCD", "2001:db8::abcd"},
      {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
      {"fe80::1:0:0:1", "fe80::1:0:0:1"},
      // [RFC 5952 4.2.2] one zero group is not compressed
      {"1:2:3::5:6:7:8", "1:2:3:0:5:6:7:8"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      // [RFC 5952 4.2.3] the longest run is, the first of equals
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
      {"0:0:1::", "0:0:1::"},
      {"::1.2.3.4", "::102:304"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::ffff:c000:201", "192.0.2.1"},
      {"0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"},
      {"::fffe:192.0.2.1", "::fffe:c000:201"},
  };
  for (const TextRow& row : kRows) {
    EXPECT_EQ(Address(row.text).ToString(), row.canonical) << row.text;
    EXPECT_EQ(Address(row.canonical), Address(row.text));
  }
}

TEST(IpAddress, RefusesWhatIsNotAnAddress) {
  constexpr std::string_view kRows[] = {
      // IPv4
      "", " ", "1", "1.2.3", "1.2.3.", ".1.2.3", "1.2.3.4.", "1.2.3.4.5",
      "1..2.3", "256.0.0.1", "1.2.3.999999999999999999999", "01.2.3.4",
      "1.2.3.00", "0x1.2.3.4", "1.2.3.4 ", " 1.2.3.4", "+1.2.3.4", "-1.2.3.4",
      "1.2.3.a", "1,2,3,4", "localhost",
      // IPv6
      ":", ":::", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:8:", "1::2::3", "1:::2", "::1:", "12345::", "::g", "::0x1",
      "::+1", "::-1", ":: 1", "::1%eth0", "[::1]", "::1/64",
      // "::" has to stand for something
      "1:2:3:4::5:6:7:8", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::",
      // a dotted quad only at the end, only where it fits, and a whole one
      "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3",
      "::1.2.3.4.5", "::256.1.1.1", "::01.2.3.4", "1:2:3:4:5:1.2.3.4"};
  for (const std::string_view text : kRows) {
    EXPECT_FALSE(IpAddress::Parse(text).has_value()) << '"' << text << '"';
  }
  EXPECT_FALSE(IpAddress::Parse(std::string_view("::1\0", 4)).has_value());
  EXPECT_FALSE(IpAddress::Parse(std::string(1000, ':')).has_value());
}

// Bytes that are often zero, so that runs of zero groups are common.
IpAddress RandomAddress(Rng& rng) {
  uint8_t bytes[16] = {};
  if (rng.Below(4) == 0) {
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
    return IpAddress::FromIpv4Bytes(bytes);
  }
  for (uint8_t& b : bytes) {
    b = rng.Below(3) == 0 ? static_cast<uint8_t>(rng.Next()) : 0;
  }
  return IpAddress::FromIpv6Bytes(bytes);
}

TEST(IpAddress, TextOfEveryAddressParsesBackToIt) {
  constexpr uint64_t kSeed = 1;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    const IpAddress a = RandomAddress(rng);
    ASSERT_EQ(IpAddress::Parse(a.ToString()), a)
        << a.ToString() << " seed " << kSeed << " round " << i;
    const IpEndpoint e = {a, static_cast<uint16_t>(rng.Next())};
    ASSERT_EQ(IpEndpoint::Parse(e.ToString()), e) << e.ToString();
    const Cidr c = {a, static_cast<uint8_t>(rng.Below(a.IsIpv4() ? 33 : 129))};
    ASSERT_EQ(Cidr::Parse(c.ToString()), c) << c.ToString();
  }
}

TEST(IpAddress, ParsingNoiseNeverReadsBeyondTheText) {
  constexpr uint64_t kSeed = 2;
  constexpr std::string_view kAlphabet = ":::...01f9/[]";
  SeededRng rng(kSeed);
  int parsed = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string noise(rng.Below(12), ' ');
    for (char& c : noise) c = kAlphabet[rng.Below(kAlphabet.size())];
    const std::unique_ptr<char[]> exact(new char[noise.size()]);
    std::copy(noise.begin(), noise.end(), exact.get());
    const std::string_view text(exact.get(), noise.size());
    const std::optional<IpAddress> address = IpAddress::Parse(text);
    IpEndpoint::Parse(text);
    Cidr::Parse(text);
    if (!address) continue;
    ++parsed;
    ASSERT_EQ(IpAddress::Parse(address->ToString()), address)
        << noise << " seed " << kSeed << " round " << i;
  }
  EXPECT_GT(parsed, 100);
}

struct ClassRow {
  std::string_view text;
  bool unspecified, loopback, multicast, link_local, broadcast;
};

TEST(IpAddress, ClassesFollowTheRegisteredPrefixes) {
  constexpr ClassRow kRows[] = {
      {"0.0.0.0", true, false, false, false, false},
      {"0.0.0.1", false, false, false, false, false},
      {"127.0.0.1", false, true, false, false, false},
      {"127.255.255.255", false, true, false, false, false},
      {"126.255.255.255", false, false, false, false, false},
      {"128.0.0.0", false, false, false, false, false},
      {"223.255.255.255", false, false, false, false, false},
      {"224.0.0.0", false, false, true, false, false},
      {"239.255.255.255", false, false, true, false, false},
      {"240.0.0.0", false, false, false, false, false},
      {"169.253.255.255", false, false, false, false, false},
      {"169.254.0.0", false, false, false, true, false},
      {"169.255.0.0", false, false, false, false, false},
      {"255.255.255.255", false, false, false, false, true},
      {"::", true, false, false, false, false},
      {"::1", false, true, false, false, false},
      {"::2", false, false, false, false, false},
      {"::127.0.0.1", false, false, false, false, false},
      {"::ffff:127.0.0.1", false, true, false, false, false},
      {"fe7f::1", false, false, false, false, false},
      {"fe80::1", false, false, false, true, false},
      {"febf::1", false, false, false, true, false},
      {"fec0::1", false, false, false, false, false},
      {"feff::1", false, false, false, false, false},
      {"ff00::", false, false, true, false, false},
      {"ff02::1", false, false, true, false, false},
  };
  for (const ClassRow& row : kRows) {
    const IpAddress a = Address(row.text);
    EXPECT_EQ(a.IsUnspecified(), row.unspecified) << row.text;
    EXPECT_EQ(a.IsLoopback(), row.loopback) << row.text;
    EXPECT_EQ(a.IsMulticast(), row.multicast) << row.text;
    EXPECT_EQ(a.IsLinkLocal(), row.link_local) << row.text;
    EXPECT_EQ(a.IsIpv4Broadcast(), row.broadcast) << row.text;
  }
}

TEST(IpAddress, FamilyFollowsTheMappedPrefix) {
  EXPECT_EQ(IpAddress().family(), IpFamily::kIpv6);
  EXPECT_EQ(IpAddress::Any(IpFamily::kIpv4).ToString(), "0.0.0.0");
  EXPECT_EQ(IpAddress::Any(IpFamily::kIpv6).ToString(), "::");
  const IpAddress v4 = IpAddress::Ipv4(192, 0, 2, 1);
  EXPECT_EQ(v4.family(), IpFamily::kIpv4);
  ASSERT_EQ(v4.bytes().size(), 4u);
  EXPECT_EQ(v4.bytes()[0], 192);
  EXPECT_EQ(v4.bytes()[3], 1);
  EXPECT_EQ(IpAddress::FromIpv6Bytes(v4.mapped_bytes().data()), v4);
  EXPECT_EQ(Address("2001:db8::1").bytes().size(), 16u);
}

TEST(IpEndpoint, NeedsBracketsForIpv6AndNoneForIpv4) {
  const std::optional<IpEndpoint> v4 = IpEndpoint::Parse("192.0.2.1:80");
  ASSERT_TRUE(v4.has_value());
  EXPECT_EQ(*v4, (IpEndpoint{Address("192.0.2.1"), 80}));
  const std::optional<IpEndpoint> v6 = IpEndpoint::Parse("[2001:db8::1]:65535");
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(*v6, (IpEndpoint{Address("2001:db8::1"), 65535}));
  EXPECT_EQ(v6->ToString(), "[2001:db8::1]:65535");

  constexpr std::string_view kRows[] = {"",
                                        ":",
                                        ":80",
                                        "192.0.2.1",
                                        "192.0.2.1:",
                                        "192.0.2.1:65536",
                                        "192.0.2.1:080",
                                        "192.0.2.1:80 ",
                                        "192.0.2.1:http",
                                        "192.0.2.1:-1",
                                        "192.0.2.1:80:80",
                                        "2001:db8::1:80",
                                        "[2001:db8::1]",
                                        "[2001:db8::1]80",
                                        "[2001:db8::1]:",
                                        "[2001:db8::1:80",
                                        "2001:db8::1]:80",
                                        "[]:80",
                                        "[192.0.2.1]:80",
                                        "[[::1]]:80",
                                        "[::1] :80"};
  for (const std::string_view text : kRows) {
    EXPECT_FALSE(IpEndpoint::Parse(text).has_value()) << '"' << text << '"';
  }
}

TEST(Cidr, PrefixLengthIsBoundedByTheFamily) {
  EXPECT_EQ(Prefix("192.0.2.1/24"), (Cidr{Address("192.0.2.1"), 24}));
  EXPECT_EQ(Prefix("192.0.2.1"), (Cidr{Address("192.0.2.1"), 32}));
  EXPECT_EQ(Prefix("2001:db8::1"), (Cidr{Address("2001:db8::1"), 128}));
  EXPECT_EQ(Prefix("0.0.0.0/0").prefix_length, 0);
  EXPECT_EQ(Prefix("::/128").prefix_length, 128);

  constexpr std::string_view kRows[] = {
      "",           "/",          "/24",         "192.0.2.1/",
      "192.0.2/24", "1.2.3.4/33", "1.2.3.4/024", "1.2.3.4/-1",
      "1.2.3.4/ 1", "1.2.3.4/1 ", "1.2.3.4/8/8", "1.2.3.4/255.0.0.0",
      "::/129",     "::/256",     "::/65537",    "::ffff:1.2.3.4/120"};
  for (const std::string_view text : kRows) {
    EXPECT_FALSE(Cidr::Parse(text).has_value()) << '"' << text << '"';
  }
}

struct ContainsRow {
  std::string_view cidr;
  std::string_view address;
  bool contained;
};

TEST(Cidr, ContainsComparesThePrefixInOneFamilyOnly) {
  constexpr ContainsRow kRows[] = {
      {"192.0.2.0/24", "192.0.2.255", true},
      {"192.0.2.7/24", "192.0.2.1", true},
      {"192.0.2.0/24", "192.0.3.0", false},
      {"192.0.2.0/23", "192.0.3.255", true},
      {"192.0.2.0/23", "192.0.4.0", false},
      {"128.0.0.0/1", "255.0.0.1", true},
      {"128.0.0.0/1", "127.255.255.255", false},
      {"192.0.2.1/32", "192.0.2.1", true},
      {"192.0.2.1/32", "192.0.2.0", false},
      {"0.0.0.0/0", "255.255.255.255", true},
      {"0.0.0.0/0", "::", false},
      {"::/0", "ffff::", true},
      {"::/0", "1.2.3.4", false},
      {"2001:db8::/33", "2001:db8:7fff::1", true},
      {"2001:db8::/33", "2001:db8:8000::1", false},
      {"2001:db8::1/128", "2001:db8::1", true},
      {"2001:db8::1/128", "2001:db8::", false},
  };
  for (const ContainsRow& row : kRows) {
    EXPECT_EQ(Prefix(row.cidr).Contains(Address(row.address)), row.contained)
        << row.cidr << ' ' << row.address;
  }
}

TEST(Cidr, MaskedClearsTheHostBits) {
  EXPECT_EQ(Prefix("192.0.2.255/25").Masked(), Prefix("192.0.2.128/25"));
  EXPECT_EQ(Prefix("192.0.2.255/32").Masked(), Prefix("192.0.2.255/32"));
  EXPECT_EQ(Prefix("192.0.2.255/0").Masked(), Prefix("0.0.0.0/0"));
  EXPECT_EQ(Prefix("2001:db8:ffff::1/35").Masked(),
            Prefix("2001:db8:e000::/35"));
}

TEST(Cidr, BroadcastHasAllHostBitsSet) {
  const struct {
    const char* prefix;
    const char* address;
    bool want;
  } cases[] = {
      {"10.0.0.2/24", "10.0.0.255", true},
      {"10.0.0.2/24", "10.0.0.0", false},
      {"10.0.0.2/24", "10.0.1.255", false},
      {"10.0.0.2/23", "10.0.0.255", false},
      {"10.0.0.2/23", "10.0.1.255", true},
      {"10.0.0.2/30", "10.0.0.3", true},
      {"10.0.0.2/31", "10.0.0.3", false},
      {"10.0.0.3/32", "10.0.0.3", false},
      {"fd00::1/120", "fd00::ff", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Prefix(c.prefix).IsBroadcast(Address(c.address)), c.want)
        << c.address << " of " << c.prefix;
  }
}

TEST(FourTuple, PrintsLocalThenRemote) {
  const FourTuple t = {{Address("192.0.2.1"), 80}, {Address("::1"), 4000}};
  EXPECT_EQ(t.ToString(), "192.0.2.1:80 -> [::1]:4000");
}

TEST(IpAddress, NeighboursAreSpreadOverATable) {
  bool taken[256] = {};
  int places = 0;
  for (int i = 0; i < 256; ++i) {
    const auto address = IpAddress::Ipv4(10, 0, 0, static_cast<uint8_t>(i));
    bool& place = taken[SpreadOf(address) >> 24];
    places += !place;
    place = true;
  }
  EXPECT_GT(places, 128);  // at random: 162
}

}  // namespace
}  // namespace tcpip
