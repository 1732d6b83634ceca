// InterfaceId: the number of a stack's interface, in the order in which they
// were added; the same in all shards of a group.
#ifndef TCPIP_NETWORK_INTERFACE_ID_H_
#define TCPIP_NETWORK_INTERFACE_ID_H_

#include <cstdint>

namespace tcpip {

using InterfaceId = uint16_t;

}  // namespace tcpip

#endif  // TCPIP_NETWORK_INTERFACE_ID_H_
