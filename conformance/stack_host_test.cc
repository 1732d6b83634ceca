#include "conformance/stack_host.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/linux_constants.h"
#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::sim::Bytes;
using tcpip::wire::TcpFlags;

const IpEndpoint kHost = {IpAddress::Ipv4(192, 168, 0, 1), 8080};
const IpEndpoint kPeer = {IpAddress::Ipv4(192, 0, 2, 1), 40000};

constexpr Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }

std::unique_ptr<Host> MakeHost(uint64_t seed = 1) {
  HostConfig config;
  SetIpMode(IpMode::kIpv4, config);
  config.seed = seed;
  auto host = StackHost::Make(config);
  EXPECT_TRUE(host.ok()) << host.status();
  return *std::move(host);
}

// A call that does not block.
int64_t Do(Host& host, const Call& call) {
  const auto finished = host.FinishCall(host.StartCall(call), host.now());
  EXPECT_TRUE(finished) << "it blocks";
  if (!finished) return -1;
  EXPECT_EQ(finished->at, host.now());
  EXPECT_EQ(finished->result.error, 0);
  return finished->result.value;
}

int Socket(Host& host) {
  return static_cast<int>(Do(host, call::Socket{.domain = Linux("AF_INET"),
                                                .type = Linux("SOCK_STREAM")}));
}

int Listen(Host& host) {
  const int fd = Socket(host);
  Do(host, call::Bind{.fd = fd, .local = {IpAddress::Ipv4(0, 0, 0, 0), 8080}});
  Do(host, call::Listen{.fd = fd, .backlog = 5});
  return fd;
}

void Send(Host& host, int flags, uint32_t seq, uint32_t ack) {
  host.Inject(tcpip::sim::Build(tcpip::sim::TcpPacket{.from = kPeer,
                                                      .to = kHost,
                                                      .seq = seq,
                                                      .ack = ack,
                                                      .flags = TcpFlags(flags),
                                                      .options = {}}));
}

// The flags of the next packet that leaves by then, "" for none; and when.
struct Heard {
  std::string flags;
  Duration at;
  uint32_t seq = 0;
};
Heard Hear(Host& host, Duration until) {
  const auto sent = host.NextPacket(until);
  if (!sent) return {};
  const auto read = tcpip::sim::Read(sent->bytes);
  EXPECT_TRUE(read && read->tcp && read->checksum_valid);
  if (!read || !read->tcp) return {};
  return {read->tcp->header.flags.ToString(), sent->at, read->tcp->header.seq};
}

// Establishes a connection and accepts it.
struct Connection {
  int fd = -1;
  uint32_t seq = 0;  // of the host, next
};
Connection Accept(Host& host, int listener) {
  Send(host, TcpFlags::kSyn, 100, 0);
  const Heard syn_ack = Hear(host, host.now());
  EXPECT_EQ(syn_ack.flags, "S.");
  Send(host, TcpFlags::kAck, 101, syn_ack.seq + 1);
  return {static_cast<int>(Do(host, call::Accept{.fd = listener})),
          syn_ack.seq + 1};
}

TEST(StackHostTest, TimePassesOnlyWhenItIsTold) {
  const auto host = MakeHost();
  EXPECT_EQ(host->now(), Ms(0));
  host->AdvanceTo(Ms(50));
  EXPECT_EQ(host->now(), Ms(50));
  host->AdvanceTo(Ms(20));
  EXPECT_EQ(host->now(), Ms(50));
  EXPECT_FALSE(host->NextPacket(Ms(70)));
  EXPECT_EQ(host->now(), Ms(70));
}

TEST(StackHostTest, APacketHasTheTimeOfItsDeadline) {
  const auto host = MakeHost();
  Listen(*host);
  Send(*host, TcpFlags::kSyn, 100, 0);
  EXPECT_EQ(Hear(*host, Ms(0)).flags, "S.");
  // [RFC 6298 2] the SYN-ACK is sent again after a second: time stops there.
  EXPECT_EQ(Hear(*host, Ms(999)).flags, "");
  const Heard again = Hear(*host, Ms(5000));
  EXPECT_EQ(again.flags, "S.");
  EXPECT_EQ(again.at, Ms(1000));
  EXPECT_EQ(host->now(), Ms(1000));
}

