// All TCP options in one pass each way. RFC 9293 3.2, 2018, 7323.
//
// Unknown options, and known ones with another kind's length, are skipped; a
// length below 2 or past the end ends the parse and what was read stands; the
// first of a duplicate wins [fault X23]. Emission uses Linux's layout: MSS,
// SACK permitted + TS (or NOP NOP before either), NOP + WS, NOP NOP + SACK.
//
// Whether an option may stand on this segment, and what it means, is decided
// in transport/tcp.
#ifndef TCPIP_WIRE_TCP_OPTIONS_H_
#define TCPIP_WIRE_TCP_OPTIONS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "tcpip/base/bytes.h"

namespace tcpip::wire {

struct TcpTimestamps {
  uint32_t tsval = 0;
  uint32_t tsecr = 0;
  friend bool operator==(const TcpTimestamps&, const TcpTimestamps&) = default;
};

struct SackBlock {
  uint32_t left = 0;   // first sequence number
  uint32_t right = 0;  // one past the last
  friend bool operator==(const SackBlock&, const SackBlock&) = default;
};

inline constexpr int kMaxSackBlocks = 4;

struct TcpOptions {
  std::optional<uint16_t> mss;
  std::optional<uint8_t> window_scale;  // as on the wire; users clamp to 14
  bool sack_permitted = false;
  std::optional<TcpTimestamps> timestamps;
  std::array<SackBlock, kMaxSackBlocks> sack_blocks = {};
  uint8_t sack_block_count = 0;

  friend bool operator==(const TcpOptions&, const TcpOptions&) = default;
};

TcpOptions ParseTcpOptions(ByteSpan bytes);

// Bytes EmitTcpOptions would write: a multiple of 4, at most 40. SACK blocks
// that do not fit beside the other options are left out, last first.
uint32_t TcpOptionsSize(const TcpOptions& options);

// Writes exactly TcpOptionsSize(options) bytes and returns that count.
uint32_t EmitTcpOptions(const TcpOptions& options, MutableByteSpan to);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_TCP_OPTIONS_H_
