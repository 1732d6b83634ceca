#include "conformance/parser_calls.h"

#include <string>

#include "conformance/lexer.h"
#include "conformance/packet_text.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

struct Parsed {
  CallSpec call;
  std::string error;
};
Parsed Parse(std::string_view text) {
  Lexer lexer(text, "linux");
  Cursor cursor(lexer);
  Parsed parsed;
  if (ParseCall(cursor, parsed.call) && !cursor.At(Token::Kind::kEnd)) {
    cursor.Fail("the end");
  }
  parsed.error = cursor.error();
  return parsed;
}

Expr Argument(const std::string& text) {
  const Parsed parsed = Parse("f(" + text + ") = 0");
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.call.args.size() == 1 ? parsed.call.args[0] : Expr();
}

TEST(ParserCalls, TheFormsOfScripts) {
  struct {
    const char* text;
    const char* again;
  } const kCases[] = {
      {"close(3) = 0", "close(3) = 0"},
      {"f() = ...", "f() = ..."},
      {"socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3",
       "socket(..., SOCK_STREAM|SOCK_NONBLOCK, IPPROTO_TCP) = 3"},
      {"setsockopt(3,SOL_SOCKET,SO_REUSEADDR,[1],4)=0",
       "setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0"},
      {"connect(3, {sa_family = AF_INET, sin_port = htons(8080), "
       "sin_addr = inet_addr(\"192.0.2.1\")}, 16) = 0",
       "connect(3, {sa_family=AF_INET, sin_port=htons(8080), "
       "sin_addr=inet_addr(\"192.0.2.1\")}, 16) = 0"},
      {"writev(4, [{..., 1000}, {..., 2000}], 2) = 3000",
       "writev(4, [{..., 1000}, {..., 2000}], 2) = 3000"},
      {"recvmsg(4, {msg_name(...)=..., msg_iov(1)=[{...,0}],\n"
       "msg_flags=MSG_ERRQUEUE|MSG_TRUNC, msg_control=[{cmsg_level=SOL_TCP,"
       "cmsg_type=TCP_CM_INQ, cmsg_data=9000}]}, MSG_ERRQUEUE) = 0",
       "recvmsg(4, {msg_name=..., msg_iov=[{..., 0}], "
       "msg_flags=MSG_ERRQUEUE|MSG_TRUNC, msg_control=[{cmsg_level=SOL_TCP, "
       "cmsg_type=TCP_CM_INQ, cmsg_data=9000}]}, MSG_ERRQUEUE) = 0"},
      {"poll([{fd=4, events=POLLIN|POLLOUT, revents=0}], 1, 100) = 1",
       "poll([{fd=4, events=POLLIN|POLLOUT, revents=0}], 1, 100) = 1"},
      {"epoll_wait(5, {events=EPOLLOUT, fd=4}, 1, 0) = 1",
       "epoll_wait(5, {events=EPOLLOUT, fd=4}, 1, 0) = 1"},
      {"setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0",
       "setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0"},
      {"setsockopt(4, SOL_TCP, TCP_CONGESTION, \"cubic\", 5) = 0",
       "setsockopt(4, SOL_TCP, TCP_CONGESTION, \"cubic\", 5) = 0"},
      {"fcntl(3, F_GETFL) = 0x2 (flags O_RDWR|O_NONBLOCK)",
       "fcntl(3, F_GETFL) = 2 (flags O_RDWR|O_NONBLOCK)"},
      {"read(4, ..., 9) = -1 EAGAIN (Resource temporarily\n  unavailable)",
       "read(4, ..., 9) = -1 EAGAIN (Resource temporarily unavailable)"},
      {"fcntl(3, F_GETFL) = O_RDWR (it's two)",
       "fcntl(3, F_GETFL) = O_RDWR (it's two)"},
      {"read(4, ..., 9) = -1 EAGAIN", "read(4, ..., 9) = -1 EAGAIN"},
      {"f([], {}, [[[1]]]) = 0", "f([], {}, [[[1]]]) = 0"},
  };
  for (const auto& c : kCases) {
    const Parsed parsed = Parse(c.text);
    EXPECT_EQ(parsed.error, "") << c.text;
    EXPECT_EQ(ToText(parsed.call), c.again) << c.text;
  }
}

