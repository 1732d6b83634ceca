// Fragments in any order, size and contradiction, for a few packets at once,
// under limits that bite. What comes out whole passes the input checks, and
// where every fragment told the truth, so does the whole; the accounts are
// right after every step, and nothing is kept beyond the limits.
//
// The input is a list of steps of six bytes; when the input ends, bytes read
// as zero.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/ip.h"
#include "tcpip/network/reassembly.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tests/fuzz/input.h"

namespace tcpip::ip {
namespace {

using fuzz::Check;
constexpr int kMaxSteps = 300;
constexpr int kPackets = 8;  // four of each family, from two sources each
constexpr size_t kMaxBytes = 40'000;
// One block each for the packet that comes in, and for its copy.
constexpr size_t kSlack = 3 * 65536;

uint8_t TrueByte(size_t at) { return static_cast<uint8_t>(at * 31 + at / 256); }

class World {
 public:
  // The step's bytes: which packet, what kind of step, and a fragment's place,
  // size and end in units that make meetings likely.
  void Step(const uint8_t (&step)[6]) {
    now_ += Duration::Milliseconds(step[1] % 4 == 0 ? 700 : 0);
    while (reassembly_.NextDeadline() <= now_) {
      Check(reassembly_.PopExpired(now_).has_value(), "an expiry that is none");
    }
    OnFragment(step);
    reassembly_.CheckInvariants();
    Check(pool_.stats().live_bytes <= kMaxBytes + kSlack, "memory is bounded");
  }

 private:
  void OnFragment(const uint8_t (&step)[6]) {
    const int packet = step[0] % kPackets;
    const bool lies = step[1] >= 224;
    sim::IpFragment fragment = {
        .from = *IpAddress::Parse(
            packet % 2 == 0 ? (packet % 4 == 0 ? "10.0.0.1" : "10.0.0.3")
                            : (packet % 4 == 1 ? "fd00::1" : "fd00::3")),
        .to = *IpAddress::Parse(packet % 2 == 0 ? "10.0.0.2" : "fd00::2"),
        .protocol = 132,
        .id = static_cast<uint32_t>(packet / 4),
        .offset = static_cast<uint16_t>(step[2] * (step[1] % 8 == 7 ? 256 : 8)),
        .more = step[4] % 4 != 0,
        .tos = static_cast<uint8_t>(step[5] % 16 == 0 ? 3 : 2)};
    size_t size = step[3] * size_t{8};
    if (!fragment.more) size -= std::min<size_t>(size, step[4] % 8);
    fragment.data.resize(size);
    for (size_t i = 0; i < size; ++i) {
      fragment.data[i] =
          static_cast<uint8_t>(TrueByte(fragment.offset + i) + (lies ? 1 : 0));
    }
    lied_[packet] |= lies;
    Packet in = Packet::Copy(pool_, sim::Build(fragment));
    const InputVerdict verdict = CheckIp(in, Ingress::kLink);
    if (verdict.drop || !verdict.fragment) return;
    Reassembly::Outcome outcome = reassembly_.OnFragment(
        std::move(in), verdict.ip, *verdict.fragment, now_);
    if (outcome.whole) OnWhole(*outcome.whole, !lied_[packet]);
  }

  void OnWhole(const Packet& whole, bool true_to_the_byte) {
    const InputVerdict verdict = CheckIp(whole, Ingress::kLink);
    Check(!verdict.drop && !verdict.fragment, "the whole is no good packet");
    Check(verdict.ip.size == whole.size(), "the whole has another size");
    if (!true_to_the_byte) return;
    const sim::Bytes bytes = sim::Flatten(whole);
    for (size_t i = verdict.ip.header_size; i < bytes.size(); ++i) {
      Check(bytes[i] == TrueByte(i - verdict.ip.header_size),
            "a byte is not what was sent");
    }
  }

  SlabPool pool_{0};
  SeededRng rng_{1};
  Instant now_;
  bool lied_[kPackets] = {};
  Reassembly reassembly_{{.max_bytes = kMaxBytes,
                          .max_datagrams = 5,
                          .max_datagrams_per_source = 3,
                          .max_fragments = 20},
                         pool_,
                         rng_};
};

}  // namespace
}  // namespace tcpip::ip

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tcpip::ip::World world;
  for (int i = 0; i < tcpip::ip::kMaxSteps && size > 0; ++i) {
    uint8_t step[6] = {};
    const size_t taken = std::min(size, sizeof step);
    std::copy_n(data, taken, step);
    data += taken;
    size -= taken;
    world.Step(step);
  }
  return 0;
}
