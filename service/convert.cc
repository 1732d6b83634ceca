#include "service/convert.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/link/link.h"

namespace netstack::service {
namespace {

using tcpip::Cidr;
using tcpip::Duration;
using tcpip::IpAddress;
using tcpip::IpEndpoint;

// The packaged Abseil's string_view is its own type.
std::string_view View(absl::string_view text) {
  return {text.data(), text.size()};
}

absl::Status Invalid(absl::string_view field, absl::string_view held,
                     absl::string_view right) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": '", held.substr(0, 80), "' is not ", right));
}

// Buffers below two segments stall; above this they are a mistake.
constexpr uint32_t kMinBufferBytes = 4096;
constexpr uint32_t kMaxBufferBytes = uint32_t{256} << 20;

absl::Status CheckBuffer(absl::string_view field, uint32_t bytes) {
  if (bytes >= kMinBufferBytes && bytes <= kMaxBufferBytes) {
    return absl::OkStatus();
  }
  return Invalid(
      field, absl::StrCat(bytes),
      absl::StrCat("between ", kMinBufferBytes, " and ", kMaxBufferBytes));
}

absl::Status CheckPositive(absl::string_view field, uint32_t value) {
  if (value > 0) return absl::OkStatus();
  return Invalid(field, "0", "a positive number");
}

absl::string_view ProtocolName(uint8_t protocol) {
  switch (protocol) {
    case 6:
      return "tcp";
    case 17:
      return "udp";
    default:
      return "icmp";
  }
}

absl::string_view RecoveryName(tcpip::tcp::RecoveryState state) {
  switch (state) {
    case tcpip::tcp::RecoveryState::kOpen:
      return "open";
    case tcpip::tcp::RecoveryState::kDisorder:
      return "disorder";
    case tcpip::tcp::RecoveryState::kRecovery:
      return "recovery";
    case tcpip::tcp::RecoveryState::kLoss:
      return "loss";
  }
  return "";
}

uint64_t Micros(Duration d) { return static_cast<uint64_t>(d.microseconds()); }

void FillOffloads(const tcpip::LinkOffloads& in, v1::Offloads* out) {
  out->set_checksum(in.checksum);
  out->set_tso4(in.tso4);
  out->set_tso6(in.tso6);
}

void FillWindows(const tcpip::tcp::TcpInfo& in, v1::TcpInfo* out) {
  out->set_congestion(in.congestion);
  out->set_recovery(std::string(RecoveryName(in.recovery)));
  out->set_smss(in.smss);
  out->set_rmss(in.rmss);
  out->set_cwnd(in.cwnd);
  out->set_ssthresh(in.ssthresh);
  out->set_snd_wnd(in.snd_wnd);
  out->set_rcv_wnd(in.rcv_wnd);
  out->set_pipe(in.pipe);
  out->set_unsent_bytes(in.unsent_bytes);
  out->set_unacked_bytes(in.unacked_bytes);
  out->set_readable_bytes(in.readable_bytes);
  out->set_out_of_order_bytes(in.out_of_order_bytes);
  out->set_pinned_bytes(in.pinned_bytes);
  out->set_snd_scale(in.snd_scale);
  out->set_rcv_scale(in.rcv_scale);
  out->set_sack(in.sack);
  out->set_timestamps(in.timestamps);
  out->set_ecn(in.ecn);
}

void FillTimesAndCounters(const tcpip::tcp::TcpInfo& in, v1::TcpInfo* out) {
  out->set_rto_us(Micros(in.rto));
  out->set_srtt_us(Micros(in.srtt));
  out->set_rttvar_us(Micros(in.rttvar));
  out->set_min_rtt_us(Micros(in.min_rtt));
  out->set_segs_in(in.segs_in);
  out->set_segs_out(in.segs_out);
  out->set_data_segs_in(in.data_segs_in);
  out->set_data_segs_out(in.data_segs_out);
  out->set_octets_in(in.octets_in);
  out->set_octets_acked(in.octets_acked);
  out->set_octets_retrans(in.octets_retrans);
  out->set_segs_retrans(in.segs_retrans);
  out->set_timeouts(in.timeouts);
  out->set_fast_recoveries(in.fast_recoveries);
  out->set_dup_acks_in(in.dup_acks_in);
  out->set_dsacks_in(in.dsacks_in);
  out->set_sack_blocks_in(in.sack_blocks_in);
  out->set_rtt_samples_departure(in.rtt_samples_departure);
  out->set_rtt_samples_echo(in.rtt_samples_echo);
  out->set_zero_window_probes(in.zero_window_probes);
  out->set_ecn_reductions(in.ecn_reductions);
  out->set_marked_in(in.marked_in);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  // The codes of both are the same numbers.
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()));
}

