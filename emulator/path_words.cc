#include "emulator/path_words.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "emulator/burst_loss.h"
#include "emulator/chance.h"
#include "emulator/quantity.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace emulator {
namespace {

using tcpip::Bandwidth;
using tcpip::Duration;
using tcpip::Instant;
using Values = std::span<const absl::string_view>;
using Text = std::optional<std::string>;

// Far below where the arithmetic of time ends.
constexpr Duration kLongestDelay = Duration::Seconds(3600);
constexpr Duration kLatest = Duration::Seconds(1'000'000);
constexpr uint64_t kLeastRate = 1'000;
// What RFC 791 3.2 has every router forward, and all a header can say.
constexpr uint32_t kLeastMtu = 68;
constexpr uint32_t kMostMtu = 65'535;

// --- Reading: false when it is not what the word wants ----------------------

bool Read(absl::string_view text, Units units, uint32_t least, uint32_t most,
          uint32_t& to) {
  const std::optional<uint64_t> value = ParseQuantity(text, units, most);
  if (!value || *value < least) return false;
  to = static_cast<uint32_t>(*value);
  return true;
}

bool ReadChance(absl::string_view text, uint32_t& to) {
  return Read(text, kChances, 0, kPerMillion, to);
}

// Of bytes or packets; all there can be is not to be said.
bool ReadLimit(absl::string_view text, Units units, uint32_t& to) {
  return Read(text, units, 1, PathConfig::kUnlimited - 1, to);
}

bool ReadTime(absl::string_view text, Duration& to,
              Duration most = kLongestDelay) {
  const std::optional<uint64_t> ns =
      ParseQuantity(text, kTimes, static_cast<uint64_t>(most.nanoseconds()));
  if (ns) to = Duration::Nanoseconds(static_cast<int64_t>(*ns));
  return ns.has_value();
}

bool ReadRate(absl::string_view text, Bandwidth& to) {
  const std::optional<uint64_t> rate = ParseQuantity(text, kRates);
  if (rate) to = Bandwidth::BitsPerSecond(*rate);
  return rate && *rate >= kLeastRate;
}

bool ReadBurst(absl::string_view text, BurstLossConfig& to) {
  BurstLossConfig burst;
  uint32_t* const fields[] = {&burst.enter, &burst.leave, &burst.loss_bad,
                              &burst.loss_good};
  const std::vector<absl::string_view> chances = absl::StrSplit(text, '/');
  if (chances.size() < 2 || chances.size() > std::size(fields)) return false;
  for (size_t i = 0; i < chances.size(); ++i) {
    if (!ReadChance(chances[i], *fields[i])) return false;
  }
  if (burst.enter != 0) to = burst;
  return true;
}

bool ReadHold(Values values, PathConfig& to) {
  uint32_t chance = 0;
  Duration time;
  if (!ReadChance(values[0], chance) || !ReadTime(values[1], time)) {
    return false;
  }
  if (chance == 0) return true;
  if (time == Duration::Zero()) return false;
  to.hold = chance;
  to.hold_for = time;
  return true;
}

bool ReadOrdinals(Values values, std::vector<uint64_t>& to) {
  for (const absl::string_view text : values) {
    const std::optional<uint64_t> value = ParseQuantity(text, kNumbers);
    if (!value || *value <= (to.empty() ? 0 : to.back())) return false;
    to.push_back(*value);
  }
  return true;
}

bool ReadOutages(Values values, std::vector<Outage>& to) {
  for (const absl::string_view text : values) {
    const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
    Duration from, until;
    if (ends.size() != 2 || !ReadTime(ends[0], from, kLatest) ||
        !ReadTime(ends[1], until, kLatest) || from >= until) {
      return false;
    }
    to.push_back({Instant() + from, Instant() + until});
  }
  return true;
}

// --- Writing ----------------------------------------------------------------

std::string TimeText(Duration time) {
  return QuantityText(static_cast<uint64_t>(time.nanoseconds()), kTimes);
}

std::string RateText(Bandwidth rate) {
  return QuantityText(rate.bits_per_second(), kRates);
}

Text TimeUnlessZero(Duration time) {
  return time == Duration::Zero() ? Text() : TimeText(time);
}

Text ChanceUnlessZero(uint32_t chance) {
  return chance == 0 ? Text() : QuantityText(chance, kChances);
}

Text UnlessUnlimited(uint32_t limit, Units units) {
  return limit == PathConfig::kUnlimited ? Text() : QuantityText(limit, units);
}

Text FlagText(bool flag) { return flag ? Text("") : Text(); }

// Those that are said.
Text Both(const Text& a, const Text& b) {
  if (a && b) return absl::StrCat(*a, " ", *b);
  return a ? a : b;
}

Text OrdinalsText(const std::vector<uint64_t>& ordinals) {
  return ordinals.empty() ? Text() : absl::StrJoin(ordinals, " ");
}

std::string BurstText(const BurstLossConfig& burst) {
  std::string text = absl::StrCat(QuantityText(burst.enter, kChances), "/",
                                  QuantityText(burst.leave, kChances));
  const BurstLossConfig usual;
  const bool good = burst.loss_good != usual.loss_good;
  if (good || burst.loss_bad != usual.loss_bad) {
    absl::StrAppend(&text, "/", QuantityText(burst.loss_bad, kChances));
  }
  if (good)
    absl::StrAppend(&text, "/", QuantityText(burst.loss_good, kChances));
  return text;
}

Text OutagesText(const std::vector<Outage>& outages) {
  if (outages.empty()) return Text();
  return absl::StrJoin(outages, " ", [](std::string* out, const Outage& o) {
    absl::StrAppend(out, TimeText(o.from - Instant()), "-",
                    TimeText(o.to - Instant()));
  });
}

// --- The words --------------------------------------------------------------

constexpr size_t kAnyCount = std::numeric_limits<size_t>::max();

using Config = PathConfig;

// In the order of ToText.
constexpr PathWord kWords[] = {
    {"rate", "100Mbit/s", "from 1kbit/s on", 1, 1,
     [](Values v, Config& c) { return ReadRate(v[0], c.rate); },
     [](const Config& c) {
       return c.rate.IsZero() ? Text() : RateText(c.rate);
     }},
    {"delay", "50ms", "up to 3600s", 1, 1,
     [](Values v, Config& c) { return ReadTime(v[0], c.delay); },
     [](const Config& c) { return TimeUnlessZero(c.delay); }},
    {"jitter", "7.5ms", "up to 3600s", 1, 1,
     [](Values v, Config& c) { return ReadTime(v[0], c.jitter); },
     [](const Config& c) { return TimeUnlessZero(c.jitter); }},
    {"reorder", "", "", 0, 0,
     [](Values, Config& c) { return c.reorder = true; },
     [](const Config& c) { return FlagText(c.reorder); }},
    {"loss", "1%", "from 0% to 100%", 1, 1,
     [](Values v, Config& c) { return ReadChance(v[0], c.loss); },
     [](const Config& c) { return ChanceUnlessZero(c.loss); }},
    {"burst", "0.1%/20%", "two to four chances from 0% to 100%", 1, 1,
     [](Values v, Config& c) { return ReadBurst(v[0], c.burst); },
     [](const Config& c) {
       return c.burst.enter == 0 ? Text() : BurstText(c.burst);
     }},
    {"queue", "64KiB 100packets", "one limit or both, of one packet at least",
     1, 2,
     [](Values v, Config& c) {
       return std::all_of(v.begin(), v.end(), [&c](absl::string_view text) {
         return ReadLimit(text, kSizes, c.queue_bytes) ||
                ReadLimit(text, kPackets, c.queue_packets);
       });
     },
     [](const Config& c) {
       return Both(UnlessUnlimited(c.queue_bytes, kSizes),
                   UnlessUnlimited(c.queue_packets, kPackets));
     }},
    {"mark", "5ms 64KiB", "one limit or both, the time up to 3600s", 1, 2,
     [](Values v, Config& c) {
       return std::all_of(v.begin(), v.end(), [&c](absl::string_view text) {
         return ReadLimit(text, kSizes, c.mark_bytes) ||
                ReadTime(text, c.mark_wait.emplace());
       });
     },
     [](const Config& c) {
       return Both(c.mark_wait ? Text(TimeText(*c.mark_wait)) : Text(),
                   UnlessUnlimited(c.mark_bytes, kSizes));
     }},
    {"police", "10Mbit/s 64KiB", "the rate from 1kbit/s on", 2, 2,
     [](Values v, Config& c) {
       return ReadRate(v[0], c.police.rate) &&
              ReadLimit(v[1], kSizes, c.police.burst_bytes);
     },
     [](const Config& c) {
       return c.police.rate.IsZero()
                  ? Text()
                  : Both(RateText(c.police.rate),
                         QuantityText(c.police.burst_bytes, kSizes));
     }},
    {"hold", "3% 30ms", "more than 0s, up to 3600s", 2, 2, ReadHold,
     [](const Config& c) {
       return c.hold == 0
                  ? Text()
                  : Both(ChanceUnlessZero(c.hold), TimeText(c.hold_for));
     }},
    {"duplicate", "0.1%", "from 0% to 100%", 1, 1,
     [](Values v, Config& c) { return ReadChance(v[0], c.duplicate); },
     [](const Config& c) { return ChanceUnlessZero(c.duplicate); }},
    {"corrupt", "0.01%", "from 0% to 100%", 1, 1,
     [](Values v, Config& c) { return ReadChance(v[0], c.corrupt); },
     [](const Config& c) { return ChanceUnlessZero(c.corrupt); }},
    {"mtu", "1500", "from 68 to 65535", 1, 1,
     [](Values v, Config& c) {
       return Read(v[0], kNumbers, kLeastMtu, kMostMtu, c.max_packet_bytes);
     },
     [](const Config& c) {
       return UnlessUnlimited(c.max_packet_bytes, kNumbers);
     }},
    {"drop-fragments", "", "", 0, 0,
     [](Values, Config& c) { return c.drop_fragments = true; },
     [](const Config& c) { return FlagText(c.drop_fragments); }},
    {"lose", "3 7 9", "ascending, from 1 on", 1, kAnyCount,
     [](Values v, Config& c) { return ReadOrdinals(v, c.lose_packets); },
     [](const Config& c) { return OrdinalsText(c.lose_packets); }},
    {"lose-data", "3 7 9", "ascending, from 1 on", 1, kAnyCount,
     [](Values v, Config& c) { return ReadOrdinals(v, c.lose_data); },
     [](const Config& c) { return OrdinalsText(c.lose_data); }},
    {"outage", "2s-3.5s 9s-10s", "each ends after it begins, up to 1000000s", 1,
     kAnyCount, [](Values v, Config& c) { return ReadOutages(v, c.outages); },
     [](const Config& c) { return OutagesText(c.outages); }},
};

}  // namespace

std::span<const PathWord> PathWords() { return kWords; }

}  // namespace emulator
