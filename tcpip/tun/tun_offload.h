// The offloads of a TUN device with a virtio-net header: telling the kernel
// what it may leave to us, and finding out what we may leave to it. Called by
// tun_device; who falls back at run time is tun_queue.
//
// UDP segmentation is never asked for [fault L03].
#ifndef TCPIP_TUN_TUN_OFFLOAD_H_
#define TCPIP_TUN_TUN_OFFLOAD_H_

#include <string>

#include "absl/status/status.h"
#include "tcpip/link/link.h"
#include "tcpip/tun/tun_io.h"

namespace tcpip {

// INVALID_ARGUMENT for segmentation without the checksum.
absl::Status CheckOffloads(const LinkOffloads& offloads);

// What the kernel may leave to us, for all queues of the device. False when it
// knows no such offloads; then nothing has changed.
bool SetReceiveOffloads(TunIo& io, const LinkOffloads& rx);

// Makes the header what we read and write: ten bytes, little-endian. 0 or
// -errno. A persistent device keeps what its last holder set.
int SetVnetHeader(TunIo& io);

// What is left of `tx` when the kernel has looked at one super-segment of each
// family. A device that is down judges the header and drops the packet, which
// is why only such a device is asked; one that is up keeps what was wanted.
LinkOffloads ProbeTransmitOffloads(TunIo& io, const std::string& name,
                                   LinkOffloads tx);

// "checksum,tso4,tso6", "none"; as netstackctl takes and prints them
std::string ToString(const LinkOffloads& offloads);

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_OFFLOAD_H_
