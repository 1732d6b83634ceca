#include "tcpip/stack/pcapng.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip::pcapng {
namespace {

using Bytes = std::vector<uint8_t>;

enum BlockType : uint32_t {
  kSectionHeader = 0x0a0d0d0a,
  kInterfaceDescription = 1,
  kEnhancedPacket = 6,
};
enum Option : uint16_t {
  kEndOfOptions = 0,
  kComment = 1,
  kInterfaceName = 2,
  kPacketFlags = 2,
  kProgram = 4,
  kTimestampResolution = 9,
};
constexpr uint16_t kLinkTypeRaw = 101;

void Append16(Bytes& to, uint16_t value) {
  to.resize(to.size() + sizeof value);
  StoreBe16(&to[to.size() - sizeof value], value);
}
void Append32(Bytes& to, uint32_t value) {
  to.resize(to.size() + sizeof value);
  StoreBe32(&to[to.size() - sizeof value], value);
}
void AppendBytes(Bytes& to, ByteSpan bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}
// Everything in a block is padded to 32 bits, counted from its start.
void Pad(Bytes& to, size_t start) {
  to.resize(to.size() + (start - to.size()) % 4);
}

void AppendOption(Bytes& to, Option code, ByteSpan value) {
  const size_t start = to.size();
  Append16(to, code);
  Append16(to, static_cast<uint16_t>(value.size()));
  AppendBytes(to, value);
  Pad(to, start);
}
void AppendOption(Bytes& to, Option code, std::string_view text) {
  assert(text.size() <= 0xffff);
  AppendOption(to, code,
               {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Big-endian, which the section header's magic says; a reader swaps.
class Block {
 public:
  Block(Bytes& to, BlockType type) : to_(to), start_(to.size()) {
    Append32(to_, type);
    Append32(to_, 0);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    const auto size = static_cast<uint32_t>(to_.size() - start_ + 4);
    Append32(to_, size);
    StoreBe32(&to_[start_ + 4], size);
  }

 private:
  Bytes& to_;
  const size_t start_;
};

// The first n bytes of the packet.
void AppendData(Bytes& to, const Packet& packet, size_t n) {
  const size_t in_head = std::min(n, packet.head().size());
  AppendBytes(to, packet.head().first(in_head));
  const size_t start = to.size();
  to.resize(start + (n - in_head));
  packet.body().CopyTo(MutableByteSpan(to).subspan(start));
}

}  // namespace

void AppendSectionHeader(Bytes& to, std::string_view program) {
  const Block block(to, kSectionHeader);
  Append32(to, 0x1a2b3c4d);  // byte order
  Append16(to, 1);           // version 1.0
  Append16(to, 0);
  Append32(to, 0xffffffff);  // length not known
  Append32(to, 0xffffffff);
  AppendOption(to, kProgram, program);
  AppendOption(to, kEndOfOptions, ByteSpan());
}

void AppendInterface(Bytes& to, std::string_view name, uint32_t snap_length) {
  constexpr uint8_t kNanoseconds = 9;  // 10 to the minus 9
  const Block block(to, kInterfaceDescription);
  Append16(to, kLinkTypeRaw);
  Append16(to, 0);
  Append32(to, snap_length);
  AppendOption(to, kInterfaceName, name);
  AppendOption(to, kTimestampResolution, ByteSpan(&kNanoseconds, 1));
  AppendOption(to, kEndOfOptions, ByteSpan());
}

void AppendPacket(Bytes& to, const Record& record, const Packet& packet) {
  const size_t kept = std::min<size_t>(packet.size(), record.snap_length);
  const Block block(to, kEnhancedPacket);
  Append32(to, record.interface);
  Append32(to, static_cast<uint32_t>(record.unix_nanoseconds >> 32));
  Append32(to, static_cast<uint32_t>(record.unix_nanoseconds));
  Append32(to, static_cast<uint32_t>(kept));
  Append32(to, static_cast<uint32_t>(packet.size()));
  const size_t start = to.size();
  AppendData(to, packet, kept);
  Pad(to, start);
  if (!record.comment.empty()) AppendOption(to, kComment, record.comment);
  const uint8_t flags[] = {0, 0, 0, static_cast<uint8_t>(record.direction)};
  AppendOption(to, kPacketFlags, flags);
  AppendOption(to, kEndOfOptions, ByteSpan());
}

}  // namespace tcpip::pcapng
