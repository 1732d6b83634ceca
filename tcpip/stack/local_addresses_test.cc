#include "tcpip/stack/local_addresses.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

Cidr Net(const char* text) { return Cidr::Parse(text).value(); }
IpAddress Ip(const char* text) { return IpAddress::Parse(text).value(); }

struct RoleCase {
  const char* address;
  AddressRole want;
};

TEST(LocalAddresses, EveryAddressHasOneRole) {
  LocalAddresses addresses;
  for (const char* own :
       {"127.0.0.1/8", "::1/128", "10.0.0.2/24", "10.0.0.3/24", "10.1.0.2/31",
        "10.2.0.2/32", "192.168.0.255/23", "2001:db8::2/64"}) {
    addresses.Add(Net(own));
  }
  const RoleCase kRoles[] = {
      {"10.0.0.2", AddressRole::kOwn},
      {"10.0.0.3", AddressRole::kOwn},
      {"10.0.0.4", AddressRole::kForeign},
      {"10.0.0.0", AddressRole::kForeign},
      {"10.0.0.255", AddressRole::kBroadcast},
      {"10.1.0.2", AddressRole::kOwn},
      {"10.1.0.3", AddressRole::kForeign},  // [RFC 3021 2.1]
      {"10.2.0.2", AddressRole::kOwn},
      {"192.168.0.255", AddressRole::kOwn},  // a host of the wider prefix
      {"192.168.1.255", AddressRole::kBroadcast},
      {"127.0.0.1", AddressRole::kOwn},  // [fault F17]
      {"127.9.9.9", AddressRole::kOwn},
      {"127.255.255.255", AddressRole::kBroadcast},
      {"::1", AddressRole::kOwn},
      {"2001:db8::2", AddressRole::kOwn},
      {"2001:db8::ffff:ffff:ffff:ffff", AddressRole::kForeign},
      {"::", AddressRole::kForeign},
  };
  for (const RoleCase& c : kRoles) {
    EXPECT_EQ(addresses.RoleOf(Ip(c.address)), c.want) << c.address;
  }
}

TEST(LocalAddresses, WhatWasAddedTwiceIsRemovedTwice) {
  LocalAddresses addresses;
  addresses.Add(Net("10.0.0.2/24"));
  addresses.Add(Net("10.0.0.2/24"));
  addresses.Add(Net("10.0.0.3/24"));
  addresses.Remove(Net("10.0.0.2/24"));
  EXPECT_EQ(addresses.RoleOf(Ip("10.0.0.2")), AddressRole::kOwn);
  addresses.Remove(Net("10.0.0.2/24"));
  EXPECT_EQ(addresses.RoleOf(Ip("10.0.0.2")), AddressRole::kForeign);
  EXPECT_EQ(addresses.RoleOf(Ip("10.0.0.255")), AddressRole::kBroadcast);
  addresses.Remove(Net("10.0.0.3/24"));
  EXPECT_EQ(addresses.RoleOf(Ip("10.0.0.255")), AddressRole::kForeign);
}

TEST(LocalAddresses, WithoutALoopbackItsAddressesAreForeign) {
  LocalAddresses addresses;
  EXPECT_EQ(addresses.RoleOf(Ip("127.0.0.1")), AddressRole::kForeign);
  addresses.Add(Net("127.0.0.1/8"));
  addresses.Remove(Net("127.0.0.1/8"));
  addresses.Remove(Net("10.0.0.2/24"));  // was never there
  EXPECT_EQ(addresses.RoleOf(Ip("127.0.0.1")), AddressRole::kForeign);
}

}  // namespace
}  // namespace tcpip
