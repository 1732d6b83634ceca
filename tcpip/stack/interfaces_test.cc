#include "tcpip/stack/interfaces.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

Cidr Net(const char* text) { return Cidr::Parse(text).value(); }
IpAddress Ip(const char* text) { return IpAddress::Parse(text).value(); }

class InterfacesTest : public testing::Test {
 protected:
  InterfacesTest() {
    loopback_ = interfaces_.Add({.name = "lo", .loopback = true});
    link_ = interfaces_.Add({.name = "nst0"});
    tunnel_ = interfaces_.Add(
        {.name = "tun0", .any_address = true, .spoofing = true});
    EXPECT_TRUE(interfaces_.AddAddress(loopback_, Net("127.0.0.1/8")).ok());
    EXPECT_TRUE(interfaces_.AddAddress(link_, Net("10.0.0.2/24")).ok());
    EXPECT_TRUE(interfaces_.AddAddress(link_, Net("2001:db8::2/64")).ok());
    EXPECT_TRUE(interfaces_.AddAddress(tunnel_, Net("10.9.0.2/24")).ok());
    EXPECT_TRUE(interfaces_.AddRoute({Net("0.0.0.0/0"), tunnel_}).ok());
  }

  // "interface source", or the code of the error.
  std::string Path(const char* remote, const char* local = nullptr) {
    std::optional<IpAddress> from;
    if (local != nullptr) from = Ip(local);
    const auto path = interfaces_.PathTo(Ip(remote), from);
    if (!path.ok()) return absl::StatusCodeToString(path.status().code());
    return path->interface->config().name + " " + path->source.ToString();
  }

  Interfaces interfaces_{10};
  InterfaceId loopback_;
  InterfaceId link_;
  InterfaceId tunnel_;
};

struct PathCase {
  const char* remote;
  const char* local;
  const char* want;
};

const PathCase kPathCases[] = {
    {"10.0.0.1", nullptr, "nst0 10.0.0.2"},
    {"8.8.8.8", nullptr, "tun0 10.9.0.2"},
    {"10.0.0.2", nullptr, "lo 10.0.0.2"},  // to ourselves
    {"10.9.0.2", nullptr, "lo 10.9.0.2"},
    {"127.0.0.1", nullptr, "lo 127.0.0.1"},
    {"127.7.7.7", nullptr, "lo 127.0.0.1"},
    {"127.255.255.255", nullptr, "INVALID_ARGUMENT"},
    {"2001:db8::1", nullptr, "nst0 2001:db8::2"},
    {"2001:db9::1", nullptr, "UNAVAILABLE"},
    {"10.0.0.1", "10.0.0.2", "nst0 10.0.0.2"},
    {"10.0.0.1", "0.0.0.0", "nst0 10.0.0.2"},
    {"10.0.0.1", "10.9.0.2", "nst0 10.9.0.2"},  // ours, if not the best
    {"10.0.0.1", "10.0.0.77", "INVALID_ARGUMENT"},
    {"8.8.8.8", "1.2.3.4", "tun0 1.2.3.4"},  // spoofing
    {"8.8.8.8", "2001:db8::2", "INVALID_ARGUMENT"},
    {"10.0.0.2", "127.0.0.1", "lo 127.0.0.1"},
    {"10.0.0.1", "127.0.0.1", "INVALID_ARGUMENT"},
    {"8.8.8.8", "127.0.0.1", "INVALID_ARGUMENT"},  // not even spoofing
    {"2001:db8::1", "::1", "INVALID_ARGUMENT"},
    {"0.0.0.0", nullptr, "INVALID_ARGUMENT"},
    {"224.0.0.1", nullptr, "INVALID_ARGUMENT"},
    {"255.255.255.255", nullptr, "INVALID_ARGUMENT"},
    {"10.0.0.255", nullptr, "INVALID_ARGUMENT"},  // everyone on nst0
    {"ff02::1", nullptr, "INVALID_ARGUMENT"},
};

// [fault I19, I16] [RFC 9293 3.9.1.1 MUST-44, MUST-46]
TEST_F(InterfacesTest, PathsFollowOwnershipRoutesAndSourceChoice) {
  for (const PathCase& c : kPathCases) {
    EXPECT_EQ(Path(c.remote, c.local), c.want)
        << c.remote << " from " << (c.local ? c.local : "anywhere");
  }
}

TEST_F(InterfacesTest, OwnAddressesNeedALoopback) {
  Interfaces alone(10);
  const InterfaceId link = alone.Add({.name = "nst0"});
  ASSERT_TRUE(alone.AddAddress(link, Net("10.0.0.2/24")).ok());
  EXPECT_EQ(alone.PathTo(Ip("10.0.0.2"), std::nullopt).status().code(),
            absl::StatusCode::kUnavailable);
}

