#include "tcpip/base/siphash.h"

#include <iterator>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

SipHashKey PaperKey() { return {0x0706050403020100, 0x0f0e0d0c0b0a0908}; }

std::vector<uint8_t> Counting(size_t n) {
  std::vector<uint8_t> bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<uint8_t>(i);
  return bytes;
}

// The worked example in the paper's appendix A.
TEST(SipHash, ReproducesThePapersExample) {
  EXPECT_EQ(SipHash(PaperKey(), Counting(15)), 0xa129ca6149be45e5u);
}

// The first entries of the authors' published vectors: message 00 01 02 ...
TEST(SipHash, ReproducesThePublishedVectorsForEveryTailLength) {
  const uint64_t kWant[] = {
      0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a,
      0x85676696d7fb7e2d, 0xcf2794e0277187b7, 0x18765564cd99a68d,
      0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462,
  };
  for (size_t n = 0; n < std::size(kWant); ++n) {
    EXPECT_EQ(SipHash(PaperKey(), Counting(n)), kWant[n]) << n << " bytes";
  }
}

TEST(SipHash, DependsOnEveryBitOfKeyAndMessage) {
  const std::vector<uint8_t> message = Counting(21);
  const uint64_t hash = SipHash(PaperKey(), message);
  for (size_t bit = 0; bit < 8 * message.size(); ++bit) {
    std::vector<uint8_t> changed = message;
    changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(SipHash(PaperKey(), changed), hash) << "bit " << bit;
  }
  for (int bit = 0; bit < 64; ++bit) {
    SipHashKey key = PaperKey();
    key.k0 ^= uint64_t{1} << bit;
    EXPECT_NE(SipHash(key, message), hash) << "k0 bit " << bit;
    key = PaperKey();
    key.k1 ^= uint64_t{1} << bit;
    EXPECT_NE(SipHash(key, message), hash) << "k1 bit " << bit;
  }
}

TEST(SipHashKey, TakesBothHalvesFromTheRng) {
  SeededRng rng(5), twin(5);
  const SipHashKey key = SipHashKey::FromRng(rng);
  EXPECT_EQ(key.k0, twin.Next());
  EXPECT_EQ(key.k1, twin.Next());
}

}  // namespace
}  // namespace tcpip
