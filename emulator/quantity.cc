#include "emulator/quantity.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace emulator {
namespace {

using Wide = unsigned __int128;

constexpr int kMaxDigits = 19;  // fit 64 bits

// A number with its point moved to the end.
struct Decimal {
  uint64_t digits = 0;
  uint64_t scale = 1;  // what the digits are to be divided by
};

// Digits, and perhaps a point among them, at the front of `text`, which loses
// them.
std::optional<Decimal> TakeDecimal(absl::string_view& text) {
  Decimal result;
  int count = 0;
  bool after_point = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !after_point && count > 0) {
      after_point = true;
      continue;
    }
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) break;
    if (++count > kMaxDigits) return std::nullopt;
    result.digits = result.digits * 10 + static_cast<uint64_t>(text[at] - '0');
    if (after_point) result.scale *= 10;
  }
  if (count == 0 || text[at - 1] == '.') return std::nullopt;
  text.remove_prefix(at);
  return result;
}

// value / worth, where worth divides some power of ten times value.
std::string DecimalText(uint64_t value, uint64_t worth) {
  std::string text = absl::StrCat(value / worth);
  Wide rest = value % worth;
  if (rest != 0) text += '.';
  for (; rest != 0; rest %= worth) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / worth));
  }
  return text;
}

bool SuitsText(uint64_t value, const Unit& unit) {
  return value >= unit.worth && Wide{value} * 1000 % unit.worth == 0;
}

bool IsWorthLess(const Unit& a, const Unit& b) { return a.worth < b.worth; }

}  // namespace

std::optional<uint64_t> ParseQuantity(absl::string_view text, Units units,
                                      uint64_t most) {
  const std::optional<Decimal> number = TakeDecimal(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (text != unit.name) continue;
    const Wide value = Wide{number->digits} * unit.worth;
    if (value % number->scale != 0 || value / number->scale > most) break;
    return static_cast<uint64_t>(value / number->scale);
  }
  return std::nullopt;
}

std::string QuantityText(uint64_t value, Units units) {
  for (const Unit& unit : units) {
    if (SuitsText(value, unit)) {
      return absl::StrCat(DecimalText(value, unit.worth), unit.name);
    }
  }
  const Unit& least =
      *std::min_element(units.begin(), units.end(), IsWorthLess);
  return absl::StrCat(DecimalText(value, least.worth), least.name);
}

}  // namespace emulator
