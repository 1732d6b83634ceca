#include "service/convert.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace netstack::service {
namespace {

using tcpip::Duration;
using tcpip::tcp::SocketSettings;

bool Mentions(const absl::Status& status, absl::string_view text) {
  return status.code() == absl::StatusCode::kInvalidArgument &&
         status.message().find(text) != absl::string_view::npos;
}

TEST(Convert, StatusKeepsCodeAndText) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpc(absl::NotFoundError("no such thing"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such thing");
}

TEST(Convert, EndpointsAreReadAsTheyAreWritten) {
  for (const char* text : {"192.0.2.1:80", "[2001:db8::1]:443"}) {
    const auto endpoint = ToEndpoint("remote", text, false);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->ToString(), text);
  }
  EXPECT_TRUE(ToEndpoint("local", "0.0.0.0:0", true).ok());
}

TEST(Convert, BadEndpointNamesTheFieldAndWhatItHeld) {
  for (const char* text : {"", "192.0.2.1", "localhost:80", "192.0.2.1:70000",
                           "192.0.2.1:0", "2001:db8::1:80", "[::1]"}) {
    const absl::Status status = ToEndpoint("remote", text, false).status();
    EXPECT_TRUE(Mentions(status, "remote: '" + std::string(text) + "'"))
        << status;
  }
}

TEST(Convert, LongNonsenseIsCutInTheMessage) {
  const absl::Status status =
      ToEndpoint("remote", std::string(100000, 'x'), false).status();
  EXPECT_LT(status.message().size(), 300u);
}

TEST(Convert, AddressesAndPrefixes) {
  EXPECT_TRUE(ToAddress("remote", "192.0.2.1").ok());
  EXPECT_TRUE(Mentions(ToAddress("remote", "192.0.2").status(), "remote"));
  EXPECT_TRUE(ToCidr("address", "2001:db8::1/64").ok());
  EXPECT_TRUE(Mentions(ToCidr("address", "192.0.2.1/33").status(), "address"));
}

TEST(Convert, AbsentOptionsKeepTheirValue) {
  SocketSettings settings;
  settings.no_delay = true;
  settings.keepalive_idle = Duration::Seconds(5);
  v1::SocketOptions options;
  options.set_keepalive(true);
  options.set_user_timeout_ms(3000);
  EXPECT_TRUE(ApplyOptions(options, settings).ok());
  EXPECT_TRUE(settings.no_delay);
  EXPECT_TRUE(settings.keepalive);
  EXPECT_EQ(settings.keepalive_idle, Duration::Seconds(5));
  EXPECT_EQ(settings.user_timeout, Duration::Seconds(3));
}

TEST(Convert, EveryOptionIsApplied) {
  v1::SocketOptions options;
  options.set_no_delay(true);
  options.set_keepalive_idle_ms(1);
  options.set_keepalive_interval_ms(2);
  options.set_keepalive_count(3);
  options.set_send_buffer_bytes(65536);
  options.set_receive_buffer_bytes(131072);
  SocketSettings settings;
  ASSERT_TRUE(ApplyOptions(options, settings).ok());
  EXPECT_TRUE(settings.no_delay);
  EXPECT_EQ(settings.keepalive_idle, Duration::Milliseconds(1));
  EXPECT_EQ(settings.keepalive_interval, Duration::Milliseconds(2));
  EXPECT_EQ(settings.keepalive_count, 3);
  EXPECT_EQ(settings.send_buffer_bytes, 65536u);
  EXPECT_EQ(settings.receive_buffer_bytes, 131072u);
}

TEST(Convert, BadOptionIsNamed) {
  const struct {
    const char* field;
    void (*set)(v1::SocketOptions&);
  } cases[] = {
      {"keepalive_idle_ms",
       [](v1::SocketOptions& o) { o.set_keepalive_idle_ms(0); }},
      {"keepalive_interval_ms",
       [](v1::SocketOptions& o) { o.set_keepalive_interval_ms(0); }},
      {"keepalive_count",
       [](v1::SocketOptions& o) { o.set_keepalive_count(0); }},
      {"keepalive_count",
       [](v1::SocketOptions& o) { o.set_keepalive_count(128); }},
      {"send_buffer_bytes",
       [](v1::SocketOptions& o) { o.set_send_buffer_bytes(4095); }},
      {"receive_buffer_bytes",
       [](v1::SocketOptions& o) { o.set_receive_buffer_bytes(UINT32_MAX); }},
  };
  for (const auto& c : cases) {
    v1::SocketOptions options;
    c.set(options);
    SocketSettings settings;
    EXPECT_TRUE(Mentions(ApplyOptions(options, settings), c.field)) << c.field;
  }
}

TEST(Convert, DialTakesBothEndsAndItsTimeout) {
  v1::Dial dial;
  dial.set_remote("192.0.2.1:80");
  dial.set_local("192.0.2.2:0");
  dial.set_timeout_ms(1500);
  SocketSettings settings;
  settings.no_delay = true;
  const auto command = ToDial(dial, settings);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->options.remote.ToString(), "192.0.2.1:80");
  EXPECT_TRUE(command->options.settings.no_delay);
  EXPECT_EQ(command->timeout, Duration::Milliseconds(1500));
  dial.set_local("[2001:db8::1]:0");
  EXPECT_TRUE(Mentions(ToDial(dial, settings).status(), "dial.local"));
}

TEST(Convert, ListenHasABacklogOfItsOwnOrTheDefault) {
  v1::ListenRequest request;
  request.set_local("0.0.0.0:0");
  auto command = ToListen(request);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->options.backlog, 128u);
  request.set_backlog(7);
  command = ToListen(request);
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->options.backlog, 7u);
  request.set_backlog(65536);
  EXPECT_TRUE(Mentions(ToListen(request).status(), "backlog"));
}

