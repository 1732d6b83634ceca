#include "tools/sim/quantity.h"

#include <charconv>
#include <limits>
#include <span>

namespace tcpip::sim {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr Unit kTimes[] = {
    {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit kRates[] = {
    {"kbps", 1'000}, {"Mbps", 1'000'000}, {"Gbps", 1'000'000'000}};
constexpr Unit kSizes[] = {{"B", 1},
                           {"KB", 1'000},
                           {"MB", 1'000'000},
                           {"GB", 1'000'000'000},
                           {"KiB", uint64_t{1} << 10},
                           {"MiB", uint64_t{1} << 20},
                           {"GiB", uint64_t{1} << 30}};
constexpr Unit kShares[] = {{"%", 10'000}};
constexpr Unit kCounts[] = {{"", 1}};

// What no quantity here may reach, so that products stay in 64 bits.
constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();

// "1.25ms" in the smallest unit; digits beyond that are refused.
std::optional<uint64_t> Parse(std::string_view text,
                              std::span<const Unit> units) {
  const char* const end = text.data() + text.size();
  uint64_t whole = 0;
  auto [at, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc()) return std::nullopt;

  uint64_t numerator = 0;
  uint64_t denominator = 1;
  if (at != end && *at == '.') {
    const char* const digits = at + 1;
    for (at = digits; at != end && *at >= '0' && *at <= '9'; ++at) {
      if (denominator > kMost / 100) return std::nullopt;
      numerator = numerator * 10 + static_cast<uint64_t>(*at - '0');
      denominator *= 10;
    }
    if (at == digits) return std::nullopt;
  }
  const std::string_view name(at, static_cast<size_t>(end - at));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    if (whole > (kMost - unit.factor) / unit.factor) return std::nullopt;
    const auto part = static_cast<unsigned __int128>(numerator) * unit.factor;
    if (part % denominator != 0) return std::nullopt;
    return whole * unit.factor + static_cast<uint64_t>(part / denominator);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Duration> ParseTime(std::string_view text) {
  const auto ns = Parse(text, kTimes);
  if (!ns) return std::nullopt;
  return Duration::Nanoseconds(static_cast<int64_t>(*ns));
}

std::optional<Bandwidth> ParseRate(std::string_view text) {
  const auto bps = Parse(text, kRates);
  if (!bps) return std::nullopt;
  return Bandwidth::BitsPerSecond(*bps);
}

std::optional<uint64_t> ParseSize(std::string_view text) {
  return Parse(text, kSizes);
}

std::optional<uint32_t> ParseShare(std::string_view text) {
  const auto share = Parse(text, kShares);
  if (!share || *share > 1'000'000) return std::nullopt;
  return static_cast<uint32_t>(*share);
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  return Parse(text, kCounts);
}

}  // namespace tcpip::sim