absl::StatusOr<IpEndpoint> ToEndpoint(absl::string_view field,
                                      absl::string_view text, bool any_port) {
  const auto endpoint = IpEndpoint::Parse(View(text));
  if (!endpoint.has_value()) {
    return Invalid(field, text,
                   "an address and port such as 192.0.2.1:80 or "
                   "[2001:db8::1]:80 (names are not looked up)");
  }
  if (endpoint->port == 0 && !any_port) {
    return Invalid(field, text, "usable: the port must be 1 to 65535");
  }
  return *endpoint;
}

absl::StatusOr<IpAddress> ToAddress(absl::string_view field,
                                    absl::string_view text) {
  const auto address = IpAddress::Parse(View(text));
  if (address.has_value()) return *address;
  return Invalid(field, text, "an address such as 192.0.2.1 or 2001:db8::1");
}

absl::StatusOr<Cidr> ToCidr(absl::string_view field, absl::string_view text) {
  const auto cidr = Cidr::Parse(View(text));
  if (cidr.has_value()) return *cidr;
  return Invalid(field, text,
                 "an address with prefix length such as 192.0.2.1/24");
}

absl::Status ApplyOptions(const v1::SocketOptions& options,
                          tcpip::tcp::SocketSettings& settings) {
  absl::Status status;
  if (options.has_no_delay()) settings.no_delay = options.no_delay();
  if (options.has_keepalive()) settings.keepalive = options.keepalive();
  if (options.has_keepalive_idle_ms()) {
    status.Update(
        CheckPositive("keepalive_idle_ms", options.keepalive_idle_ms()));
    settings.keepalive_idle =
        Duration::Milliseconds(options.keepalive_idle_ms());
  }
  if (options.has_keepalive_interval_ms()) {
    status.Update(CheckPositive("keepalive_interval_ms",
                                options.keepalive_interval_ms()));
    settings.keepalive_interval =
        Duration::Milliseconds(options.keepalive_interval_ms());
  }
  if (options.has_keepalive_count()) {
    const uint32_t n = options.keepalive_count();
    if (n == 0 || n > 127) {
      status.Update(
          Invalid("keepalive_count", absl::StrCat(n), "between 1 and 127"));
    }
    settings.keepalive_count = static_cast<uint8_t>(n);
  }
  if (options.has_user_timeout_ms()) {
    settings.user_timeout = Duration::Milliseconds(options.user_timeout_ms());
  }
  if (options.has_send_buffer_bytes()) {
    status.Update(
        CheckBuffer("send_buffer_bytes", options.send_buffer_bytes()));
    settings.send_buffer_bytes = options.send_buffer_bytes();
  }
  if (options.has_receive_buffer_bytes()) {
    status.Update(
        CheckBuffer("receive_buffer_bytes", options.receive_buffer_bytes()));
    settings.receive_buffer_bytes = options.receive_buffer_bytes();
  }
  return status;
}

absl::StatusOr<tcpip::command::TcpDial> ToDial(
    const v1::Dial& dial, const tcpip::tcp::SocketSettings& settings) {
  tcpip::command::TcpDial command;
  const auto remote = ToEndpoint("dial.remote", dial.remote(), false);
  if (!remote.ok()) return remote.status();
  command.options.remote = *remote;
  if (!dial.local().empty()) {
    const auto local = ToEndpoint("dial.local", dial.local(), true);
    if (!local.ok()) return local.status();
    if (local->address.family() != remote->address.family()) {
      return Invalid("dial.local", dial.local(),
                     "of the same family as dial.remote");
    }
    command.options.local = *local;
  }
  command.options.settings = settings;
  command.timeout = Duration::Milliseconds(dial.timeout_ms());
  return command;
}

