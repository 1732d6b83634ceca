#include "tcpip/transport/tcp/receive/reassembly.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/view.h"

namespace tcpip::tcp {
namespace {

constexpr SeqNum kStart(0xfffff000);  // the wrap is a page away

ViewChain Payload(SlabPool& pool, const std::string& text) {
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  ViewChain chain;
  // Two views where there is enough for two.
  const size_t half = bytes.size() / 2;
  chain.Append(View::Copy(pool, ByteSpan(bytes).first(half)));
  chain.Append(View::Copy(pool, ByteSpan(bytes).subspan(half)));
  return chain;
}

std::string Text(const ViewChain& chain) {
  std::vector<uint8_t> bytes(chain.size());
  chain.CopyTo(bytes);
  return std::string(bytes.begin(), bytes.end());
}

class ReassemblyTest : public testing::Test {
 protected:
  uint32_t Insert(uint32_t offset, const std::string& text) {
    return reassembly_.Insert(kStart + offset, Payload(pool_, text), pool_);
  }
  std::string TakeRun(uint32_t offset) {
    ViewChain run;
    const uint32_t taken = reassembly_.TakeRun(kStart + offset, run, pool_);
    EXPECT_EQ(taken, run.size());
    return Text(run);
  }
  SeqRange Range(uint32_t begin, uint32_t end) const {
    return {kStart + begin, kStart + end};
  }

