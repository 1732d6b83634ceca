#include "tcpip/transport/tcp/receive/compaction.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

// A view of `size` bytes at the front of a block of the given class.
View MakeView(SlabPool& pool, SlabClass size_class, uint32_t size,
              uint8_t fill = 7) {
  SlabRef slab = pool.Allocate(size_class);
  std::fill_n(slab.bytes(), size, fill);
  return View(std::move(slab), 0, size);
}

struct Row {
  const char* name;
  SlabClass size_class;
  uint32_t size;
  bool want_kept;
};

TEST(Compaction, KeepsViewsThatFillHalfOfTheirBlock) {
  const Row kRows[] = {
      {"full small block", SlabClass::kSmall, 2048, true},
      {"one MSS in a small block", SlabClass::kSmall, 1448, true},
      {"half a small block", SlabClass::kSmall, 1024, true},
      {"less than half a small block", SlabClass::kSmall, 1023, false},
      {"one byte", SlabClass::kSmall, 1, false},
      {"one MSS in a large block", SlabClass::kLarge, 1448, false},
      {"40 MSS in a large block", SlabClass::kLarge, 57'920, true},
      {"less than half a large block", SlabClass::kLarge, 32'767, false},
  };
  for (const Row& row : kRows) {
    SlabPool pool;
    View view = MakeView(pool, row.size_class, row.size);
    const uint8_t* bytes = view.data();
    ViewChain to;
    AppendCompacted(std::move(view), to, pool);
    EXPECT_EQ(to.size(), row.size) << row.name;
    EXPECT_EQ(to.view(0).data() == bytes, row.want_kept) << row.name;
  }
}

TEST(Compaction, PreservesEveryByteInOrder) {
  SlabPool pool;
  ViewChain from;
  from.Append(MakeView(pool, SlabClass::kSmall, 2000, 'a'));  // kept
  from.Append(MakeView(pool, SlabClass::kLarge, 20'000, 'b'));
  from.Append(MakeView(pool, SlabClass::kSmall, 10, 'c'));
  std::vector<uint8_t> want(2000, 'a');
  want.insert(want.end(), 20'000, 'b');
  want.insert(want.end(), 10, 'c');

  ViewChain to;
  AppendCompacted(std::move(from), to, pool);
  std::vector<uint8_t> got(to.size());
  to.CopyTo(got);
  EXPECT_EQ(got, want);
}

TEST(Compaction, AnyMixOfSizesPinsLittleMoreThanTwiceItsBytes) {
  // [req A-14, fault W07]
  for (const uint32_t size : {1u, 100u, 1023u, 1025u, 1448u, 2049u, 8193u,
                              20'000u, 33'000u, 65'536u}) {
    SlabPool pool;
    ViewChain to;
    while (to.size() < 1'000'000) {
      const SlabClass size_class =
          size <= 2048 ? SlabClass::kSmall : SlabClass::kLarge;
      AppendCompacted(MakeView(pool, size_class, size), to, pool);
      AppendCompacted(MakeView(pool, SlabClass::kSmall, 1), to, pool);
    }
    EXPECT_LE(pool.stats().live_bytes,
              2 * to.size() + SlabCapacity(SlabClass::kLarge))
        << size;
  }
}

}  // namespace
}  // namespace tcpip::tcp
