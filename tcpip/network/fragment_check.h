// What both families refuse in a fragment before they look at any other: sizes
// that no honest sender makes. RFC 791 3.2, RFC 8200 4.5, RFC 7112.
//
// Called by the input checks of ipv4 and ipv6. How fragments fit each other is
// the business of reassembly.
#ifndef TCPIP_NETWORK_FRAGMENT_CHECK_H_
#define TCPIP_NETWORK_FRAGMENT_CHECK_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/network/ip_facts.h"

namespace tcpip::ip {

enum class FragmentFlaw : uint8_t {
  kNone,
  kEmpty,      // brings no data
  kUneven,     // others follow, and its length is no multiple of 8
  kTooLong,    // the whole would exceed 65,535 bytes
  kTinyFirst,  // the first, without the transport header
};

// `other_bytes` count towards the 65,535 beside the data of all fragments: the
// headers that are in every one of them, as far as the family counts those.
// `transport_bytes`: for the first fragment, the contiguous bytes from the
// transport header on.
FragmentFlaw FlawOf(const FragmentFacts& fragment, const InboundIp& ip,
                    size_t other_bytes, size_t transport_bytes);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_FRAGMENT_CHECK_H_
