#include "tcpip/transport/tcp/receive/page.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kSize = Page::kSize;

std::vector<uint8_t> Bytes(uint32_t size, uint8_t fill) {
  return std::vector<uint8_t>(size, fill);
}

TEST(Page, AnEmptyPageHasEmptyRuns) {
  SlabPool pool;
  const Page page(pool, 3);
  EXPECT_TRUE(page.exists());
  EXPECT_EQ(page.number(), 3u);
  EXPECT_EQ(page.held_bytes(), 0u);
  for (const uint32_t at : {0u, 1u, 63u, 64u, kSize - 1}) {
    EXPECT_EQ(page.RunEnd(at), at);
    EXPECT_EQ(page.RunBegin(at), at);
  }
  EXPECT_EQ(page.RunBegin(kSize), kSize);
}

TEST(Page, ADefaultPageHoldsNoMemory) { EXPECT_FALSE(Page().exists()); }

TEST(Page, TheFirstByteReceivedWins) {
  SlabPool pool;
  Page page(pool, 0);
  EXPECT_EQ(page.Write(10, Bytes(5, 'a')), 5u);
  EXPECT_EQ(page.Write(8, Bytes(10, 'b')), 5u);  // 8, 9 and 15, 16, 17
  EXPECT_EQ(page.held_bytes(), 10u);
  const View view = page.Take(8, 18);
  EXPECT_EQ(std::string(view.span().begin(), view.span().end()), "bbaaaaabbb");
}

TEST(Page, RunsEndAtTheNextMissingByte) {
  SlabPool pool;
  Page page(pool, 0);
  page.Write(60, Bytes(140, 'a'));  // over three words of the bitmap
  EXPECT_EQ(page.RunEnd(60), 200u);
  EXPECT_EQ(page.RunEnd(128), 200u);
  EXPECT_EQ(page.RunEnd(59), 59u);
  EXPECT_EQ(page.RunBegin(200), 60u);
  EXPECT_EQ(page.RunBegin(64), 60u);
  EXPECT_EQ(page.RunBegin(201), 201u);
}

TEST(Page, AFullPageIsOneRun) {
  SlabPool pool;
  Page page(pool, 0);
  EXPECT_EQ(page.Write(0, Bytes(kSize, 'a')), kSize);
  EXPECT_EQ(page.RunEnd(0), kSize);
  EXPECT_EQ(page.RunBegin(kSize), 0u);
  EXPECT_EQ(page.Write(0, Bytes(kSize, 'b')), 0u);
}

TEST(Page, WhatWasTakenStaysAsItIsWhileTheRestArrives) {
  SlabPool pool;
  Page page(pool, 0);
  page.Write(0, Bytes(100, 'a'));
  const View view = page.Take(0, 100);
  EXPECT_EQ(page.held_bytes(), 0u);
  EXPECT_EQ(page.Write(0, Bytes(150, 'b')), 50u);
  EXPECT_TRUE(std::all_of(view.span().begin(), view.span().end(),
                          [](uint8_t byte) { return byte == 'a'; }));
}

TEST(Page, AgreesWithAnArrayOfBytes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SeededRng rng(seed);
    SlabPool pool;
    Page page(pool, 0);
    std::vector<std::optional<uint8_t>> model(kSize + 1);  // the last: missing
    for (int step = 0; step < 200; ++step) {
      const uint32_t begin = rng.Below(kSize);
      const uint32_t limit = rng.Below(2) == 0 ? 8 : 700;
      const uint32_t size = std::min(1 + rng.Below(limit), kSize - begin);
      const auto fill = static_cast<uint8_t>(step);
      uint32_t want_new = 0;
      for (uint32_t i = begin; i < begin + size; ++i) {
        if (model[i]) continue;
        model[i] = fill;
        ++want_new;
      }
      ASSERT_EQ(page.Write(begin, Bytes(size, fill)), want_new);

      const uint32_t at = rng.Below(kSize);
      uint32_t end = at;
      while (model[end]) ++end;
      uint32_t first = at;
      while (first > 0 && model[first - 1]) --first;
      ASSERT_EQ(page.RunEnd(at), end);
      ASSERT_EQ(page.RunBegin(at), first);
    }
    for (uint32_t at = 0; at < kSize;) {
      const uint32_t end = page.RunEnd(at);
      const View run = page.Take(at, end);
      for (uint32_t i = at; i < end; ++i)
        ASSERT_EQ(run.data()[i - at], model[i]);
      at = end + 1;
    }
    EXPECT_EQ(page.held_bytes(), 0u);
  }
}

}  // namespace
}  // namespace tcpip::tcp
