// How a host under test is set up: addresses, link, stack settings, and the
// profiles, which are such settings under a name.
#ifndef CONFORMANCE_HOST_CONFIG_H_
#define CONFORMANCE_HOST_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcpip/stack/config.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/wire/address.h"

namespace conformance {

// Whose habits a script expects.
enum class Profile : uint8_t {
  kNetstack,  // ours, as the stack comes
  kLinux,
  kFreebsd,
};
std::optional<Profile> ParseProfile(std::string_view name);
const char* ProfileName(Profile profile);

enum class IpMode : uint8_t {
  kIpv4,
  kIpv6,
  kIpv4Mapped,  // IPv6 sockets, IPv4 packets
};
std::optional<IpMode> ParseIpMode(std::string_view name);
const char* IpModeName(IpMode mode);

struct HostConfig {
  tcpip::StackConfig stack = {};
  tcpip::tcp::SocketSettings sockets = {};  // of new ones

  IpMode ip = IpMode::kIpv4;
  tcpip::Cidr local;        // of the host under test
  tcpip::IpAddress remote;  // of the script
  uint32_t mtu = 1500;
  uint64_t seed = 1;  // of ISNs and ports

  // The same settings as Linux's keys and values, for the kernel's sake.
  std::vector<std::pair<std::string, std::string>> sysctls = {};
};

// What the profile says, over what was set before.
void SetProfile(Profile profile, HostConfig& config);
// Sets the addresses, too, which are of documentation and private ranges.
void SetIpMode(IpMode ip, HostConfig& config);

}  // namespace conformance

#endif  // CONFORMANCE_HOST_CONFIG_H_
