// The 10-byte virtio-net header that stands before each packet of a TUN device
// opened with IFF_VNET_HDR: checksum and segmentation offload, packet by
// packet. virtio 1.2 section 5.1.6, legacy layout; called by tun/ only.
//
//   0      1         2         4          6            8             10
//   | flags | gso_type | hdr_len | gso_size | csum_start | csum_offset |
//
// All offsets count from the first byte of the IP header. With kNeedsCsum the
// word at csum_start + csum_offset holds the pseudo-header sum and the real
// checksum, over csum_start to the end, is still owed. With a gso_type the
// packet is a super-segment to be cut into pieces of gso_size payload bytes;
// hdr_len (a hint to the kernel) is all headers together.
//
// The words are little-endian, as tun/ asks of the device (TUNSETVNETLE), so
// that neither the host's order nor the device's last holder has a say in it
// [fault L09]. No system header is needed and nothing is validated: tun/
// decides what it believes.
#ifndef TCPIP_WIRE_VIRTIO_NET_H_
#define TCPIP_WIRE_VIRTIO_NET_H_

#include <cstdint>

namespace tcpip::wire {

inline constexpr uint32_t kVirtioNetHeaderSize = 10;

struct VirtioNetHeader {
  enum Flags : uint8_t {
    kNeedsCsum = 1,
    kDataValid = 2,  // the sender vouches for the checksum
  };
  enum Gso : uint8_t {
    kGsoNone = 0,
    kGsoTcp4 = 1,
    kGsoUdp = 3,  // one datagram, to be cut into IP fragments
    kGsoTcp6 = 4,
    kGsoUdpL4 = 5,   // a run of datagrams
    kGsoEcn = 0x80,  // or-ed in: only the first piece carries CWR
  };
  uint8_t flags = 0;
  uint8_t gso_type = kGsoNone;
  uint16_t hdr_len = 0;
  uint16_t gso_size = 0;
  uint16_t csum_start = 0;
  uint16_t csum_offset = 0;

  friend bool operator==(const VirtioNetHeader&,
                         const VirtioNetHeader&) = default;
};

// Both need kVirtioNetHeaderSize bytes.
VirtioNetHeader LoadVirtioNet(const uint8_t* from);
void StoreVirtioNet(const VirtioNetHeader& header, uint8_t* to);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_VIRTIO_NET_H_
