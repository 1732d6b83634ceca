#include "tcpip/transport/tcp/segment.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"

namespace tcpip::tcp {
namespace {

constexpr SeqNum kSeq(0xfffffffe);  // sums wrap
constexpr int kSyn = TcpFlags::kSyn;
constexpr int kFin = TcpFlags::kFin;
constexpr int kAck = TcpFlags::kAck;

Segment MakeSegment(SlabPool& pool, int flags, uint32_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint32_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>('a' + i);
  Segment seg;
  seg.seq = kSeq;
  seg.flags = TcpFlags(flags);
  seg.payload = ViewChain(View::Copy(pool, bytes));
  return seg;
}

std::string Text(const ViewChain& chain) {
  std::vector<uint8_t> bytes(chain.size());
  chain.CopyTo(bytes);
  return std::string(bytes.begin(), bytes.end());
}

TEST(Segment, LengthCountsSynAndFin) {
  SlabPool pool;
  EXPECT_EQ(MakeSegment(pool, kAck, 0).len(), 0u);
  EXPECT_EQ(MakeSegment(pool, kAck, 3).len(), 3u);
  EXPECT_EQ(MakeSegment(pool, kSyn, 0).len(), 1u);
  EXPECT_EQ(MakeSegment(pool, kFin, 3).len(), 4u);
  EXPECT_EQ(MakeSegment(pool, kSyn | kFin, 3).len(), 5u);
  EXPECT_EQ(MakeSegment(pool, kSyn | kFin, 3).end(), SeqNum(3));
}

struct CountRow {
  const char* name;
  uint32_t payload;
  uint32_t gso_size;
  uint32_t want;
};

TEST(Segment, CountsWireSegments) {
  const CountRow kRows[] = {
      {"no payload is one segment", 0, 0, 1},
      {"no payload of a super-segment is one segment", 0, 1000, 1},
      {"unsplit payload is one segment", 1448, 0, 1},
      {"payload of one piece", 1000, 1000, 1},
      {"a byte more than one piece", 1001, 1000, 2},
      {"40 full pieces", 40'000, 1000, 40},
      {"a short last piece counts", 39'001, 1000, 40},
  };
  SlabPool pool;
  for (const CountRow& row : kRows) {
    Segment seg = MakeSegment(pool, kAck, row.payload);
    seg.gso_size = row.gso_size;
    EXPECT_EQ(seg.mss_count(), row.want) << row.name;
    OutSegment out;
    out.payload = std::move(seg.payload);
    out.gso_size = row.gso_size;
    EXPECT_EQ(out.mss_count(), row.want) << row.name;
  }
}

struct TrimRow {
  const char* name;
  int flags;
  uint32_t cut;
  int want_flags;
  const char* want_text;
};

TEST(Segment, TrimFrontTakesSynThenDataThenFin) {
  const TrimRow kRows[] = {
      {"nothing", kSyn | kFin | kAck, 0, kSyn | kFin | kAck, "abc"},
      {"SYN", kSyn | kFin | kAck, 1, kFin | kAck, "abc"},
      {"SYN and a byte", kSyn | kFin | kAck, 2, kFin | kAck, "bc"},
      {"all but FIN", kSyn | kFin | kAck, 4, kFin | kAck, ""},
      {"everything", kSyn | kFin | kAck, 5, kAck, ""},
      {"data without SYN", kFin | kAck, 2, kFin | kAck, "c"},
      {"data and FIN", kFin | kAck, 4, kAck, ""},
      {"data only", kAck, 3, kAck, ""},
  };
  SlabPool pool;
  for (const TrimRow& row : kRows) {
    Segment seg = MakeSegment(pool, row.flags, 3);
    const SeqNum end = seg.end();
    seg.TrimFront(row.cut);
    EXPECT_EQ(seg.flags, TcpFlags(row.want_flags)) << row.name;
    EXPECT_EQ(Text(seg.payload), row.want_text) << row.name;
    EXPECT_EQ(seg.seq, kSeq + row.cut) << row.name;
    EXPECT_EQ(seg.end(), end) << row.name;
  }
}

TEST(Segment, TrimBackTakesFinThenDataThenSyn) {
  const TrimRow kRows[] = {
      {"nothing", kSyn | kFin | kAck, 0, kSyn | kFin | kAck, "abc"},
      {"FIN", kSyn | kFin | kAck, 1, kSyn | kAck, "abc"},
      {"FIN and a byte", kSyn | kFin | kAck, 2, kSyn | kAck, "ab"},
      {"all but SYN", kSyn | kFin | kAck, 4, kSyn | kAck, ""},
      {"everything", kSyn | kFin | kAck, 5, kAck, ""},
      {"data without FIN", kSyn | kAck, 2, kSyn | kAck, "a"},
      {"data and SYN", kSyn | kAck, 4, kAck, ""},
  };
  SlabPool pool;
  for (const TrimRow& row : kRows) {
    Segment seg = MakeSegment(pool, row.flags, 3);
    const SeqNum end = seg.end();
    seg.TrimBack(row.cut);
    EXPECT_EQ(seg.flags, TcpFlags(row.want_flags)) << row.name;
    EXPECT_EQ(Text(seg.payload), row.want_text) << row.name;
    EXPECT_EQ(seg.seq, kSeq) << row.name;
    EXPECT_EQ(seg.end(), end - row.cut) << row.name;
  }
}

}  // namespace
}  // namespace tcpip::tcp
