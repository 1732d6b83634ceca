#include "tcpip/wire/virtio_net.h"

#include <cstring>
#include <type_traits>

namespace tcpip::wire {

// Host byte order and no padding: the struct is the wire image.
static_assert(sizeof(VirtioNetHeader) == kVirtioNetHeaderSize);
static_assert(std::is_trivially_copyable_v<VirtioNetHeader>);

VirtioNetHeader LoadVirtioNet(const uint8_t* from) {
  VirtioNetHeader header;
  std::memcpy(&header, from, kVirtioNetHeaderSize);
  return header;
}

void StoreVirtioNet(const VirtioNetHeader& header, uint8_t* to) {
  std::memcpy(to, &header, kVirtioNetHeaderSize);
}

}  // namespace tcpip::wire
