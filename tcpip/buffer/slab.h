// Packet memory of one shard: blocks of three fixed sizes with non-atomic
// reference counts, recycled through free lists so that the packet path never
// allocates after warm-up.
//
// A Slab is only ever touched by the thread that owns its pool. The pool must
// outlive every reference to its slabs.
//
// The pool is the root of the shard's memory budget: whatever holds packet
// bytes holds slabs. It never refuses a block, so that what is in hand can be
// finished; those who keep bytes ask it how much they may keep
// [fault O01]:
//
//   live blocks        a queue may hold    new bytes of strangers
//   below 1/2          what it likes       taken
//   below 5/8          64 KiB              taken
//   below the budget   2 KiB               taken
//   at the budget      2 KiB               dropped, counted
//
// The last three eighths are for those 2 KiB, a block each: a budget of 64 MiB
// has them for 12,288 queues. A queue always gets them, and a reader what he
// waits for, so that no connection hangs on another's memory; the budget is
// exceeded when so many are open that this alone does it.
//
// What it deliberately does not do: thread hand-over.
#ifndef TCPIP_BUFFER_SLAB_H_
#define TCPIP_BUFFER_SLAB_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tcpip {

class SlabPool;

enum class SlabClass : uint8_t {
  kSmall,   // 2 KiB: headers, single packets
  kMedium,  // 16 KiB: compacted payload
  kLarge,   // 64 KiB: one super-segment
};
inline constexpr int kSlabClassCount = 3;

// Bytes usable in a block of the class.
constexpr uint32_t SlabCapacity(SlabClass c) {
  constexpr uint32_t kCapacity[kSlabClassCount] = {2048, 16384, 65536};
  return kCapacity[static_cast<int>(c)];
}

// Block header; the usable bytes follow it in memory, aligned like the header.
struct alignas(16) Slab {
  SlabPool* pool;
  Slab* next_free;
  uint32_t refs;
  SlabClass size_class;

  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(this + 1); }
  uint32_t capacity() const { return SlabCapacity(size_class); }
};

// A counted reference to a Slab. Moving is free; copying counts.
class SlabRef {
 public:
  SlabRef() = default;
  SlabRef(const SlabRef& other) : slab_(other.slab_) {
    if (slab_ != nullptr) ++slab_->refs;
  }
  SlabRef(SlabRef&& other) noexcept
      : slab_(std::exchange(other.slab_, nullptr)) {}
  SlabRef& operator=(SlabRef other) noexcept {
    std::swap(slab_, other.slab_);
    return *this;
  }
  ~SlabRef() { Release(); }

  explicit operator bool() const { return slab_ != nullptr; }
  uint8_t* bytes() const { return slab_->bytes(); }
  uint32_t capacity() const { return slab_->capacity(); }
  SlabPool& pool() const { return *slab_->pool; }

  // True when nobody else can see the block, so that it may be written.
  bool IsSoleOwner() const { return slab_ != nullptr && slab_->refs == 1; }

  friend bool operator==(const SlabRef&, const SlabRef&) = default;

 private:
  friend class SlabPool;
  explicit SlabRef(Slab* adopted) : slab_(adopted) {}
  inline void Release();
  Slab* slab_ = nullptr;
};

struct SlabStats {
  size_t live = 0;        // blocks referenced now
  size_t free = 0;        // blocks waiting in free lists
  size_t live_bytes = 0;  // capacity of the live blocks
  size_t allocated = 0;   // blocks ever obtained from the system
  size_t refusals = 0;    // see CountRefusal
};

class SlabPool {
 public:
  // Keeps at most `max_free_bytes` of unused blocks; more goes back to the
  // system. With 0 every block does, so that sanitizers see a stale use.
  explicit SlabPool(size_t max_free_bytes = size_t{64} << 20);
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;
  ~SlabPool();  // every block must have come back

  SlabRef Allocate(SlabClass size_class);

  // The smallest class that holds `bytes`, or the largest class.
  static SlabClass ClassFor(size_t bytes);

  // Bytes of live blocks. Without a call there is no limit.
  void SetBudget(size_t bytes) { budget_ = bytes; }
  // What one queue of a connection may hold at the present level, bytes.
  uint32_t QueueShare() const {
    if (stats_.live_bytes < budget_ / 2) return UINT32_MAX;
    return stats_.live_bytes < budget_ / 8 * 5 ? 65536 : 2048;
  }
  // Nothing more should be kept for anybody.
  bool IsSpent() const { return stats_.live_bytes >= budget_; }
  // Somebody dropped what he could have kept, because of that.
  void CountRefusal() { ++stats_.refusals; }

  SlabStats stats() const;

 private:
  friend class SlabRef;
  void Recycle(Slab* slab);

  Slab* free_[kSlabClassCount] = {};
  size_t free_bytes_ = 0;
  size_t max_free_bytes_;
  size_t budget_ = SIZE_MAX;
  SlabStats stats_;
};

inline void SlabRef::Release() {
  if (slab_ != nullptr && --slab_->refs == 0) slab_->pool->Recycle(slab_);
  slab_ = nullptr;
}

}  // namespace tcpip

#endif  // TCPIP_BUFFER_SLAB_H_
