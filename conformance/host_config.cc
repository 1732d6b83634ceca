#include "conformance/host_config.h"

#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

void SetLinux(HostConfig& config) {
  config.stack.tcp.syn_retries = 5;
  config.stack.tcp.synack_retries = 5;
  config.stack.tcp.delayed_ack = Duration::Milliseconds(40);
  config.sockets.receive_buffer_bytes = 540'000;
  config.sockets.send_buffer_bytes = 256 * 1024;
  // What our stack does not have yet is switched off in the kernel, too.
  config.sysctls = {{"net.ipv4.tcp_congestion_control", "reno"},
                    {"net.ipv4.tcp_rmem", "4096 540000 540000"},
                    {"net.ipv4.tcp_wmem", "4096 262144 4194304"},
                    {"net.ipv4.tcp_syn_retries", "5"},
                    {"net.ipv4.tcp_synack_retries", "5"},
                    {"net.ipv4.tcp_syn_linear_timeouts", "0"},
                    {"net.ipv4.tcp_ecn", "0"},
                    {"net.ipv4.tcp_early_retrans", "0"},
                    {"net.ipv4.tcp_recovery", "0"},
                    {"net.ipv4.tcp_no_metrics_save", "1"}};
}

void SetFreebsd(HostConfig& config) {
  config.stack.tcp.delayed_ack = Duration::Milliseconds(40);
  config.stack.tcp.min_rto = Duration::Milliseconds(230);
  config.sockets.receive_buffer_bytes = 65'536;
  config.sockets.send_buffer_bytes = 32'768;
}

struct ProfileRow {
  Profile profile;
  const char* name;
  void (*set)(HostConfig&);
};
constexpr ProfileRow kProfiles[] = {
    {Profile::kNetstack, "netstack", [](HostConfig&) {}},
    {Profile::kLinux, "linux", SetLinux},
    {Profile::kFreebsd, "freebsd", SetFreebsd},
};

struct ModeRow {
  IpMode mode;
  const char* name;
  const char* local;
  const char* remote;
};
constexpr ModeRow kModes[] = {
    {IpMode::kIpv4, "ipv4", "192.168.0.1/16", "192.0.2.1"},
    {IpMode::kIpv6, "ipv6", "fd3d:fa7b:d17d::1/64", "2001:db8::1"},
    {IpMode::kIpv4Mapped, "ipv4-mapped-ipv6", "192.168.0.1/16", "192.0.2.1"},
};

const ModeRow& Row(IpMode mode) { return kModes[static_cast<int>(mode)]; }

}  // namespace

std::optional<Profile> ParseProfile(std::string_view name) {
  for (const ProfileRow& row : kProfiles) {
    if (row.name == name) return row.profile;
  }
  return std::nullopt;
}

const char* ProfileName(Profile profile) {
  return kProfiles[static_cast<int>(profile)].name;
}

std::optional<IpMode> ParseIpMode(std::string_view name) {
  for (const ModeRow& row : kModes) {
    if (row.name == name) return row.mode;
  }
  return std::nullopt;
}

const char* IpModeName(IpMode mode) { return Row(mode).name; }

void SetProfile(Profile profile, HostConfig& config) {
  kProfiles[static_cast<int>(profile)].set(config);
}

void SetIpMode(IpMode ip, HostConfig& config) {
  config.ip = ip;
  config.local = *tcpip::Cidr::Parse(Row(ip).local);
  config.remote = *tcpip::IpAddress::Parse(Row(ip).remote);
  // Room for the longer header, so that segments are as long in both families
  // and one script serves both.
  config.mtu = ip == IpMode::kIpv6 ? 1520 : 1500;
}

}  // namespace conformance
