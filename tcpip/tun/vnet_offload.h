// Between a packet's Offload facts and the virtio-net header that says the
// same to the kernel. virtio 1.2 section 5.1.6. Pure; called by tun_queue.
//
// Inbound headers are data off a wire: what makes no sense is refused, never
// repaired. Outbound facts are our own.
#ifndef TCPIP_TUN_VNET_OFFLOAD_H_
#define TCPIP_TUN_VNET_OFFLOAD_H_

#include <cstddef>
#include <optional>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {

// The facts about a packet of `size` bytes that begins with `front`; nullopt
// when the header contradicts itself or the packet, or speaks of something we
// never offered (UDP segmentation).
std::optional<Offload> OffloadFromVnet(const wire::VirtioNetHeader& header,
                                       ByteSpan front, size_t size);

// The header for a packet of ours that begins with its contiguous headers.
wire::VirtioNetHeader VnetFromOffload(const Offload& offload, ByteSpan front);

}  // namespace tcpip

#endif  // TCPIP_TUN_VNET_OFFLOAD_H_
