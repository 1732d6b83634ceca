#include "tcpip/wire/tcp_options.h"

#include <algorithm>
#include <cassert>

namespace tcpip::wire {
namespace {

enum Kind : uint8_t {
  kEnd = 0,
  kNop = 1,
  kMss = 2,
  kWindowScale = 3,
  kSackPermitted = 4,
  kSack = 5,
  kTimestamps = 8,
};

constexpr uint32_t kMaxOptionsSize = 40;
constexpr uint32_t kMssSize = 4;
constexpr uint32_t kWindowScaleSize = 3;
constexpr uint32_t kSackPermittedSize = 2;
constexpr uint32_t kTimestampsSize = 10;
constexpr uint32_t kSackBlockSize = 8;

// What options cost on the wire, with the NOPs that align them to 4 bytes.
constexpr uint32_t kPaddedWindowScaleSize = 4;
constexpr uint32_t kPaddedSackPermittedSize = 4;
constexpr uint32_t kPaddedTimestampsSize = 12;
constexpr uint32_t kPaddedSackHeaderSize = 4;

// The first four bytes of an aligned option.
constexpr uint32_t Word(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}
constexpr uint32_t kAlignedTimestamps =
    Word(kNop, kNop, kTimestamps, kTimestampsSize);

TcpTimestamps LoadTimestamps(const uint8_t* p) {
  return {LoadBe32(p), LoadBe32(p + 4)};
}

// Takes one option, `option` spanning its kind and length bytes too. A length
// that is not the kind's own makes it an unknown option; the first of
// duplicates wins [fault X23].
void TakeOption(ByteSpan option, TcpOptions& options) {
  const uint8_t* const value = option.data() + 2;
  const size_t size = option.size();
  switch (option[0]) {
    case kMss:
      if (size == kMssSize && !options.mss) options.mss = LoadBe16(value);
      break;
    case kWindowScale:
      if (size == kWindowScaleSize && !options.window_scale) {
        options.window_scale = value[0];
      }
      break;
    case kSackPermitted:
      if (size == kSackPermittedSize) options.sack_permitted = true;
      break;
    case kSack: {
      const size_t count = (size - 2) / kSackBlockSize;
      if (size != 2 + count * kSackBlockSize || count > kMaxSackBlocks ||
          options.sack_block_count != 0) {
        break;
      }
      for (size_t i = 0; i < count; ++i) {
        const uint8_t* const block = value + i * kSackBlockSize;
        options.sack_blocks[i] = {LoadBe32(block), LoadBe32(block + 4)};
      }
      options.sack_block_count = static_cast<uint8_t>(count);
      break;
    }
    case kTimestamps:
      if (size == kTimestampsSize && !options.timestamps) {
        options.timestamps = LoadTimestamps(value);
      }
      break;
    default:  // [RFC 9293 3.1 MUST-6] unknown options are skipped
      break;
  }
}

uint32_t SizeWithoutSack(const TcpOptions& options) {
  uint32_t size = 0;
  if (options.mss) size += kMssSize;
  if (options.timestamps) {
    size += kPaddedTimestampsSize;  // SACK permitted takes the two NOPs' place
  } else if (options.sack_permitted) {
    size += kPaddedSackPermittedSize;
  }
  if (options.window_scale) size += kPaddedWindowScaleSize;
  return size;
}

// Blocks that fit beside the other options, which leave at least 20 bytes.
uint32_t SackBlocksToEmit(const TcpOptions& options, uint32_t size_without) {
  const uint32_t room = kMaxOptionsSize - size_without - kPaddedSackHeaderSize;
  return std::min(uint32_t{options.sack_block_count}, room / kSackBlockSize);
}

uint8_t* Append(uint8_t* to, uint32_t word) {
  StoreBe32(to, word);
  return to + 4;
}

}  // namespace

TcpOptions ParseTcpOptions(ByteSpan bytes) {
  TcpOptions options;
  // Nearly every segment of an established connection begins like this.
  if (bytes.size() >= kPaddedTimestampsSize &&
      LoadBe32(bytes.data()) == kAlignedTimestamps) {
    options.timestamps = LoadTimestamps(bytes.data() + 4);
    bytes = bytes.subspan(kPaddedTimestampsSize);
  }
  while (!bytes.empty() && bytes[0] != kEnd) {
    if (bytes[0] == kNop) {
      bytes = bytes.subspan(1);
      continue;
    }
    // [RFC 9293 3.1 MUST-7] a length that cannot be ends the parse and what
    // was read stands, as in Linux; no reset, which the RFC only suggests.
    if (bytes.size() < 2 || bytes[1] < 2 || bytes[1] > bytes.size()) break;
    TakeOption(bytes.first(bytes[1]), options);
    bytes = bytes.subspan(bytes[1]);
  }
  return options;
}

uint32_t TcpOptionsSize(const TcpOptions& options) {
  const uint32_t size = SizeWithoutSack(options);
  const uint32_t blocks = SackBlocksToEmit(options, size);
  if (blocks == 0) return size;
  return size + kPaddedSackHeaderSize + blocks * kSackBlockSize;
}

uint32_t EmitTcpOptions(const TcpOptions& options, MutableByteSpan to) {
  assert(options.sack_block_count <= kMaxSackBlocks);
  assert(to.size() >= TcpOptionsSize(options));
  uint8_t* p = to.data();
  if (options.mss) p = Append(p, Word(kMss, kMssSize, 0, 0) | *options.mss);
  if (options.timestamps) {
    p = Append(p, options.sack_permitted
                      ? Word(kSackPermitted, kSackPermittedSize, kTimestamps,
                             kTimestampsSize)
                      : kAlignedTimestamps);
    p = Append(p, options.timestamps->tsval);
    p = Append(p, options.timestamps->tsecr);
  } else if (options.sack_permitted) {
    p = Append(p, Word(kNop, kNop, kSackPermitted, kSackPermittedSize));
  }
  if (options.window_scale) {
    p = Append(
        p, Word(kNop, kWindowScale, kWindowScaleSize, *options.window_scale));
  }
  const uint32_t blocks = SackBlocksToEmit(options, SizeWithoutSack(options));
  if (blocks != 0) {
    p = Append(p, Word(kNop, kNop, kSack, 2 + blocks * kSackBlockSize));
    for (uint32_t i = 0; i < blocks; ++i) {
      p = Append(p, options.sack_blocks[i].left);
      p = Append(p, options.sack_blocks[i].right);
    }
  }
  return static_cast<uint32_t>(p - to.data());
}

}  // namespace tcpip::wire
