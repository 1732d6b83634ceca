#include "emulator/quantity.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"

namespace emulator {
namespace {

struct Case {
  const char* text;
  Units units;
  std::optional<uint64_t> value;  // none: refused
};

TEST(Quantity, ReadsExactDecimalsWithAUnit) {
  const Case cases[] = {
      {"50ms", kTimes, 50'000'000},
      {"7.5ms", kTimes, 7'500'000},
      {"0.000001ms", kTimes, 1},
      {"0ns", kTimes, 0},
      {"1.5KiB", kSizes, 1536},
      {"5MB", kSizes, 5'000'000},
      {"2.5Gbps", kRates, 2'500'000'000},
      {"7packets", kPackets, 7},
      {"50", kNumbers, 50},
      {"50s", kNumbers, std::nullopt},
      {"0.01%", kChances, 100},
      {"100%", kChances, 1'000'000},
      {"18446744073709551615B", kSizes, std::nullopt},  // 20 digits
      {"9999999999999999999B", kSizes, 9'999'999'999'999'999'999u},
      // Neither a number nor a unit, or not both.
      {"", kTimes, std::nullopt},
      {"ms", kTimes, std::nullopt},
      {"5", kTimes, std::nullopt},
      {"5m", kTimes, std::nullopt},
      {"5 ms", kTimes, std::nullopt},
      {"-5ms", kTimes, std::nullopt},
      {"+5ms", kTimes, std::nullopt},
      {"5e3ms", kTimes, std::nullopt},
      {".5ms", kTimes, std::nullopt},
      {"5.ms", kTimes, std::nullopt},
      {"5..5ms", kTimes, std::nullopt},
      // Finer than the smallest unit, or too much for it.
      {"0.5ns", kTimes, std::nullopt},
      {"0.00001%", kChances, std::nullopt},
      {"18446744074s", kTimes, std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ParseQuantity(c.text, c.units), c.value) << c.text;
  }
}

TEST(Quantity, RefusesWhatExceedsTheMost) {
  EXPECT_EQ(ParseQuantity("100%", kChances, 1'000'000), 1'000'000u);
  EXPECT_EQ(ParseQuantity("100.0001%", kChances, 1'000'000), std::nullopt);
}

TEST(Quantity, IsWrittenInTheLargestUnitThatSuits) {
  const struct {
    uint64_t value;
    Units units;
    const char* text;
  } cases[] = {
      {2'000'000'000, kTimes, "2s"},
      {1'500'000'000, kTimes, "1.5s"},
      {1'000'100'000, kTimes, "1000.1ms"},
      {7'500'000, kTimes, "7.5ms"},
      {500'000, kTimes, "500us"},
      {1'234'567, kTimes, "1234.567us"},
      {0, kTimes, "0ns"},
      {65'536, kSizes, "64KiB"},
      {1536, kSizes, "1.5KiB"},
      {1500, kSizes, "1500B"},
      {100, kChances, "0.01%"},
      {1, kChances, "0.0001%"},
      {1'000'000, kChances, "100%"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(QuantityText(c.value, c.units), c.text);
    EXPECT_EQ(ParseQuantity(c.text, c.units), c.value) << c.text;
  }
}

}  // namespace
}  // namespace emulator
