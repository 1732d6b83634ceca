#include "conformance/cursor.h"

#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::Duration;

// The time a text means, and the error if it means none.
struct Time {
  std::optional<Duration> time;
  std::string error;
};
Time TimeOf(std::string_view text) {
  Lexer lexer(text, "linux");
  Cursor cursor(lexer);
  Duration time;
  if (cursor.Seconds(time)) return {time, cursor.error()};
  return {std::nullopt, cursor.error()};
}

TEST(Cursor, SecondsAreExactToTheNanosecond) {
  EXPECT_EQ(TimeOf("0").time, Duration::Zero());
  EXPECT_EQ(TimeOf("1").time, Duration::Seconds(1));
  EXPECT_EQ(TimeOf(".010").time, Duration::Milliseconds(10));
  EXPECT_EQ(TimeOf("1.000000001").time,
            Duration::Seconds(1) + Duration::Nanoseconds(1));
  EXPECT_EQ(TimeOf("10000000").time, Duration::Seconds(10'000'000));
}

TEST(Cursor, OtherTimesAreRefused) {
  for (const char* text : {"10000001", "99999999999999999999", "0x10",
                           "1.0000000001", "a", "-1", ""}) {
    EXPECT_EQ(TimeOf(text).time, std::nullopt) << text;
  }
  EXPECT_EQ(TimeOf("a").error,
            "1: expected a time in seconds, such as 0.25, found 'a'");
  EXPECT_EQ(TimeOf("1.0000000001").error,
            "1: expected a time of at most 10000000 seconds and nine decimals, "
            "found '1.0000000001'");
}

TEST(Cursor, NumbersFitTheirType) {
  Lexer lexer("255 0xff 65536 256", "linux");
  Cursor cursor(lexer);
  uint8_t byte = 0;
  EXPECT_TRUE(cursor.Number(byte));
  EXPECT_EQ(byte, 255);
  EXPECT_TRUE(cursor.Number(byte));
  EXPECT_EQ(byte, 255);
  std::optional<uint32_t> wide;
  EXPECT_TRUE(cursor.Number(wide));
  EXPECT_EQ(wide, 65536u);
  EXPECT_FALSE(cursor.Number(byte));
  EXPECT_EQ(cursor.error(), "1: expected a number up to 255, found '256'");
}

TEST(Cursor, NumbersBeyond64BitsAreRefused) {
  for (const char* text : {"18446744073709551616", "0x10000000000000000"}) {
    Lexer lexer(text, "linux");
    Cursor cursor(lexer);
    uint64_t number = 0;
    EXPECT_FALSE(cursor.Unsigned(UINT64_MAX, number)) << text;
  }
}

TEST(Cursor, AcceptTakesOnlyWhatItNames) {
  Lexer lexer("ack ( 1", "linux");
  Cursor cursor(lexer);
  EXPECT_FALSE(cursor.AcceptWord("win"));
  EXPECT_FALSE(cursor.Accept('('));
  EXPECT_TRUE(cursor.AcceptWord("ack"));
  EXPECT_TRUE(cursor.Accept('('));
  EXPECT_TRUE(cursor.Accept(Token::Kind::kInteger));
  EXPECT_TRUE(cursor.At(Token::Kind::kEnd));
  EXPECT_EQ(cursor.error(), "");
}

TEST(Cursor, TheFirstErrorIsKept) {
  Lexer lexer("\na", "linux");
  Cursor cursor(lexer);
  EXPECT_FALSE(cursor.Expect('('));
  EXPECT_FALSE(cursor.ExpectWord("b"));
  EXPECT_FALSE(cursor.FailAt(7, "x", "y"));
  EXPECT_EQ(cursor.error(), "2: expected '(', found 'a'");
}

TEST(Cursor, WhatTheLexerCouldNotReadIsTheError) {
  Lexer lexer("\"a", "linux");
  Cursor cursor(lexer);
  EXPECT_FALSE(cursor.Expect('('));
  EXPECT_EQ(cursor.error(),
            "1: expected the \" that ends a string, found the end of the line");
}

TEST(Cursor, NotesHaveTheirBlanksSqueezed) {
  Lexer lexer("( Operation\n  now (in) progress ) x", "linux");
  Cursor cursor(lexer);
  std::string note;
  EXPECT_TRUE(cursor.Parenthesized(note));
  EXPECT_EQ(note, "Operation now (in) progress");
  EXPECT_TRUE(cursor.AtWord("x"));
  EXPECT_FALSE(cursor.Parenthesized(note));
}

}  // namespace
}  // namespace conformance