absl::StatusOr<tcpip::command::TcpListen> ToListen(
    const v1::ListenRequest& request) {
  tcpip::command::TcpListen command;
  const auto local = ToEndpoint("local", request.local(), true);
  if (!local.ok()) return local.status();
  command.options.local = *local;
  if (request.backlog() > 65535) {
    return Invalid("backlog", absl::StrCat(request.backlog()), "at most 65535");
  }
  if (request.backlog() != 0) command.options.backlog = request.backlog();
  const absl::Status status =
      ApplyOptions(request.options(), command.options.settings);
  if (!status.ok()) return status;
  return command;
}

absl::StatusOr<tcpip::command::UdpOpen> ToUdpOpen(
    const v1::DatagramOpen& request) {
  tcpip::command::UdpOpen command;
  if (!request.remote().empty()) {
    const auto remote = ToEndpoint("open.remote", request.remote(), false);
    if (!remote.ok()) return remote.status();
    command.options.remote = *remote;
    command.options.local.address = IpAddress::Any(remote->address.family());
  }
  if (!request.local().empty()) {
    const auto local = ToEndpoint("open.local", request.local(), true);
    if (!local.ok()) return local.status();
    command.options.local = *local;
  }
  return command;
}

absl::StatusOr<tcpip::command::Ping> ToPing(const v1::PingRequest& request) {
  tcpip::command::Ping command;
  const auto remote = ToAddress("remote", request.remote());
  if (!remote.ok()) return remote.status();
  command.remote = *remote;
  if (request.seq() > 65535) {
    return Invalid("seq", absl::StrCat(request.seq()), "at most 65535");
  }
  command.seq = static_cast<uint16_t>(request.seq());
  if (request.payload_bytes() > 65507) {
    return Invalid("payload_bytes", absl::StrCat(request.payload_bytes()),
                   "at most 65507");
  }
  if (request.payload_bytes() != 0) {
    command.payload_bytes = request.payload_bytes();
  }
  if (request.timeout_ms() != 0) {
    command.timeout = Duration::Milliseconds(request.timeout_ms());
  }
  return command;
}

tcpip::command::SetOffloads ToSetOffloads(
    const v1::SetOffloadsRequest& request) {
  const auto offloads = [](const v1::Offloads& from) -> tcpip::LinkOffloads {
    return {
        .checksum = from.checksum(), .tso4 = from.tso4(), .tso6 = from.tso6()};
  };
  return {.rx = offloads(request.receive()), .tx = offloads(request.send())};
}

v1::Reset::Reason ToResetReason(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kAborted:
      return v1::Reset::PEER_RESET;
    case absl::StatusCode::kDeadlineExceeded:
      return v1::Reset::TIMED_OUT;
    case absl::StatusCode::kUnavailable:
      return v1::Reset::UNREACHABLE;
    case absl::StatusCode::kCancelled:
      return v1::Reset::SHUTDOWN;
    default:
      return v1::Reset::ABORTED;
  }
}

v1::Connection ToProto(const tcpip::reply::Sockets::Entry& entry) {
  const tcpip::SocketSummary& s = entry.summary;
  v1::Connection out;
  out.set_id(s.socket.ToU64());
  out.set_protocol(std::string(ProtocolName(s.protocol)));
  out.set_local(s.tuple.local.ToString());
  if (s.protocol == 6) {
    out.set_state(std::string(tcpip::tcp::ToString(s.state)));
  }
  if (!s.is_listener) out.set_remote(s.tuple.remote.ToString());
  out.set_send_queue_bytes(s.send_queue);
  out.set_receive_queue_bytes(s.receive_queue);
  if (entry.info.has_value()) {
    FillWindows(*entry.info, out.mutable_info());
    FillTimesAndCounters(*entry.info, out.mutable_info());
  }
  return out;
}

