// The names that scripts have for ICMP messages, of both families. RFC 792,
// 1812, 4443; a type or code without a name is written as a number.
#ifndef CONFORMANCE_ICMP_NAMES_H_
#define CONFORMANCE_ICMP_NAMES_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tcpip/wire/address.h"
#include "tcpip/wire/icmp.h"

namespace conformance {

// nullopt when a name is not one of the family's; code "" is 0.
std::optional<tcpip::wire::IcmpTypeCode> IcmpNumbers(tcpip::IpFamily family,
                                                     std::string_view type,
                                                     std::string_view code);

// Type and code; the code is "" where it is 0 and has no name.
std::pair<std::string, std::string> IcmpName(tcpip::IpFamily family,
                                             uint8_t type, uint8_t code);

}  // namespace conformance

#endif  // CONFORMANCE_ICMP_NAMES_H_
