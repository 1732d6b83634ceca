#include "cmd/netstackctl/table.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cmd/netstackctl/offload_list.h"

namespace netstack {
namespace {

std::string Millis(uint64_t us) { return absl::StrFormat("%.3g", us / 1000.0); }

// One fact per word, as ss -i: what is zero or at its default is left out.
std::string InfoLine(const v1::TcpInfo& i) {
  std::string line = absl::StrCat("\t ", i.congestion());
  if (i.recovery() != "open") absl::StrAppend(&line, " ", i.recovery());
  if (i.timestamps()) absl::StrAppend(&line, " ts");
  if (i.sack()) absl::StrAppend(&line, " sack");
  absl::StrAppend(&line, " wscale:", i.snd_scale(), ",", i.rcv_scale());
  absl::StrAppend(&line, " rto:", Millis(i.rto_us()));
  if (i.srtt_us() > 0) {
    absl::StrAppend(&line, " rtt:", Millis(i.srtt_us()), "/",
                    Millis(i.rttvar_us()), " minrtt:", Millis(i.min_rtt_us()));
  }
  absl::StrAppend(&line, " mss:", i.smss(), " rcvmss:", i.rmss(),
                  " cwnd:", i.cwnd());
  if (i.ssthresh() < UINT32_MAX) {
    absl::StrAppend(&line, " ssthresh:", i.ssthresh());
  }
  absl::StrAppend(&line, " bytes_acked:", i.octets_acked(),
                  " bytes_received:", i.octets_in(), " segs_out:", i.segs_out(),
                  " segs_in:", i.segs_in());
  if (i.pipe() > 0) absl::StrAppend(&line, " pipe:", i.pipe());
  if (i.unsent_bytes() > 0) {
    absl::StrAppend(&line, " notsent:", i.unsent_bytes());
  }
  if (i.segs_retrans() > 0) {
    absl::StrAppend(&line, " retrans:", i.segs_retrans(),
                    " bytes_retrans:", i.octets_retrans());
  }
  if (i.timeouts() > 0) absl::StrAppend(&line, " timeouts:", i.timeouts());
  if (i.fast_recoveries() > 0) {
    absl::StrAppend(&line, " recoveries:", i.fast_recoveries());
  }
  if (i.ecn_reductions() > 0) {
    absl::StrAppend(&line, " ecn_reductions:", i.ecn_reductions());
  }
  absl::StrAppend(&line, " snd_wnd:", i.snd_wnd(), " rcv_wnd:", i.rcv_wnd());
  if (i.out_of_order_bytes() > 0) {
    absl::StrAppend(&line, " ooo:", i.out_of_order_bytes());
  }
  return line + "\n";
}

}  // namespace

std::string ConnectionTable(const std::vector<v1::Connection>& connections,
                            bool with_info) {
  size_t local = 5;
  for (const v1::Connection& c : connections) {
    local = std::max(local, c.local().size());
  }
  std::string text = absl::StrFormat("%-5s %-10s %9s %9s  %-*s  %s\n", "Netid",
                                     "State", "Recv-Q", "Send-Q",
                                     static_cast<int>(local), "Local", "Peer");
  for (const v1::Connection& c : connections) {
    absl::StrAppendFormat(&text, "%-5s %-10s %9d %9d  %-*s  %s\n", c.protocol(),
                          c.state().empty() ? "UNCONN" : c.state(),
                          c.receive_queue_bytes(), c.send_queue_bytes(),
                          static_cast<int>(local), c.local(),
                          c.remote().empty() ? "*" : c.remote());
    if (with_info && c.has_info()) text += InfoLine(c.info());
  }
  return text;
}

std::string StatsTable(const v1::Stats& stats, bool all) {
  std::map<std::string, uint64_t> lines(stats.counters().begin(),
                                        stats.counters().end());
  for (const auto& [reason, count] : stats.dropped()) {
    lines["dropped_" + reason] = count;
  }
  std::string text =
      absl::StrFormat("%-32s %d\n", "uptime_ms", stats.uptime_ms());
  for (const auto& [name, value] : lines) {
    if (value == 0 && !all) continue;
    absl::StrAppendFormat(&text, "%-32s %d\n", name, value);
  }
  return text;
}

std::string NetworkTable(const v1::NetworkState& state) {
  std::string text;
  for (const v1::Interface& i : state.interfaces()) {
    absl::StrAppend(&text, i.name(), ": mtu ", i.mtu());
    if (i.has_receive() && i.has_send()) {
      absl::StrAppend(&text, " receive ", ToString(i.receive()), " send ",
                      ToString(i.send()));
    }
    text += "\n";
    for (const std::string& a : i.addresses()) {
      absl::StrAppend(&text, "    ", a, "\n");
    }
  }
  for (const v1::Route& r : state.routes()) {
    absl::StrAppend(&text, r.destination(), " dev ", r.interface(), "\n");
  }
  return text;
}

}  // namespace netstack
