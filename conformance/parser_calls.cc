#include "conformance/parser_calls.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/escapes.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

// A message header with its control messages is five deep.
constexpr int kMaxDepth = 16;

bool ParseExpr(Cursor& cursor, int depth, Expr& expr);

// Zero or more, up to the closing character.
bool ParseList(Cursor& cursor, char close, int depth,
               std::vector<Expr>& items) {
  if (cursor.Accept(close)) return true;
  do {
    if (!ParseExpr(cursor, depth, items.emplace_back())) return false;
  } while (cursor.Accept(','));
  return cursor.Expect(close);
}

// "= value" behind a name, which may have the value's length in parentheses.
bool ParseNamed(Cursor& cursor, int depth, std::string& name, Expr& value) {
  const bool counted =
      value.kind == Expr::Kind::kApply && value.items.size() == 1;
  if (!counted && value.kind != Expr::Kind::kWord) return cursor.Fail("','");
  const Expr named = std::move(value);
  const int line = cursor.token().line;
  name = named.text;
  value = Expr();
  if (!cursor.Expect('=') || !ParseExpr(cursor, depth, value)) return false;
  const bool wrong =
      counted && value.kind == Expr::Kind::kArray &&
      named.items[0].kind == Expr::Kind::kInteger &&
      named.items[0].integer != static_cast<int64_t>(value.items.size());
  return !wrong ||
         cursor.FailAt(line, name + " of the length it names",
                       std::to_string(value.items.size()) + " elements");
}

bool ParseFields(Cursor& cursor, int depth, Expr& expr) {
  if (cursor.Accept('}')) return true;
  do {
    auto& [name, value] = expr.fields.emplace_back("", Expr());
    if (!ParseExpr(cursor, depth, value)) return false;
    if (cursor.At('=') && !ParseNamed(cursor, depth, name, value)) return false;
  } while (cursor.Accept(','));
  return cursor.Expect('}');
}

// Up to 2^64 - 1, as for epoll's u64: what does not fit is the negative number
// of the same bits.
bool ParseInteger(Cursor& cursor, Expr& expr) {
  expr.kind = Expr::Kind::kInteger;
  const bool negative = cursor.Accept('-');
  const uint64_t max =
      negative ? uint64_t{1} << 63 : std::numeric_limits<uint64_t>::max();
  uint64_t magnitude = 0;
  if (!cursor.Unsigned(max, magnitude)) return false;
  expr.integer = static_cast<int64_t>(negative ? -magnitude : magnitude);
  return true;
}

bool ParseString(Cursor& cursor, Expr& expr) {
  expr.kind = Expr::Kind::kString;
  std::optional<std::string> text = Unescape(cursor.token().text);
  if (!text) return cursor.Fail("a string with the escapes of C");
  expr.text = std::move(*text);
  cursor.Take();
  return true;
}

bool ParseTerm(Cursor& cursor, int depth, Expr& expr) {
  if (cursor.Accept(Kind::kEllipsis)) return true;
  if (cursor.At(Kind::kInteger) || cursor.At('-')) {
    return ParseInteger(cursor, expr);
  }
  if (cursor.At(Kind::kString)) return ParseString(cursor, expr);
  if (cursor.At(Kind::kWord)) {
    expr.kind = Expr::Kind::kWord;
    expr.text = cursor.Take().text;
    // With a gap before it, the parenthesis begins the note of a result.
    if (!cursor.token().glued || !cursor.Accept('(')) return true;
    expr.kind = Expr::Kind::kApply;
    return ParseList(cursor, ')', depth, expr.items);
  }
  if (cursor.Accept('[')) {
    expr.kind = Expr::Kind::kArray;
    return ParseList(cursor, ']', depth, expr.items);
  }
  if (cursor.Accept('{')) {
    expr.kind = Expr::Kind::kStruct;
    return ParseFields(cursor, depth, expr);
  }
  return cursor.Fail("an expression");
}

bool ParseExpr(Cursor& cursor, int depth, Expr& expr) {
  if (depth == kMaxDepth) {
    return cursor.Fail("at most " + std::to_string(kMaxDepth) + " levels");
  }
  if (!ParseTerm(cursor, depth + 1, expr)) return false;
  if (!cursor.At('|')) return true;
  Expr first = std::move(expr);
  expr = Expr();
  expr.kind = Expr::Kind::kOr;
  expr.items.push_back(std::move(first));
  while (cursor.Accept('|')) {
    if (!ParseTerm(cursor, depth + 1, expr.items.emplace_back())) return false;
  }
  return true;
}

}  // namespace

bool ParseCall(Cursor& cursor, CallSpec& call) {
  if (!cursor.At(Kind::kWord)) return cursor.Fail("the name of a call");
  call.name = cursor.Take().text;
  if (!cursor.Expect('(') || !ParseList(cursor, ')', 0, call.args) ||
      !cursor.Expect('=') || !ParseExpr(cursor, 0, call.result)) {
    return false;
  }
  const bool failed =
      call.result.kind == Expr::Kind::kInteger && call.result.integer < 0;
  if (failed && cursor.At(Kind::kWord)) call.error = cursor.Take().text;
  // The first is the text of the error, if there is one, the last the note.
  while (cursor.At('(')) {
    if (!cursor.Parenthesized(call.note)) return false;
  }
  return true;
}

}  // namespace conformance