TEST(Convert, UdpLocalFollowsTheFamilyOfRemote) {
  v1::DatagramOpen open;
  EXPECT_TRUE(ToUdpOpen(open).ok());
  open.set_remote("[2001:db8::1]:53");
  const auto command = ToUdpOpen(open);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->options.local.address.family(), tcpip::IpFamily::kIpv6);
  open.set_local("nonsense");
  EXPECT_TRUE(Mentions(ToUdpOpen(open).status(), "open.local"));
}

TEST(Convert, PingDefaultsAndLimits) {
  v1::PingRequest request;
  request.set_remote("192.0.2.1");
  const auto command = ToPing(request);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->payload_bytes, 56u);
  EXPECT_EQ(command->timeout, Duration::Seconds(1));
  request.set_seq(65536);
  EXPECT_TRUE(Mentions(ToPing(request).status(), "seq"));
  request.set_seq(1);
  request.set_payload_bytes(65508);
  EXPECT_TRUE(Mentions(ToPing(request).status(), "payload_bytes"));
}

// [fault L02] each feature by itself, each way by itself
TEST(Convert, OffloadsAreSwitchedOneByOne) {
  v1::SetOffloadsRequest request;
  EXPECT_EQ(ToSetOffloads(request).rx, tcpip::LinkOffloads());
  EXPECT_EQ(ToSetOffloads(request).tx, tcpip::LinkOffloads());
  request.mutable_receive()->set_checksum(true);
  request.mutable_receive()->set_tso6(true);
  request.mutable_send()->set_checksum(true);
  request.mutable_send()->set_tso4(true);
  EXPECT_EQ(ToSetOffloads(request).rx,
            (tcpip::LinkOffloads{.checksum = true, .tso6 = true}));
  EXPECT_EQ(ToSetOffloads(request).tx,
            (tcpip::LinkOffloads{.checksum = true, .tso4 = true}));
}

TEST(Convert, ConnectionIsWrittenAsSsWouldWriteIt) {
  tcpip::reply::Sockets::Entry entry;
  entry.summary.tuple = {*tcpip::IpEndpoint::Parse("10.0.0.2:80"),
                         *tcpip::IpEndpoint::Parse("10.0.0.1:4000")};
  entry.summary.state = tcpip::tcp::TcpState::kEstablished;
  entry.summary.send_queue = 3;
  entry.info.emplace();
  entry.info->rto = Duration::Milliseconds(200);
  v1::Connection out = ToProto(entry);
  EXPECT_EQ(out.protocol(), "tcp");
  EXPECT_EQ(out.state(), "ESTAB");
  EXPECT_EQ(out.local(), "10.0.0.2:80");
  EXPECT_EQ(out.remote(), "10.0.0.1:4000");
  EXPECT_EQ(out.send_queue_bytes(), 3u);
  EXPECT_EQ(out.info().rto_us(), 200000u);

  entry.summary.is_listener = true;
  entry.summary.protocol = 17;
  out = ToProto(entry);
  EXPECT_EQ(out.protocol(), "udp");
  EXPECT_EQ(out.remote(), "");
}

TEST(Convert, StatsHaveEveryCounterAndOnlyReasonsSeen) {
  tcpip::reply::Stats stats;
  stats.uptime = Duration::Seconds(2);
  stats.stack.tcp_in_segs = 5;
  stats.link.packets_out = 6;
  const v1::Stats out = ToProto(stats);
  EXPECT_EQ(out.uptime_ms(), 2000u);
  EXPECT_EQ(out.counters().at("tcp_in_segs"), 5u);
  EXPECT_EQ(out.counters().at("link_packets_out"), 6u);
  EXPECT_EQ(out.counters().at("udp_in_datagrams"), 0u);
  EXPECT_TRUE(out.dropped().empty());
}

TEST(Convert, NetworkNamesTheInterfaceOfARoute) {
  tcpip::reply::Network network;
  network.interfaces.resize(1);
  network.interfaces[0].id = 3;
  network.interfaces[0].config.name = "nst0";
  network.interfaces[0].addresses = {*tcpip::Cidr::Parse("10.0.0.2/24")};
  network.routes = {{*tcpip::Cidr::Parse("0.0.0.0/0"), 3}};
  const v1::NetworkState out = ToProto(network);
  ASSERT_EQ(out.interfaces_size(), 1);
  EXPECT_EQ(out.interfaces(0).addresses(0), "10.0.0.2/24");
  ASSERT_EQ(out.routes_size(), 1);
  EXPECT_EQ(out.routes(0).destination(), "0.0.0.0/0");
  EXPECT_EQ(out.routes(0).interface(), "nst0");
}

TEST(Convert, OffloadsAreTheDevicesAndNotTheLoopbacks) {
  tcpip::reply::Network network;
  network.interfaces.resize(2);
  network.interfaces[1].config.loopback = true;
  network.offloads.rx = {.checksum = true, .tso4 = true};
  network.offloads.tx = {.checksum = true, .tso6 = true};
  const v1::NetworkState out = ToProto(network);
  EXPECT_TRUE(out.interfaces(0).receive().checksum());
  EXPECT_TRUE(out.interfaces(0).receive().tso4());
  EXPECT_FALSE(out.interfaces(0).receive().tso6());
  EXPECT_TRUE(out.interfaces(0).send().checksum());
  EXPECT_FALSE(out.interfaces(0).send().tso4());
  EXPECT_TRUE(out.interfaces(0).send().tso6());
  EXPECT_FALSE(out.interfaces(1).has_receive());
  EXPECT_FALSE(out.interfaces(1).has_send());
}

}  // namespace
}  // namespace netstack::service