// [RFC 1122 3.2.1.3] (g) a route to everywhere does not lead there
TEST_F(InterfacesTest, LoopbackAddressesAreReachedByTheLoopbackOnly) {
  Interfaces alone(10);
  const InterfaceId link = alone.Add({.name = "nst0", .spoofing = true});
  ASSERT_TRUE(alone.AddAddress(link, Net("10.0.0.2/24")).ok());
  ASSERT_TRUE(alone.AddAddress(link, Net("2001:db8::2/64")).ok());
  ASSERT_TRUE(alone.AddRoute({Net("0.0.0.0/0"), link}).ok());
  ASSERT_TRUE(alone.AddRoute({Net("::/0"), link}).ok());
  for (const char* remote : {"127.0.0.1", "127.7.7.7", "::1"}) {
    for (const auto& local :
         {std::optional<IpAddress>(), std::optional<IpAddress>(Ip(remote))}) {
      EXPECT_EQ(alone.PathTo(Ip(remote), local).status().code(),
                absl::StatusCode::kUnavailable)
          << remote;
    }
  }
}

TEST_F(InterfacesTest, AnInterfaceWithoutTheFamilyReachesNothingOfIt) {
  ASSERT_TRUE(interfaces_.AddRoute({Net("::/0"), tunnel_}).ok());
  EXPECT_EQ(Path("2001:db9::1"), "UNAVAILABLE");
}

TEST_F(InterfacesTest, AcceptsItsOwnOnAnyInterfaceAndAnyoneInAnyAddressMode) {
  const Interface& link = interfaces_.at(link_);
  const Interface& tunnel = interfaces_.at(tunnel_);
  EXPECT_TRUE(interfaces_.Accepts(link, Ip("10.0.0.2")));
  EXPECT_TRUE(interfaces_.Accepts(link, Ip("10.9.0.2")));  // weak host
  EXPECT_FALSE(interfaces_.Accepts(link, Ip("10.0.0.3")));
  EXPECT_TRUE(interfaces_.Accepts(tunnel, Ip("198.51.100.1")));
  EXPECT_TRUE(interfaces_.Accepts(tunnel, Ip("2001:db9::1")));
  for (const char* to :
       {"224.0.0.1", "255.255.255.255", "ff02::1", "0.0.0.0"}) {
    EXPECT_FALSE(interfaces_.Accepts(tunnel, Ip(to))) << to;
  }
}

// [RFC 1122 3.2.1.3]
TEST_F(InterfacesTest, OurAddressesAreSourcesOnTheLoopbackOnly) {
  const Interface& link = interfaces_.at(link_);
  const Interface& loopback = interfaces_.at(loopback_);
  EXPECT_TRUE(interfaces_.IsCredible(link, Ip("10.0.0.1")));
  EXPECT_FALSE(interfaces_.IsCredible(link, Ip("10.0.0.2")));
  EXPECT_FALSE(interfaces_.IsCredible(link, Ip("10.9.0.2")));
  EXPECT_FALSE(interfaces_.IsCredible(link, Ip("10.0.0.255")));
  EXPECT_TRUE(interfaces_.IsCredible(loopback, Ip("10.0.0.2")));
  EXPECT_FALSE(interfaces_.IsCredible(loopback, Ip("10.0.0.255")));
}

// A choice that is remembered is the one that would be made.
TEST_F(InterfacesTest, SourcesFollowEveryChangeOfAddresses) {
  SeededRng rng(3);
  for (int round = 0; round < 300; ++round) {
    const auto own =
        IpAddress::Ipv4(10, 0, 0, static_cast<uint8_t>(10 + rng.Below(40)));
    const auto length = static_cast<uint8_t>(24 + rng.Below(8));
    if (!interfaces_.AddAddress(link_, {own, length}).ok()) {
      interfaces_.RemoveAddress(link_, own).IgnoreError();
    }
    for (uint8_t host = 100; host < 120; ++host) {
      const auto remote = IpAddress::Ipv4(10, 0, 0, host);
      const auto path = interfaces_.PathTo(remote, std::nullopt);
      ASSERT_TRUE(path.ok());
      EXPECT_EQ(path->source,
                ip::ChooseSource(interfaces_.at(link_).addresses(), remote));
    }
  }
}