v1::Stats ToProto(const tcpip::reply::Stats& stats) {
  const tcpip::StackStats& s = stats.stack;
  const tcpip::LinkCounters& l = stats.link;
  v1::Stats out;
  out.set_uptime_ms(static_cast<uint64_t>(stats.uptime.milliseconds()));
  const std::pair<const char*, uint64_t> counters[] = {
      {"ip_in", s.ip_in},
      {"ip_in_bytes", s.ip_in_bytes},
      {"packets_handed_over", s.packets_handed_over},
      {"ip_out", s.ip_out},
      {"ip_out_bytes", s.ip_out_bytes},
      {"ip_reasm_reqds", s.ip_reasm_reqds},
      {"ip_reasm_oks", s.ip_reasm_oks},
      {"ip_reasm_fails", s.ip_reasm_fails},
      {"ip_frag_oks", s.ip_frag_oks},
      {"ip_frag_fails", s.ip_frag_fails},
      {"ip_frag_creates", s.ip_frag_creates},
      {"tcp_in_segs", s.tcp_in_segs},
      {"tcp_out_segs", s.tcp_out_segs},
      {"tcp_retrans_segs", s.tcp_retrans_segs},
      {"tcp_active_opens", s.tcp_active_opens},
      {"tcp_passive_opens", s.tcp_passive_opens},
      {"tcp_attempt_fails", s.tcp_attempt_fails},
      {"tcp_estab_resets", s.tcp_estab_resets},
      {"tcp_out_rsts", s.tcp_out_rsts},
      {"tcp_curr_estab", s.tcp_curr_estab},
      {"tcp_time_wait", s.tcp_time_wait},
      {"tcp_time_wait_overflows", s.tcp_time_wait_overflows},
      {"tcp_half_open", s.tcp_half_open},
      {"tcp_listen_overflows", s.tcp_listen_overflows},
      {"udp_in_datagrams", s.udp_in_datagrams},
      {"udp_out_datagrams", s.udp_out_datagrams},
      {"icmp_in_msgs", s.icmp_in_msgs},
      {"icmp_out_msgs", s.icmp_out_msgs},
      {"sockets", s.sockets},
      {"pinned_bytes", s.pinned_bytes},
      {"memory_budget_bytes", s.memory_budget_bytes},
      {"turns", stats.turns},
      {"link_packets_in", l.packets_in},
      {"link_bytes_in", l.bytes_in},
      {"link_packets_out", l.packets_out},
      {"link_bytes_out", l.bytes_out},
      {"link_read_errors", l.read_errors},
      {"link_write_errors", l.write_errors},
      {"link_bad_frames_in", l.bad_frames_in},
      {"link_drops_in", l.drops_in},
      {"link_down", l.down},
      {"link_refused_offloads", l.refused_offloads},
      {"link_disabled_offloads", l.disabled_offloads},
  };
  for (const auto& [name, value] : counters) {
    (*out.mutable_counters())[name] = value;
  }
  for (int i = 0; i < tcpip::kDropReasonCount; ++i) {
    const auto reason = static_cast<tcpip::DropReason>(i);
    if (s.Dropped(reason) == 0) continue;
    (*out.mutable_dropped())[std::string(tcpip::ToString(reason))] =
        s.Dropped(reason);
  }
  return out;
}

v1::NetworkState ToProto(const tcpip::reply::Network& network) {
  v1::NetworkState out;
  const auto name_of = [&](tcpip::InterfaceId id) -> std::string {
    for (const auto& i : network.interfaces) {
      if (i.id == id) return i.config.name;
    }
    return "";
  };
  for (const tcpip::InterfaceInfo& i : network.interfaces) {
    v1::Interface* to = out.add_interfaces();
    to->set_name(i.config.name);
    to->set_mtu(i.config.link.mtu);
    if (!i.config.loopback) {
      FillOffloads(network.offloads.rx, to->mutable_receive());
      FillOffloads(network.offloads.tx, to->mutable_send());
    }
    for (const Cidr& a : i.addresses) to->add_addresses(a.ToString());
  }
  for (const tcpip::Route& r : network.routes) {
    v1::Route* to = out.add_routes();
    to->set_destination(r.destination.ToString());
    to->set_interface(name_of(r.interface));
  }
  return out;
}

v1::PingReply ToProto(const tcpip::EchoReply& reply) {
  v1::PingReply out;
  out.set_remote(reply.source.ToString());
  out.set_seq(reply.seq);
  out.set_payload_bytes(static_cast<uint32_t>(reply.payload_bytes));
  out.set_ttl(reply.ttl);
  out.set_rtt_us(Micros(reply.rtt));
  return out;
}

}  // namespace netstack::service