  SlabPool pool_;
  Reassembly reassembly_;
};

TEST_F(ReassemblyTest, HoldsNothingAtFirst) {
  EXPECT_TRUE(reassembly_.empty());
  EXPECT_EQ(reassembly_.pinned_bytes(), 0u);
  EXPECT_EQ(TakeRun(0), "");
  EXPECT_TRUE(reassembly_.RangeAround(kStart).empty());
  EXPECT_FALSE(reassembly_.fin());
}

TEST_F(ReassemblyTest, GivesBackARunUpToTheNextHole) {
  EXPECT_EQ(Insert(6, "ghi"), 3u);
  EXPECT_EQ(Insert(3, "def"), 3u);
  EXPECT_EQ(Insert(12, "mno"), 3u);
  EXPECT_EQ(reassembly_.held_bytes(), 9u);
  EXPECT_EQ(TakeRun(0), "");
  EXPECT_EQ(TakeRun(3), "defghi");
  EXPECT_EQ(reassembly_.held_bytes(), 3u);
  EXPECT_EQ(TakeRun(12), "mno");
  EXPECT_TRUE(reassembly_.empty());
  EXPECT_EQ(pool_.stats().live, 0u);
}

TEST_F(ReassemblyTest, TheFirstByteReceivedWins) {
  Insert(2, "CD");
  Insert(6, "GH");
  EXPECT_EQ(Insert(0, "abcdefghij"), 6u);
  EXPECT_EQ(Insert(0, "0123456789"), 0u);
  EXPECT_EQ(TakeRun(0), "abCDefGHij");
}

TEST_F(ReassemblyTest, RunsCrossPagesAndTheWrapOfSequenceNumbers) {
  const std::string text(5 * Page::kSize, 'x');
  Insert(100, text);
  EXPECT_EQ(reassembly_.RangeAround(kStart + 40'000),
            Range(100, 100 + 5 * Page::kSize));
  EXPECT_EQ(reassembly_.RunEnd(kStart + 40'000),
            kStart + 100 + 5 * Page::kSize);
  EXPECT_EQ(TakeRun(100), text);
  EXPECT_EQ(reassembly_.pinned_bytes(), 0u);
}

TEST_F(ReassemblyTest, RangesGrowAndMerge) {
  Insert(10, "aaaaa");
  Insert(20, "bbbbb");
  EXPECT_EQ(reassembly_.RangeAround(kStart + 12), Range(10, 15));
  EXPECT_TRUE(reassembly_.RangeAround(kStart + 15).empty());
  EXPECT_EQ(reassembly_.RunEnd(kStart + 15), kStart + 15);
  Insert(15, "ccccc");
  EXPECT_EQ(reassembly_.RangeAround(kStart + 12), Range(10, 25));
  EXPECT_EQ(reassembly_.RangeAround(kStart + 24), Range(10, 25));
}

TEST_F(ReassemblyTest, ARangeIsForgottenWhenItIsTaken) {
  Insert(10, "aaaaa");
  EXPECT_EQ(reassembly_.RangeAround(kStart + 10), Range(10, 15));
  TakeRun(10);
  Insert(12, "b");  // the same number, 4 GiB later
  EXPECT_EQ(reassembly_.RangeAround(kStart + 12), Range(12, 13));
}

TEST_F(ReassemblyTest, TheFinCountsAsSequenceSpaceOfItsRange) {
  EXPECT_TRUE(reassembly_.InsertFin(kStart + 5));
  EXPECT_EQ(reassembly_.fin(), kStart + 5);
  EXPECT_EQ(reassembly_.RangeAround(kStart + 5), Range(5, 6));
  Insert(2, "cde");
  EXPECT_EQ(reassembly_.RangeAround(kStart + 2), Range(2, 6));
  EXPECT_EQ(reassembly_.RangeAround(kStart + 5), Range(2, 6));
  EXPECT_EQ(TakeRun(2), "cde");
}

TEST_F(ReassemblyTest, AFinDoesNotReplaceWhatWasReceivedBefore) {
  Insert(4, "data");
  EXPECT_FALSE(reassembly_.InsertFin(kStart + 6));
  EXPECT_TRUE(reassembly_.InsertFin(kStart + 8));
  EXPECT_FALSE(reassembly_.InsertFin(kStart + 9));
  EXPECT_EQ(reassembly_.fin(), kStart + 8);
}

TEST_F(ReassemblyTest, ClearForgetsBytesButNotTheFin) {
  Insert(2, "cde");
  reassembly_.InsertFin(kStart + 5);
  reassembly_.Clear();
  EXPECT_TRUE(reassembly_.empty());
  EXPECT_EQ(pool_.stats().live, 0u);
  EXPECT_EQ(reassembly_.fin(), kStart + 5);
  EXPECT_EQ(TakeRun(2), "");
}

TEST_F(ReassemblyTest, SingleBytesAtEverySecondOffsetStayWithinTheBound) {
  // [fault X13, req A-14] none is refused
  constexpr uint32_t kWindow = uint32_t{256} << 10;
  const ViewChain crumb = Payload(pool_, "x");
  for (uint32_t offset = 1; offset < kWindow; offset += 2) {
    ASSERT_EQ(reassembly_.Insert(kStart + offset, crumb, pool_), 1u);
  }
  constexpr uint32_t kBound = kWindow / 8 * 9 + 2 * Page::kPinnedBytes;
  EXPECT_EQ(reassembly_.held_bytes(), kWindow / 2);
  EXPECT_LE(pool_.stats().live_bytes, kBound);
  EXPECT_LE(reassembly_.pinned_bytes(), kBound);
  // The stream still completes, in crumbs that do not pin their pages.
  ViewChain stream;
  for (uint32_t offset = 0; offset < kWindow; offset += 2) {
    ASSERT_EQ(reassembly_.Insert(kStart + offset, crumb, pool_), 1u);
    ASSERT_EQ(reassembly_.TakeRun(kStart + offset, stream, pool_), 2u);
  }
  EXPECT_EQ(stream.size(), kWindow);
  EXPECT_TRUE(reassembly_.empty());
  EXPECT_LE(pool_.stats().live_bytes, kWindow + kWindow / 8);
}

TEST_F(ReassemblyTest, SwappedCrumbsDoNotPinAPageEach) {
  // [fault W07] every pair needs a page of its own for a moment
  ViewChain stream;
  for (uint32_t offset = 0; offset < 2000; offset += 2) {
    Insert(offset + 1, "b");
    Insert(offset, "a");
    ASSERT_EQ(reassembly_.TakeRun(kStart + offset, stream, pool_), 2u);
  }
  EXPECT_LE(stream.pinned_bytes(), SlabCapacity(SlabClass::kSmall));
  EXPECT_LE(pool_.stats().live_bytes, SlabCapacity(SlabClass::kSmall));
}

TEST_F(ReassemblyTest, AgreesWithAnArrayOfBytes) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SeededRng rng(seed);
    constexpr uint32_t kIss[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    SeqNum rcv_nxt(kIss[seed % 5]);
    Reassembly reassembly;
    const uint32_t span = seed % 2 == 0 ? 2000 : 50'000;
    size_t held = 0;
    std::string model(span * 2, '\0');  // from rcv_nxt on; 0 is missing
    for (int step = 0; step < 200; ++step) {
      const uint32_t begin = rng.Below(span);
      std::string text(1 + rng.Below(span / 20), ' ');
      uint32_t want_new = 0;
      for (size_t i = 0; i < text.size(); ++i) {
        text[i] = static_cast<char>('a' + (step + i) % 26);
        if (model[begin + i] != 0) continue;
        model[begin + i] = text[i];
        ++want_new;
      }
      ASSERT_EQ(reassembly.Insert(rcv_nxt + begin, Payload(pool_, text), pool_),
                want_new);
      held += want_new;
      ASSERT_EQ(reassembly.held_bytes(), held);

      const size_t hole_before = model.rfind('\0', begin);
      const size_t hole_after = model.find('\0', begin);
      ASSERT_EQ(reassembly.RangeAround(rcv_nxt + begin),
                (SeqRange{rcv_nxt + static_cast<uint32_t>(hole_before + 1),
                          rcv_nxt + static_cast<uint32_t>(hole_after)}));

      if (rng.Below(10) > 0) continue;
      const std::string want = model.substr(0, model.find('\0'));
      ViewChain run;
      ASSERT_EQ(reassembly.TakeRun(rcv_nxt, run, pool_), want.size());
      ASSERT_EQ(Text(run), want);
      held -= want.size();
      rcv_nxt += static_cast<uint32_t>(want.size());
      model.erase(0, want.size());
      model.append(want.size(), '\0');
    }
  }
}

}  // namespace
}  // namespace tcpip::tcp