TEST(ParserCalls, ResultErrorAndNoteAreTakenApart) {
  const CallSpec call =
      Parse("connect(3, ..., ...) = -1 EINPROGRESS (Operation) (note)").call;
  EXPECT_EQ(call.name, "connect");
  EXPECT_EQ(call.result.kind, Expr::Kind::kInteger);
  EXPECT_EQ(call.result.integer, -1);
  EXPECT_EQ(call.error, "EINPROGRESS");
  EXPECT_EQ(call.note, "note");
}

TEST(ParserCalls, KindsOfExpressions) {
  EXPECT_EQ(Argument("...").kind, Expr::Kind::kEllipsis);
  EXPECT_EQ(Argument("AF_INET").kind, Expr::Kind::kWord);
  EXPECT_EQ(Argument("\"a\\n\"").text, "a\n");
  EXPECT_EQ(Argument("[1, 2]").items.size(), 2u);
  const Expr flags = Argument("A|0x10|C");
  ASSERT_EQ(flags.kind, Expr::Kind::kOr);
  ASSERT_EQ(flags.items.size(), 3u);
  EXPECT_EQ(flags.items[1].integer, 16);
  const Expr apply = Argument("htons(8080)");
  EXPECT_EQ(apply.kind, Expr::Kind::kApply);
  EXPECT_EQ(apply.text, "htons");
  const Expr fields = Argument("{fd=4, 5, events=A|B}");
  ASSERT_EQ(fields.fields.size(), 3u);
  EXPECT_EQ(fields.fields[0].first, "fd");
  EXPECT_EQ(fields.fields[1].first, "");
  EXPECT_EQ(fields.fields[1].second.integer, 5);
  EXPECT_EQ(fields.fields[2].second.kind, Expr::Kind::kOr);
}

TEST(ParserCalls, IntegersHave64Bits) {
  EXPECT_EQ(Argument("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(Argument("9223372036854775807").integer, INT64_MAX);
  EXPECT_EQ(Argument("0xffffffffffffffff").integer, -1);
  EXPECT_NE(Parse("f(-9223372036854775809) = 0").error, "");
  EXPECT_NE(Parse("f(18446744073709551616) = 0").error, "");
}

TEST(ParserCalls, WhatIsWrongIsNamed) {
  struct {
    const char* text;
    const char* error;
  } const kCases[] = {
      {"close 3) = 0", "1: expected '(', found '3'"},
      {"close(3 = 0", "1: expected ')', found '='"},
      {"close(3) 0", "1: expected '=', found '0'"},
      {"close(3) =", "1: expected an expression, found the end"},
      {"close(,) = 0", "1: expected an expression, found ','"},
      {"f(1.5) = 0", "1: expected an expression, found '1.5'"},
      {"f(-x) = 0", "1: expected a number, found 'x'"},
      {"f(\"\\q\") = 0",
       "1: expected a string with the escapes of C, found a "
       "string"},
      {"f({1=2}) = 0", "1: expected ',', found '='"},
      {"f({a|b=2}) = 0", "1: expected ',', found '='"},
      {"f({msg_iov(2)=[{..., 1}]}) = 0",
       "1: expected msg_iov of the length it names, found 1 elements"},
      {"close(3) = 0 (never",
       "1: expected the ) that ends a note, found the "
       "end"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Parse(c.text).error, c.error);
}

TEST(ParserCalls, NestingIsLimited) {
  const auto nested = [](int depth, const char* open, const char* close) {
    std::string text = "f(";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return Parse(text + ") = 0").error;
  };
  EXPECT_EQ(nested(15, "[", "]"), "");
  EXPECT_EQ(nested(16, "[", "]"), "1: expected at most 16 levels, found '1'");
  for (const char* open : {"[", "{", "{a=", "f(", "1|[", "{a(1)="}) {
    EXPECT_NE(nested(100'000, open, ""), "") << open;
  }
}

}  // namespace
}  // namespace conformance
