#include "tcpip/transport/tcp/receive/page.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace tcpip::tcp {
namespace {

constexpr uint32_t kWordBits = 64;
constexpr uint64_t kOnes = ~uint64_t{0};

}  // namespace

Page::Page(SlabPool& pool, uint32_t number)
    : bytes_(pool.Allocate(SlabClass::kMedium)),
      bits_(pool.Allocate(SlabClass::kSmall)),
      number_(number) {
  std::memset(bits_.bytes(), 0, bits_.capacity());
}

uint32_t Page::Write(uint32_t offset, ByteSpan bytes) {
  const uint32_t end = offset + static_cast<uint32_t>(bytes.size());
  assert(end <= kSize);
  uint32_t written = 0;
  for (uint32_t at = FindFirst(offset, end, /*present=*/false); at < end;) {
    const uint32_t gap_end = FindFirst(at, end, /*present=*/true);
    std::copy_n(bytes.data() + (at - offset), gap_end - at,
                bytes_.bytes() + at);
    Mark(at, gap_end);
    written += gap_end - at;
    at = FindFirst(gap_end, end, /*present=*/false);
  }
  held_bytes_ += written;
  return written;
}

uint32_t Page::RunEnd(uint32_t offset) const {
  if (held_bytes_ == kSize) return kSize;
  return FindFirst(offset, kSize, /*present=*/false);
}

uint32_t Page::RunBegin(uint32_t offset) const {
  if (held_bytes_ == kSize) return 0;
  while (offset > 0) {
    const uint32_t word = (offset - 1) / kWordBits;
    const uint32_t unused = (word + 1) * kWordBits - offset;
    const uint64_t missing = ~bits()[word] << unused;
    if (missing != 0) return offset - std::countl_zero(missing);
    offset = word * kWordBits;
  }
  return 0;
}

View Page::Take(uint32_t begin, uint32_t end) {
  assert(RunEnd(begin) >= end && held_bytes_ >= end - begin);
  held_bytes_ -= end - begin;
  return View(bytes_, begin, end - begin);
}

// The first offset in [from, to) whose bit is `present`, or `to`.
uint32_t Page::FindFirst(uint32_t from, uint32_t to, bool present) const {
  while (from < to) {
    const uint32_t word = from / kWordBits;
    const uint64_t bits_here = present ? bits()[word] : ~bits()[word];
    const uint64_t hit = bits_here >> (from % kWordBits);
    if (hit != 0) return std::min<uint32_t>(to, from + std::countr_zero(hit));
    from = (word + 1) * kWordBits;
  }
  return to;
}

void Page::Mark(uint32_t from, uint32_t to) {
  while (from < to) {
    const uint32_t word = from / kWordBits;
    const uint32_t first = from % kWordBits;
    const uint32_t count = std::min(to - from, kWordBits - first);
    bits()[word] |= kOnes >> (kWordBits - count) << first;
    from += count;
  }
}

}  // namespace tcpip::tcp
