#include "tcpip/transport/tcp/send/send_queue.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::tcp {
namespace {

std::vector<uint8_t> Bytes(size_t n, uint8_t first = 0) {
  std::vector<uint8_t> bytes(n);
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<uint8_t>(first + i * 7 + i / 256);
  }
  return bytes;
}

std::vector<uint8_t> Copy(const ViewChain& chain) {
  std::vector<uint8_t> bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

class SendQueueTest : public testing::Test {
 protected:
  ~SendQueueTest() override {
    queue_ = SendQueue(0);
    EXPECT_EQ(pool_.stats().live, 0u);
  }
  SlabPool pool_{0};
  SendQueue queue_{1'000'000};
};

TEST_F(SendQueueTest, HoldsNoMemoryWhileEmpty) {
  EXPECT_EQ(queue_.pinned_bytes(), 0u);
  queue_.WriteCopy(Bytes(100'000), pool_);
  queue_.TakeUnsent(100'000);
  queue_.TrimAcked(100'000);
  EXPECT_EQ(queue_.pinned_bytes(), 0u);
  EXPECT_EQ(pool_.stats().live, 0u);
}

TEST_F(SendQueueTest, GivesBytesInOrderOnceAndAgain) {
  const auto bytes = Bytes(10'000);
  queue_.WriteCopy(bytes, pool_);
  EXPECT_EQ(queue_.unsent_bytes(), 10'000u);
  const auto first = Copy(queue_.TakeUnsent(4'000));
  const auto second = Copy(queue_.TakeUnsent(6'000));
  EXPECT_EQ(first, std::vector<uint8_t>(bytes.begin(), bytes.begin() + 4'000));
  EXPECT_EQ(second, std::vector<uint8_t>(bytes.begin() + 4'000, bytes.end()));
  EXPECT_EQ(Copy(queue_.SliceSent(0, 4'000)), first);
  EXPECT_EQ(Copy(queue_.SliceSent(4'000, 6'000)), second);
}

TEST_F(SendQueueTest, TrimMovesTheFront) {
  const auto bytes = Bytes(10'000);
  queue_.WriteCopy(bytes, pool_);
  queue_.TakeUnsent(8'000);
  queue_.TrimAcked(3'000);
  EXPECT_EQ(queue_.size(), 7'000u);
  EXPECT_EQ(queue_.sent_bytes(), 5'000u);
  EXPECT_EQ(Copy(queue_.SliceSent(0, 1))[0], bytes[3'000]);
  EXPECT_EQ(Copy(queue_.TakeUnsent(1))[0], bytes[8'000]);
}

TEST_F(SendQueueTest, TakesWhatThereIsRoomForAndNoMore) {
  SendQueue queue(1'000);
  const auto bytes = Bytes(1'500);
  EXPECT_EQ(queue.WriteCopy(bytes, pool_), 1'000u);
  EXPECT_EQ(queue.room(), 0u);
  EXPECT_EQ(queue.WriteCopy(bytes, pool_), 0u);

  ViewChain chain(View::Copy(pool_, bytes));
  SendQueue views(1'000);
  EXPECT_EQ(views.Write(chain, pool_), 1'000u);
  EXPECT_EQ(chain.size(), 500u);
  EXPECT_EQ(Copy(chain)[0], bytes[1'000]);
  views.set_capacity(500);
  EXPECT_EQ(views.room(), 0u);
}

TEST_F(SendQueueTest, WakesWritersWhenAThirdIsFree) {
  SendQueue queue(3'000);
  queue.WriteCopy(Bytes(2'999), pool_);
  queue.TakeUnsent(2'999);
  EXPECT_TRUE(queue.writable());
  queue.WriteCopy(Bytes(1), pool_);  // full
  queue.TrimAcked(999);
  EXPECT_FALSE(queue.writable());
  queue.TrimAcked(1);
  EXPECT_TRUE(queue.writable());
  queue.WriteCopy(Bytes(500), pool_);  // not full: nothing to wait for
  EXPECT_TRUE(queue.writable());
}

// [fault O01] writers are held while memory is short, and woken by the first
// acknowledgments: a queue always holds something to be acknowledged
TEST_F(SendQueueTest, HoldsWritersWhileMemoryIsShort) {
  SendQueue queue(1'000'000);
  pool_.SetBudget(1);  // spent with the first block
  EXPECT_EQ(queue.WriteCopy(Bytes(2'000), pool_), 2'000u);
  EXPECT_TRUE(queue.writable());
  EXPECT_EQ(queue.WriteCopy(Bytes(2'000), pool_), 48u);
  EXPECT_FALSE(queue.writable());
  queue.TakeUnsent(2'048);
  queue.TrimAcked(682);
  EXPECT_FALSE(queue.writable());
  queue.TrimAcked(1);
  EXPECT_TRUE(queue.writable());
  pool_.SetBudget(SIZE_MAX);
  EXPECT_EQ(queue.WriteCopy(Bytes(500'000), pool_), 500'000u);
}

TEST_F(SendQueueTest, ALargeViewIsSharedNotCopied) {
  ViewChain chain(View::Copy(pool_, Bytes(60'000)));
  const uint8_t* data = chain.view(0).data();
  queue_.Write(chain, pool_);
  EXPECT_EQ(queue_.TakeUnsent(1'000).view(0).data(), data);
}

TEST_F(SendQueueTest, AByteDoesNotPinALargeBlock) {
  const View large = View::Copy(pool_, Bytes(60'000));
  for (uint32_t i = 0; i < 1'000; ++i) {
    ViewChain byte(large.Slice(i, 1));
    queue_.Write(byte, pool_);
  }
  EXPECT_EQ(Copy(queue_.TakeUnsent(1'000)),
            std::vector<uint8_t>(large.data(), large.data() + 1'000));
  EXPECT_EQ(queue_.pinned_bytes(), SlabCapacity(SlabClass::kSmall));
}

TEST_F(SendQueueTest, SmallWritesThatPileUpFillLargeBlocks) {
  for (int i = 0; i < 10'000; ++i) queue_.WriteCopy(Bytes(50), pool_);
  EXPECT_EQ(queue_.size(), 500'000u);
  EXPECT_LE(queue_.pinned_bytes(), 600'000u);
  EXPECT_LE(queue_.TakeUnsent(65'000).view_count(), 12u);
  EXPECT_LE(queue_.TakeUnsent(65'000).view_count(), 5u);
}

TEST_F(SendQueueTest, LargeWritesFillTheLargestBlocks) {
  queue_.WriteCopy(Bytes(3 * 65'536), pool_);
  EXPECT_EQ(queue_.pinned_bytes(), 3u * 65'536);
  SendQueue fresh(100'000);
  fresh.WriteCopy(Bytes(16'384 + 10), pool_);
  EXPECT_EQ(fresh.pinned_bytes(), 2u * 16'384);
}

TEST_F(SendQueueTest, WritesDoNotTouchBytesThatAPacketStillCarries) {
  queue_.WriteCopy(Bytes(10, 1), pool_);
  const ViewChain packet = queue_.TakeUnsent(10);
  queue_.WriteCopy(Bytes(10, 99), pool_);
  EXPECT_EQ(Copy(packet), Bytes(10, 1));
  EXPECT_EQ(Copy(queue_.TakeUnsent(10)), Bytes(10, 99));
}

TEST_F(SendQueueTest, BehavesLikeAString) {
  constexpr uint64_t kSeed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  SeededRng rng(kSeed);
  SlabPool pool(0);
  SendQueue queue(300'000);
  std::vector<uint8_t> model;  // from the front on
  size_t sent = 0;
  std::vector<ViewChain> in_flight;  // packets that keep blocks shared
  const auto draw = [&](size_t bound) {
    return static_cast<uint32_t>(bound == 0 ? 0 : rng.Next() % bound);
  };
  for (int step = 0; step < 10'000; ++step) {
    const uint64_t kind = rng.Next() % 8;
    if (kind < 3) {
      const size_t most = kind == 0 ? 90'000 : kind == 1 ? 3'000 : 30;
      auto bytes = Bytes(draw(most), static_cast<uint8_t>(step));
      size_t taken;
      if (rng.Next() % 2 == 0) {
        taken = queue.WriteCopy(bytes, pool);
      } else {
        ViewChain chain;
        chain.AppendCopy(pool, bytes);
        taken = queue.Write(chain, pool);
        ASSERT_EQ(chain.size(), bytes.size() - taken);
      }
      model.insert(model.end(), bytes.begin(),
                   bytes.begin() + static_cast<ptrdiff_t>(taken));
    } else if (kind < 5) {
      const uint32_t n =
          draw(std::min<size_t>(model.size() - sent, 65'000) + 1);
      ViewChain slice = queue.TakeUnsent(n);
      ASSERT_TRUE(std::equal(model.begin() + static_cast<ptrdiff_t>(sent),
                             model.begin() + static_cast<ptrdiff_t>(sent + n),
                             Copy(slice).begin()));
      sent += n;
      in_flight.push_back(std::move(slice));
      if (in_flight.size() > 8) in_flight.clear();
    } else if (kind < 7) {
      const uint32_t offset = draw(sent + 1);
      const uint32_t n = draw(std::min<size_t>(sent - offset, 65'000) + 1);
      ASSERT_TRUE(std::equal(model.begin() + offset, model.begin() + offset + n,
                             Copy(queue.SliceSent(offset, n)).begin()));
    } else {
      const uint32_t n = draw(sent + 1);
      queue.TrimAcked(n);
      model.erase(model.begin(), model.begin() + n);
      sent -= n;
    }
    ASSERT_EQ(queue.size(), model.size()) << "step " << step;
    ASSERT_EQ(queue.sent_bytes(), sent);
    ASSERT_EQ(queue.room(), 300'000 - model.size());
  }
}

}  // namespace
}  // namespace tcpip::tcp
