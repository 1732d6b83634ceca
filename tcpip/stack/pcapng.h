// Packets as pcapng blocks, for Wireshark, tshark and tcpdump; the file format
// of draft-ietf-opsawg-pcapng sections 4.1 to 4.3. Pure: bytes are appended to
// a vector that somebody else writes to a file.
//
// A file is one section header, then its interfaces, numbered from 0, then
// packets. Packets are raw IP (LINKTYPE_RAW), super-segments whole. Called by
// stack/capture.
#ifndef TCPIP_STACK_PCAPNG_H_
#define TCPIP_STACK_PCAPNG_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tcpip/buffer/packet.h"

namespace tcpip::pcapng {

struct Record {
  enum class Direction : uint8_t { kIn = 1, kOut = 2 };

  uint32_t interface = 0;
  Direction direction = Direction::kIn;
  uint64_t unix_nanoseconds = 0;
  uint32_t snap_length = 0;       // bytes of the packet to keep
  std::string_view comment = {};  // UTF-8, at most 65535 bytes; shown beside it
};

void AppendSectionHeader(std::vector<uint8_t>& to, std::string_view program);
void AppendInterface(std::vector<uint8_t>& to, std::string_view name,
                     uint32_t snap_length);
void AppendPacket(std::vector<uint8_t>& to, const Record& record,
                  const Packet& packet);

}  // namespace tcpip::pcapng

#endif  // TCPIP_STACK_PCAPNG_H_
