#include "cmd/netstackctl/table.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace netstack {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

v1::Connection Established() {
  v1::Connection c;
  c.set_protocol("tcp");
  c.set_state("ESTAB");
  c.set_local("10.0.0.2:80");
  c.set_remote("10.0.0.1:4000");
  c.set_send_queue_bytes(7);
  c.mutable_info()->set_congestion("cubic");
  c.mutable_info()->set_recovery("open");
  c.mutable_info()->set_ssthresh(UINT32_MAX);
  c.mutable_info()->set_rto_us(204000);
  c.mutable_info()->set_srtt_us(1500);
  return c;
}

TEST(ConnectionTable, ColumnsAreThoseOfSs) {
  v1::Connection listener;
  listener.set_protocol("tcp");
  listener.set_state("LISTEN");
  listener.set_local("0.0.0.0:80");
  listener.set_send_queue_bytes(128);
  v1::Connection udp;
  udp.set_protocol("udp");
  udp.set_local("0.0.0.0:53");
  EXPECT_EQ(ConnectionTable({Established(), listener, udp}, false),
            "Netid State         Recv-Q    Send-Q  Local        Peer\n"
            "tcp   ESTAB              0         7  10.0.0.2:80  10.0.0.1:4000\n"
            "tcp   LISTEN             0       128  0.0.0.0:80   *\n"
            "udp   UNCONN             0         0  0.0.0.0:53   *\n");
}

TEST(ConnectionTable, InfoLeavesOutWhatIsAtItsDefault) {
  v1::Connection c = Established();
  std::string text = ConnectionTable({c}, true);
  EXPECT_TRUE(Has(text, "\t cubic wscale:0,0 rto:204 rtt:1.5/0 minrtt:0"))
      << text;
  for (const char* absent : {"ssthresh", "retrans", "timeouts", "open"}) {
    EXPECT_FALSE(Has(text, absent)) << absent;
  }
  c.mutable_info()->set_ssthresh(20000);
  c.mutable_info()->set_segs_retrans(3);
  c.mutable_info()->set_recovery("loss");
  text = ConnectionTable({c}, true);
  for (const char* present : {"ssthresh:20000", "retrans:3", " loss"}) {
    EXPECT_TRUE(Has(text, present)) << present;
  }
}

TEST(StatsTable, LinesAreSortedAndZerosOnlyWhenAsked) {
  v1::Stats stats;
  stats.set_uptime_ms(5);
  (*stats.mutable_counters())["tcp_in_segs"] = 3;
  (*stats.mutable_counters())["ip_in"] = 4;
  (*stats.mutable_counters())["ip_out"] = 0;
  (*stats.mutable_dropped())["bad_checksum"] = 2;
  EXPECT_EQ(StatsTable(stats, false),
            "uptime_ms                        5\n"
            "dropped_bad_checksum             2\n"
            "ip_in                            4\n"
            "tcp_in_segs                      3\n");
  EXPECT_TRUE(
      Has(StatsTable(stats, true), "ip_out                           0"));
}

TEST(NetworkTable, InterfacesThenRoutes) {
  v1::NetworkState state;
  v1::Interface* interface = state.add_interfaces();
  interface->set_name("nst0");
  interface->set_mtu(1500);
  interface->mutable_receive()->set_checksum(true);
  interface->mutable_receive()->set_tso4(true);
  interface->mutable_receive()->set_tso6(true);
  interface->mutable_send();
  interface->add_addresses("10.0.0.2/24");
  v1::Interface* loopback = state.add_interfaces();
  loopback->set_name("lo");
  loopback->set_mtu(65535);
  v1::Route* route = state.add_routes();
  route->set_destination("0.0.0.0/0");
  route->set_interface("nst0");
  EXPECT_EQ(NetworkTable(state),
            "nst0: mtu 1500 receive checksum,tso4,tso6 send none\n"
            "    10.0.0.2/24\n"
            "lo: mtu 65535\n"
            "0.0.0.0/0 dev nst0\n");
}

}  // namespace
}  // namespace netstack
