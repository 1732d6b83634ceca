#include "conformance/code_arithmetic.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace conformance {
namespace {

using Result = std::optional<int64_t>;
using Operation = Result (*)(int64_t, int64_t);

Result Add(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

Result Subtract(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

Result Multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Rounds down, so that the remainder has the divisor's sign.
Result Divide(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) {
    return std::nullopt;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Result Remainder(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;  // the machine traps on the smallest number
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b
                                                      : remainder;
}

Result ShiftLeft(int64_t a, int64_t b) {
  if (b < 0 || b > 62) return std::nullopt;
  return Multiply(a, int64_t{1} << b);
}

Result ShiftRight(int64_t a, int64_t b) {
  if (b < 0) return std::nullopt;
  return a >> std::min<int64_t>(b, 63);
}

struct Operator {
  std::string_view name;
  size_t level;
  Operation operation;
};

constexpr Operator kOperators[] = {
    {"|", 0, [](int64_t a, int64_t b) -> Result { return a | b; }},
    {"^", 1, [](int64_t a, int64_t b) -> Result { return a ^ b; }},
    {"&", 2, [](int64_t a, int64_t b) -> Result { return a & b; }},
    {"<<", 3, ShiftLeft},
    {">>", 3, ShiftRight},
    {"+", 4, Add},
    {"-", 4, Subtract},
    {"*", 5, Multiply},
    {"//", 5, Divide},
    {"%", 5, Remainder},
};

struct Comparison {
  std::string_view name;
  bool (*holds)(int64_t, int64_t);
};

constexpr Comparison kComparisons[] = {
    {"==", [](int64_t a, int64_t b) { return a == b; }},
    {"!=", [](int64_t a, int64_t b) { return a != b; }},
    {"<", [](int64_t a, int64_t b) { return a < b; }},
    {"<=", [](int64_t a, int64_t b) { return a <= b; }},
    {">", [](int64_t a, int64_t b) { return a > b; }},
    {">=", [](int64_t a, int64_t b) { return a >= b; }},
};

// nullptr when there is none of this name.
template <class Table>
auto Find(const Table& table, std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table),
                   [name](const auto& entry) { return entry.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

size_t BinaryLevel(std::string_view name) {
  const Operator* const found = Find(kOperators, name);
  return found ? found->level : kBinaryLevels;
}

absl::StatusOr<int64_t> Calculate(std::string_view name, int64_t a, int64_t b) {
  const Operator* const found = Find(kOperators, name);
  if (found) {
    if (const Result result = found->operation(a, b)) return *result;
  }
  return absl::FailedPreconditionError(
      "code: no 64-bit result of " + std::to_string(a) + " " +
      std::string(name) + " " + std::to_string(b));
}

bool IsComparison(std::string_view name) {
  return Find(kComparisons, name) != nullptr;
}

bool Compare(std::string_view name, int64_t a, int64_t b) {
  const Comparison* const found = Find(kComparisons, name);
  return found && found->holds(a, b);
}

}  // namespace conformance
