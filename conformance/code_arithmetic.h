// The operators of code in "%{ }%" on 64-bit integers, with Python's results:
// division rounds down, and nothing wraps. Used by the evaluator.
#ifndef CONFORMANCE_CODE_ARITHMETIC_H_
#define CONFORMANCE_CODE_ARITHMETIC_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace conformance {

// Binary operators by how tightly they bind, 0 the loosest ("|"). What is none
// of them is on kBinaryLevels.
inline constexpr size_t kBinaryLevels = 6;
size_t BinaryLevel(std::string_view name);
// FAILED_PRECONDITION where there is no result of 64 bits.
absl::StatusOr<int64_t> Calculate(std::string_view name, int64_t a, int64_t b);

bool IsComparison(std::string_view name);
bool Compare(std::string_view name, int64_t a, int64_t b);

}  // namespace conformance

#endif  // CONFORMANCE_CODE_ARITHMETIC_H_
