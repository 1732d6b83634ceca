#include "tcpip/buffer/view_chain.h"

#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

ByteSpan Bytes(std::string_view s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

std::string Text(const ViewChain& chain) {
  std::string text;
  for (size_t i = 0; i < chain.view_count(); ++i) {
    const ByteSpan span = chain.view(i).span();
    text.append(span.begin(), span.end());
  }
  return text;
}

class ViewChainTest : public ::testing::Test {
 protected:
  View V(std::string_view s) { return View::Copy(pool_, Bytes(s)); }

  // One view per letter.
  ViewChain Chain(std::string_view letters) {
    ViewChain chain;
    for (size_t i = 0; i < letters.size(); ++i) {
      chain.Append(V(letters.substr(i, 1)));
    }
    return chain;
  }

  // Blocks go back to the system at once, for the sanitizers.
  SlabPool pool_{/*max_free_bytes=*/0};
};

TEST_F(ViewChainTest, StartsEmpty) {
  const ViewChain chain;
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(chain.view_count(), 0u);
  EXPECT_EQ(chain.pinned_bytes(), 0u);
  EXPECT_TRUE(chain.Share().empty());
}

TEST_F(ViewChainTest, KeepsOrderAcrossGrowthAndWrapping) {
  ViewChain chain = Chain("ab");
  chain.TrimFront(1);  // the ring begins at its second slot
  for (char c = 'c'; c <= 'm'; ++c) chain.Append(V(std::string(1, c)));
  EXPECT_EQ(Text(chain), "bcdefghijklm");
  EXPECT_EQ(chain.size(), 12u);
  EXPECT_EQ(chain.view_count(), 12u);
}

TEST_F(ViewChainTest, DropsEmptyViews) {
  ViewChain chain;
  chain.Append(View());
  chain.Append(V("a").Slice(1, 0));
  EXPECT_EQ(chain.view_count(), 0u);
  EXPECT_EQ(pool_.stats().live, 0u);
}

TEST_F(ViewChainTest, MergesAViewThatContinuesTheLast) {
  const View v = V("abcdef");
  ViewChain chain(v.Slice(0, 2));
  chain.Append(v.Slice(2, 3));
  EXPECT_EQ(chain.view_count(), 1u);
  EXPECT_EQ(Text(chain), "abcde");
  chain.Append(v.Slice(0, 1));
  EXPECT_EQ(chain.view_count(), 2u);
}

TEST_F(ViewChainTest, AppendingAChainMergesAtTheSeam) {
  const View v = V("abcdef");
  ViewChain front(v.Slice(0, 3));
  ViewChain back(v.Slice(3, 3));
  back.Append(V("g"));
  front.Append(std::move(back));
  EXPECT_EQ(front.view_count(), 2u);
  EXPECT_EQ(Text(front), "abcdefg");
}

TEST_F(ViewChainTest, MovingLeavesTheSourceEmptyAndUsable) {
  for (const std::string letters : {"", "a", "ab", "abc", "abcdefghij"}) {
    ViewChain source = Chain(letters);
    ViewChain target = std::move(source);
    EXPECT_EQ(Text(target), letters);
    EXPECT_TRUE(source.empty());
    EXPECT_EQ(source.view_count(), 0u);
    source.Append(V("x"));
    source.Append(V("y"));
    source.Append(V("z"));
    EXPECT_EQ(Text(source), "xyz");
    EXPECT_EQ(Text(target), letters);
  }
}

TEST_F(ViewChainTest, MoveAssignmentReplacesWhateverTheSizes) {
  const std::string kLetters[] = {"", "ab", "abcdefg"};
  for (const std::string& from : kLetters) {
    for (const std::string& to : kLetters) {
      ViewChain source = Chain(from);
      ViewChain target = Chain(to);
      target = std::move(source);
      EXPECT_EQ(Text(target), from);
      EXPECT_TRUE(source.empty());
      EXPECT_EQ(pool_.stats().live, from.size());
    }
  }
}

TEST_F(ViewChainTest, MovingOntoItselfChangesNothing) {
  ViewChain chain = Chain("abc");
  ViewChain& same = chain;
  chain = std::move(same);
  EXPECT_EQ(Text(chain), "abc");
}

TEST_F(ViewChainTest, AppendCopyFillsTheTailOfItsOwnBlock) {
  ViewChain chain(V("abc"));
  chain.AppendCopy(pool_, Bytes("def"));
  EXPECT_EQ(Text(chain), "abcdef");
  EXPECT_EQ(chain.view_count(), 1u);
  EXPECT_EQ(pool_.stats().live, 1u);
}

// Somebody else may see, or have been promised, the bytes behind a shared view.
TEST_F(ViewChainTest, AppendCopyLeavesASharedBlockAlone) {
  ViewChain chain(V("abc"));
  const ViewChain shared = chain.Share();
  chain.AppendCopy(pool_, Bytes("def"));
  EXPECT_EQ(chain.view_count(), 2u);
  EXPECT_EQ(Text(chain), "abcdef");
  EXPECT_EQ(Text(shared), "abc");
}

TEST_F(ViewChainTest, AppendCopySpillsIntoFreshBlocks) {
  std::string want(2'000, 'a');
  ViewChain chain(V(want));
  const std::string more(70'000, 'b');
  chain.AppendCopy(pool_, Bytes(more));
  want += more;
  EXPECT_EQ(Text(chain), want);
  EXPECT_EQ(chain.view_count(), 3u);
  EXPECT_EQ(chain.pinned_bytes(), 2'048u + 65'536u + 16'384u);
}

TEST_F(ViewChainTest, AppendCopyOfNothingDoesNothing) {
  ViewChain chain;
  chain.AppendCopy(pool_, {});
  EXPECT_EQ(pool_.stats().allocated, 0u);
  chain.AppendCopy(pool_, Bytes("a"));
  chain.AppendCopy(pool_, {});
  EXPECT_EQ(Text(chain), "a");
}

// [fault W07] a hundred thousand one-byte writes pin what their bytes need
TEST_F(ViewChainTest, OneByteAppendsAreCompacted) {
  ViewChain chain;
  for (int i = 0; i < 100'000; ++i) chain.AppendCopy(pool_, Bytes("x"));
  EXPECT_EQ(chain.size(), 100'000u);
  EXPECT_LT(chain.pinned_bytes(), 102'400u + 1);
}

TEST_F(ViewChainTest, TrimmingReleasesWholeBlocks) {
  ViewChain chain = Chain("abcdef");
  chain.TrimFront(2);
  chain.TrimBack(3);
  EXPECT_EQ(Text(chain), "c");
  EXPECT_EQ(pool_.stats().live, 1u);
  chain.TrimBack(1);
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(pool_.stats().live, 0u);
}

TEST_F(ViewChainTest, SplitFrontCutsInsideAViewWithoutCopying) {
  ViewChain chain(V("abcd"));
  chain.Append(V("efgh"));
  const ViewChain front = chain.SplitFront(6);
  EXPECT_EQ(Text(front), "abcdef");
  EXPECT_EQ(Text(chain), "gh");
  EXPECT_EQ(front.size() + chain.size(), 8u);
  EXPECT_EQ(pool_.stats().live, 2u);
}

TEST_F(ViewChainTest, SplitFrontOfNothingAndOfEverything) {
  ViewChain chain = Chain("abc");
  EXPECT_TRUE(chain.SplitFront(0).empty());
  EXPECT_EQ(Text(chain.SplitFront(3)), "abc");
  EXPECT_TRUE(chain.empty());
}

TEST_F(ViewChainTest, SliceRefersToTheSameBytes) {
  ViewChain chain(V("abcd"));
  chain.Append(V("efgh"));
  const ViewChain slice = chain.Slice(3, 2);
  EXPECT_EQ(Text(slice), "de");
  EXPECT_EQ(slice.view(0).data(), chain.view(0).data() + 3);
  EXPECT_TRUE(chain.Slice(8, 0).empty());
  EXPECT_EQ(Text(chain.Share()), "abcdefgh");
}

TEST_F(ViewChainTest, CopyToStopsAtTheShorterOfBoth) {
  const ViewChain chain = Chain("abcd");
  uint8_t to[6] = {'.', '.', '.', '.', '.', '.'};
  EXPECT_EQ(chain.CopyTo(MutableByteSpan(to).first(3)), 3u);
  EXPECT_EQ(std::string(to, to + 6), "abc...");
  EXPECT_EQ(chain.CopyTo(to), 4u);
  EXPECT_EQ(std::string(to, to + 6), "abcd..");
  EXPECT_EQ(chain.CopyTo({}), 0u);
}

TEST_F(ViewChainTest, ClearGivesEveryBlockBack) {
  ViewChain chain = Chain("abcdef");
  chain.Clear();
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(pool_.stats().live, 0u);
  chain.Append(V("a"));
  EXPECT_EQ(Text(chain), "a");
}

// Two chains and two strings go through the same random operations.
class ViewChainModel : public ViewChainTest {
 protected:
  static constexpr uint64_t kSeed = 9293;

  struct Pair {
    ViewChain chain;
    std::string text;
  };

  std::string RandomText(uint32_t max) {
    std::string text(rng_.Below(max + 1), '\0');
    for (char& c : text) c = static_cast<char>('a' + rng_.Below(26));
    return text;
  }
  size_t Upto(size_t n) { return rng_.Below(static_cast<uint32_t>(n) + 1); }

  void Add(Pair& p) {
    const std::string text = RandomText(rng_.Below(20) == 0 ? 5'000 : 40);
    if (rng_.Below(2) == 0) {
      p.chain.Append(V(text));
    } else {
      p.chain.AppendCopy(pool_, Bytes(text));
    }
    p.text += text;
  }

  void Trim(Pair& p) {
    const size_t n = Upto(p.text.size()) / (1 + rng_.Below(8));
    if (rng_.Below(2) == 0) {
      p.chain.TrimFront(n);
      p.text.erase(0, n);
    } else {
      p.chain.TrimBack(n);
      p.text.erase(p.text.size() - n);
    }
  }

  // Moves a part of `from`, or shares one, to the end of `to`.
  void Pass(Pair& from, Pair& to) {
    if (rng_.Below(2) == 0) {
      const size_t n = Upto(from.text.size());
      to.chain.Append(from.chain.SplitFront(n));
      to.text += from.text.substr(0, n);
      from.text.erase(0, n);
    } else {
      const size_t offset = Upto(from.text.size());
      const size_t n = Upto(from.text.size() - offset);
      to.chain.Append(from.chain.Slice(offset, n));
      to.text += from.text.substr(offset, n);
    }
  }

  void Step(Pair& p, Pair& other) {
    switch (rng_.Below(12)) {
      case 0:
        p = std::exchange(other, Pair());
        break;
      case 1:
        if (rng_.Below(10) == 0) {
          p.chain.Clear();
          p.text.clear();
        }
        break;
      case 2:
      case 3:
      case 4:
        return Trim(p);
      case 5:
      case 6:
        if (p.text.size() < 100'000) Pass(other, p);
        break;
      default:
        Add(p);
    }
  }

  void Check(const Pair& p) {
    ASSERT_EQ(p.chain.size(), p.text.size());
    ASSERT_EQ(Text(p.chain), p.text);
    size_t pinned = 0;
    for (size_t i = 0; i < p.chain.view_count(); ++i) {
      ASSERT_FALSE(p.chain.view(i).empty());
      pinned += p.chain.view(i).pinned_bytes();
    }
    ASSERT_EQ(p.chain.pinned_bytes(), pinned);
    std::string copy(Upto(p.text.size()), '\0');
    ASSERT_EQ(
        p.chain.CopyTo({reinterpret_cast<uint8_t*>(copy.data()), copy.size()}),
        copy.size());
    ASSERT_EQ(copy, p.text.substr(0, copy.size()));
  }

  SeededRng rng_{kSeed};
};

TEST_F(ViewChainModel, BehavesAsAStringWhateverHappens) {
  {
    Pair a, b;
    for (int step = 0; step < 10'000; ++step) {
      SCOPED_TRACE(::testing::Message()
                   << "seed " << kSeed << " step " << step);
      Step(a, b);
      std::swap(a, b);
      Check(a);
      Check(b);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(pool_.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip
