// Quantities in words: an exact decimal number and its unit, "7.5ms", "1%",
// "64KiB", read and written by one table of units. No float is involved.
// Called by path_spec.
#ifndef EMULATOR_QUANTITY_H_
#define EMULATOR_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace emulator {

// A unit and what it is worth in the smallest one.
struct Unit {
  absl::string_view name;
  uint64_t worth;
};

// Of one kind, largest first; units that are read but never written come last.
using Units = std::span<const Unit>;

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
