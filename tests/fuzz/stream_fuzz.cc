// The two queues of a stream beside models of single bytes: what arrives behind
// holes (Reassembly) and what is sent and not acknowledged (SendQueue).
// Whatever the order, sizes and overlaps, bytes come out as they went in, and
// memory is in proportion.
//
// The input is a byte that chooses the queue, where sequence numbers begin,
// then steps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/receive/page.h"
#include "tcpip/transport/tcp/receive/reassembly.h"
#include "tcpip/transport/tcp/send/send_queue.h"
#include "tcpip/transport/tcp/seq.h"
#include "tests/fuzz/input.h"

namespace tcpip::tcp {
namespace {

using fuzz::Check;
using fuzz::Input;
using Bytes = std::vector<uint8_t>;

constexpr int kMaxSteps = 200;

Bytes Flatten(const ViewChain& chain) {
  Bytes bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

// The first byte received at a place wins. [RFC 9293 3.10.7.4]
class ReassemblyWorld {
 public:
  explicit ReassemblyWorld(SeqNum rcv_nxt) : rcv_nxt_(rcv_nxt) {}

  void Step(Input& input) {
    switch (input.Byte() % 8) {
      case 0:
        Advance(input);
        break;
      case 1:
        Fin(input);
        break;
      case 2:
        if (input.Byte() % 16 == 0) Clear();
        break;
      default:
        Insert(input);
    }
    Compare(Behind(input, kWindow));
  }

 private:
  static constexpr uint32_t kWindow = 20'000;

  SeqNum At(uint32_t offset) const { return rcv_nxt_ + offset; }
  // What is in order is taken at once: the first byte is always missing.
  static uint32_t Behind(Input& input, uint32_t end) {
    return 1 + input.Below(end - std::min(end, uint32_t{1}));
  }
  // Where the stream ends, if that is known; the receiver cuts data there.
  uint32_t Limit() const { return fin_.value_or(kWindow); }

  void Insert(Input& input) {
    const uint32_t begin = Behind(input, Limit());
    if (begin >= Limit()) return;
    const uint32_t size =
        std::min(Limit() - begin, input.Byte() % 4 == 0 ? 1 + input.Below(5000)
                                                        : 1u + input.Byte());
    ViewChain payload;
    const uint8_t salt = input.Byte();
    uint32_t fresh = 0;
    Bytes bytes(size);
    for (uint32_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<uint8_t>(salt + i);
      std::optional<uint8_t>& held = held_[begin + i];
      if (held) continue;
      held = bytes[i];
      ++fresh;
    }
    payload.AppendCopy(pool_, bytes);
    Check(reassembly_.Insert(At(begin), payload, pool_) == fresh,
          "bytes taken are those not held");
    held_count_ += fresh;
  }

  void Fin(Input& input) {
    const uint32_t at = input.Below(kWindow);
    // Nothing may be held behind the end: the receiver knows its first word.
    for (uint32_t i = at; i < kWindow; ++i) {
      if (held_[i]) return;
    }
    const bool is_news = !fin_;
    Check(reassembly_.InsertFin(At(at)) == is_news, "one FIN, the first");
    if (is_news) fin_ = at;
  }

  // The hole in front is filled by a byte, and the run taken.
  void Advance(Input& input) {
    if (Limit() == 0) return;
    if (!held_[0]) {
      const Bytes byte = {input.Byte()};
      held_[0] = byte[0];
      reassembly_.Insert(rcv_nxt_, ViewChainOf(byte), pool_);
      ++held_count_;
    }
    Bytes expected;
    while (expected.size() < kWindow && held_[expected.size()]) {
      expected.push_back(*held_[expected.size()]);
    }
    const auto n = static_cast<uint32_t>(expected.size());
    ViewChain run;
    Check(reassembly_.TakeRun(rcv_nxt_, run, pool_) == n, "length of a run");
    Check(Flatten(run) == expected, "bytes of a run");
    rcv_nxt_ += n;
    held_count_ -= n;
    held_.erase(held_.begin(), held_.begin() + n);
    held_.resize(kWindow);
    if (fin_) *fin_ -= n;
  }

  void Clear() {
    reassembly_.Clear();
    held_.assign(kWindow, std::nullopt);
    held_count_ = 0;
  }

  ViewChain ViewChainOf(const Bytes& bytes) {
    ViewChain chain;
    chain.AppendCopy(pool_, bytes);
    return chain;
  }

  void Compare(uint32_t at) {
    Check(reassembly_.held_bytes() == held_count_, "held_bytes");
    Check(reassembly_.empty() == (held_count_ == 0), "empty");
    Check(
        reassembly_.pinned_bytes() <= kWindow / 8 * 9 + 2 * Page::kPinnedBytes,
        "memory of a window");
    uint32_t end = at;
    while (end < kWindow && held_[end]) ++end;
    const bool with_fin = fin_ == end;
    Check(reassembly_.RunEnd(At(at)) == At(end + with_fin), "RunEnd");
    uint32_t begin = at;
    while (begin > 0 && held_[begin - 1]) --begin;
    const SeqRange range = reassembly_.RangeAround(At(at));
    if (end == at && !with_fin) {
      Check(range.empty(), "no range where nothing is");
    } else {
      Check(range == SeqRange{At(begin), At(end + with_fin)}, "RangeAround");
    }
  }

  SlabPool pool_{0};
  Reassembly reassembly_;
  SeqNum rcv_nxt_;
  std::deque<std::optional<uint8_t>> held_ =
      std::deque<std::optional<uint8_t>>(kWindow);
  uint32_t held_count_ = 0;
  std::optional<uint32_t> fin_;  // from rcv_nxt_
};

class SendQueueWorld {
 public:
  void Step(Input& input) {
    switch (input.Byte() % 6) {
      case 0:
        WriteCopy(input);
        break;
      case 1:
        Write(input);
        break;
      case 2:
      case 3:
        Take(input);
        break;
      case 4:
        Repeat(input);
        break;
      case 5:
        Trim(input);
        break;
    }
    Check(queue_.size() == bytes_.size(), "size");
    Check(queue_.sent_bytes() == sent_, "sent_bytes");
    Check(queue_.room() == kCapacity - std::min(kCapacity, bytes_.size()),
          "room");
    Check(!bytes_.empty() || queue_.pinned_bytes() == 0,
          "an empty queue keeps no memory");
    if (queue_.room() == 0) Check(!queue_.writable(), "a full queue waits");
    if (bytes_.empty()) Check(queue_.writable(), "an empty queue does not");
  }

 private:
  static constexpr size_t kCapacity = 30'000;

  Bytes Next(size_t n) {
    Bytes bytes(n);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(written_++ * 31);
    return bytes;
  }
  void Remember(const Bytes& bytes, size_t taken) {
    const size_t room = kCapacity - std::min(kCapacity, bytes_.size());
    Check(taken == std::min(room, bytes.size()), "all is taken that fits");
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.begin() + taken);
    written_ -= bytes.size() - taken;
  }

  void WriteCopy(Input& input) {
    const Bytes bytes =
        Next(input.Byte() % 2 == 0 ? input.Below(40) : input.Below(12'000));
    Remember(bytes, queue_.WriteCopy(bytes, pool_));
  }
  void Write(Input& input) {
    const Bytes bytes = Next(input.Below(12'000));
    ViewChain chain;
    chain.AppendCopy(pool_, bytes);
    const size_t taken = queue_.Write(chain, pool_);
    Check(chain.size() == bytes.size() - taken, "the rest stays");
    Remember(bytes, taken);
  }
  void Take(Input& input) {
    const uint32_t n =
        input.Below(static_cast<uint32_t>(bytes_.size() - sent_) + 1);
    Check(Flatten(queue_.TakeUnsent(n)) == Part(sent_, n), "bytes to be sent");
    sent_ += n;
  }
  void Repeat(Input& input) {
    const uint32_t offset = input.Below(static_cast<uint32_t>(sent_) + 1);
    const uint32_t n = input.Below(static_cast<uint32_t>(sent_) - offset + 1);
    Check(Flatten(queue_.SliceSent(offset, n)) == Part(offset, n),
          "bytes sent again");
  }
  void Trim(Input& input) {
    const uint32_t n = input.Below(static_cast<uint32_t>(sent_) + 1);
    queue_.TrimAcked(n);
    bytes_.erase(bytes_.begin(), bytes_.begin() + n);
    sent_ -= n;
  }
  Bytes Part(size_t offset, size_t n) const {
    const auto begin = bytes_.begin() + static_cast<ptrdiff_t>(offset);
    return Bytes(begin, begin + static_cast<ptrdiff_t>(n));
  }

  SlabPool pool_{0};
  SendQueue queue_{kCapacity};
  std::deque<uint8_t> bytes_;
  size_t sent_ = 0;
  uint64_t written_ = 0;
};

template <typename World>
void Run(World& world, Input& input) {
  for (int i = 0; i < kMaxSteps && !input.empty(); ++i) world.Step(input);
}

}  // namespace
}  // namespace tcpip::tcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::fuzz::Input input(data, size);
  if (input.Byte() % 2 == 0) {
    tcpip::tcp::ReassemblyWorld world(
        tcpip::tcp::SeqNum(uint32_t{input.Word()} << 16));
    tcpip::tcp::Run(world, input);
  } else {
    tcpip::tcp::SendQueueWorld world;
    tcpip::tcp::Run(world, input);
  }
  return 0;
}