// [fault U14, I11]
TEST_F(InterfacesTest, APathKnowsItsMtu) {
  const auto mtu = [this](const char* remote) {
    return interfaces_.PathTo(Ip(remote), std::nullopt)->mtu;
  };
  EXPECT_EQ(mtu("10.0.0.1"), 1500u);
  interfaces_.OnTooBig(link_, Ip("10.0.0.1"), 1400, Instant());
  EXPECT_EQ(mtu("10.0.0.1"), 1400u);
  EXPECT_EQ(mtu("10.0.0.9"), 1500u);
  interfaces_.at(link_).SetCapabilities({.mtu = 1300});
  EXPECT_EQ(mtu("10.0.0.1"), 1300u);
  EXPECT_EQ(interfaces_.PathFor(interfaces_.at(link_), Ip("10.0.0.1")).path_mss,
            1260);
}

TEST_F(InterfacesTest, SocketsWaitOnOurOwnAddressesOrForAnyoneWhereAllowed) {
  EXPECT_TRUE(interfaces_.CheckBind(Ip("0.0.0.0")).ok());
  EXPECT_TRUE(interfaces_.CheckBind(Ip("10.0.0.2")).ok());
  EXPECT_TRUE(
      interfaces_.CheckBind(Ip("198.51.100.1")).ok());  // tun0 takes all
  EXPECT_FALSE(interfaces_.CheckBind(Ip("224.0.0.1")).ok());
  Interfaces strict(10);
  strict.Add({.name = "nst0"});
  EXPECT_TRUE(strict.CheckBind(Ip("::")).ok());
  EXPECT_FALSE(strict.CheckBind(Ip("198.51.100.1")).ok());
}

TEST_F(InterfacesTest, ARouteToThePrefixComesAndGoesWithTheLastAddress) {
  ASSERT_TRUE(interfaces_.AddAddress(link_, Net("10.7.0.2/16")).ok());
  ASSERT_TRUE(interfaces_.AddAddress(link_, Net("10.7.0.3/16")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "nst0 10.7.0.2");
  ASSERT_TRUE(interfaces_.RemoveAddress(link_, Ip("10.7.0.2")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "nst0 10.7.0.3");
  ASSERT_TRUE(interfaces_.RemoveAddress(link_, Ip("10.7.0.3")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "tun0 10.9.0.2");
}

TEST_F(InterfacesTest, APrefixOfTwoInterfacesOutlivesTheFirst) {
  ASSERT_TRUE(interfaces_.AddAddress(link_, Net("10.7.0.2/16")).ok());
  ASSERT_TRUE(interfaces_.AddAddress(tunnel_, Net("10.7.0.3/16")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "nst0 10.7.0.2");
  ASSERT_TRUE(interfaces_.RemoveAddress(link_, Ip("10.7.0.2")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "tun0 10.7.0.3");
  ASSERT_TRUE(interfaces_.AddAddress(link_, Net("10.7.0.2/16")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "tun0 10.7.0.3");
  ASSERT_TRUE(interfaces_.RemoveAddress(tunnel_, Ip("10.7.0.3")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "nst0 10.7.0.2");
  ASSERT_TRUE(interfaces_.RemoveAddress(link_, Ip("10.7.0.2")).ok());
  EXPECT_EQ(Path("10.7.9.9"), "tun0 10.9.0.2");  // the route to everywhere
}

// Whether it was there before, or took the place of the one that was.
TEST_F(InterfacesTest, ARouteOfTheUserOutlivesTheAddressesInItsPrefix) {
  const Cidr prefix = Net("10.7.0.0/16");
  for (const bool before : {true, false}) {
    if (before) {
      ASSERT_TRUE(interfaces_.AddRoute({prefix, link_}).ok());
    }
    ASSERT_TRUE(interfaces_.AddAddress(link_, Net("10.7.0.2/16")).ok());
    if (!before) {
      ASSERT_TRUE(interfaces_.RemoveRoute(prefix).ok());
      ASSERT_TRUE(interfaces_.AddRoute({prefix, link_}).ok());
    }
    ASSERT_TRUE(interfaces_.RemoveAddress(link_, Ip("10.7.0.2")).ok());
    EXPECT_EQ(Path("10.7.9.9"), "nst0 10.0.0.2") << before;
    ASSERT_TRUE(interfaces_.RemoveRoute(prefix).ok());
  }
}

TEST_F(InterfacesTest, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(interfaces_.AddAddress(77, Net("10.0.0.9/24")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(interfaces_.RemoveAddress(link_, Ip("10.0.0.9")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(interfaces_.AddRoute({Net("10.5.0.0/16"), 77}).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(interfaces_.AddRoute({Net("0.0.0.0/0"), link_}).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(interfaces_.RemoveRoute(Net("10.5.0.0/16")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(interfaces_.RemoveRoute(Net("0.0.0.0/0")).ok());
  EXPECT_EQ(Path("8.8.8.8"), "UNAVAILABLE");
}

}  // namespace
}  // namespace tcpip