TEST(StackHostTest, WhatWasSentWhileTimePassedKeepsItsTime) {
  const auto host = MakeHost();
  Listen(*host);
  Send(*host, TcpFlags::kSyn, 100, 0);
  host->AdvanceTo(Ms(2500));
  EXPECT_EQ(Hear(*host, Ms(0)).at, Ms(0));
  EXPECT_EQ(Hear(*host, Ms(0)).at, Ms(1000));
  EXPECT_EQ(Hear(*host, Ms(2500)).flags, "");
  EXPECT_EQ(host->now(), Ms(2500));
}

TEST(StackHostTest, ACallThatBlocksFinishesWhenItCan) {
  const auto host = MakeHost();
  const int fd = Listen(*host);
  const auto poll = host->StartCall(call::Poll{
      .entries = {{.fd = fd, .events = Linux("POLLIN")}}, .timeout_ms = 30});
  EXPECT_FALSE(host->FinishCall(poll, Ms(29)));
  EXPECT_EQ(host->now(), Ms(29));
  const auto finished = host->FinishCall(poll, Ms(100));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->at, Ms(30));
  EXPECT_EQ(host->now(), Ms(30));
  EXPECT_FALSE(host->FinishCall(poll, Ms(30))) << "once";
}

TEST(StackHostTest, ACallFinishesAtThePacketItWaitedFor) {
  const auto host = MakeHost();
  const int listener = Listen(*host);
  const auto accept = host->StartCall(call::Accept{.fd = listener});
  host->AdvanceTo(Ms(10));
  Send(*host, TcpFlags::kSyn, 100, 0);
  const uint32_t seq = Hear(*host, Ms(10)).seq;
  host->AdvanceTo(Ms(20));
  Send(*host, TcpFlags::kAck, 101, seq + 1);
  host->AdvanceTo(Ms(30));
  const auto finished = host->FinishCall(accept, Ms(30));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->at, Ms(20));
  EXPECT_EQ(finished->result.peer, kPeer);
}

TEST(StackHostTest, StatesAreThoseOfAllSockets) {
  const auto host = MakeHost();
  const Connection connection = Accept(*host, Listen(*host));
  std::vector<std::string> states = host->TcpStates();
  std::sort(states.begin(), states.end());
  EXPECT_EQ(states, (std::vector<std::string>{"ESTAB", "LISTEN"}));
  Do(*host, call::Close{.fd = connection.fd});
  EXPECT_EQ(Hear(*host, host->now()).flags, "F.");
  Send(*host, TcpFlags::kFin | TcpFlags::kAck, 101, connection.seq + 1);
  EXPECT_EQ(Hear(*host, host->now()).flags, ".");
  states = host->TcpStates();
  std::sort(states.begin(), states.end());
  EXPECT_EQ(states, (std::vector<std::string>{"LISTEN", "TIME-WAIT"}));
}

TEST(StackHostTest, DroppedConnectionsAreResetAndListenersStay) {
  const auto host = MakeHost();
  const int listener = Listen(*host);
  Accept(*host, listener);
  host->DropConnections();
  EXPECT_EQ(Hear(*host, host->now()).flags, "R.");
  EXPECT_EQ(host->TcpStates(), std::vector<std::string>{"LISTEN"});
  EXPECT_EQ(Hear(*host, host->now()).flags, "");
}

TEST(StackHostTest, TheSeedDecidesTheIsn) {
  const auto isn = [](uint64_t seed) {
    const auto host = MakeHost(seed);
    Listen(*host);
    Send(*host, TcpFlags::kSyn, 100, 0);
    return Hear(*host, Ms(0)).seq;
  };
  EXPECT_EQ(isn(1), isn(1));
  EXPECT_NE(isn(1), isn(2));
}

TEST(StackHostTest, AddressesThatCannotBeAreRefused) {
  HostConfig config;
  SetIpMode(IpMode::kIpv4, config);
  config.local.address = IpAddress::Ipv4(224, 0, 0, 1);
  EXPECT_FALSE(StackHost::Make(config).ok());
}

}  // namespace
}  // namespace conformance
