// Quantities in words: an exact decimal number and its unit, "7.5ms", "1%",
// "64KiB", read and written by one table of units each. No float is involved.
#ifndef EMULATOR_QUANTITY_H_
#define EMULATOR_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/string_view.h"
#include "emulator/chance.h"

namespace emulator {

// A unit and what it is worth in the smallest one.
struct Unit {
  absl::string_view name;
  uint64_t worth;
};

// Of one kind, largest first; units that are read but never written come last.
using Units = std::span<const Unit>;

inline constexpr Unit kRates[] = {
    // bit/s
    {"Gbit/s", 1'000'000'000}, {"Mbit/s", 1'000'000},
    {"kbit/s", 1'000},         {"bit/s", 1},
    {"Gbps", 1'000'000'000},   {"Mbps", 1'000'000},
    {"kbps", 1'000},           {"bps", 1},
};
inline constexpr Unit kTimes[] = {  // nanoseconds
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1}};
inline constexpr Unit kSizes[] = {
    // bytes
    {"GiB", 1 << 30},      {"MiB", 1 << 20},  {"KiB", 1 << 10}, {"B", 1},
    {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"KB", 1'000},
};
inline constexpr Unit kChances[] = {{"%", kPerMillion / 100}};
inline constexpr Unit kPackets[] = {{"packets", 1}};
inline constexpr Unit kNumbers[] = {{"", 1}};

// nullopt when `text` is not a number and one of the units, is no whole number
// of the smallest unit, or exceeds `most`.
std::optional<uint64_t> ParseQuantity(absl::string_view text, Units units,
                                      uint64_t most = UINT64_MAX);

// What ParseQuantity reads as `value`: in the largest unit that leaves no more
// than three decimals and something before them, or in the smallest, which is
// worth a power of ten.
std::string QuantityText(uint64_t value, Units units);

}  // namespace emulator

#endif  // EMULATOR_QUANTITY_H_
