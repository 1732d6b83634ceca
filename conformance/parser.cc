#include "conformance/parser.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "conformance/cursor.h"
#include "conformance/escapes.h"
#include "conformance/lexer.h"
#include "conformance/parser_calls.h"
#include "conformance/parser_packets.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

// --- Options and defines.

absl::Status ParseOptions(Lexer& lexer, const Defines& defines,
                          Script& script) {
  constexpr const char* kExpected =
      "expected NAME=value of one number, word, string, command or cookie";
  for (const auto& [name, value] : defines) {
    if (!lexer.Define(name, value)) {
      return absl::InvalidArgumentError("-D " + name + ": " + kExpected);
    }
  }
  while (const std::optional<Lexer::Option> option = lexer.NextOption()) {
    script.options.push_back(
        {option->line, std::string(option->name), std::string(option->value)});
    if (option->name != "define") continue;
    const auto [name, value] = SplitAtEquals(option->value);
    if (defines.count(std::string(name)) > 0) continue;  // that one wins
    if (!lexer.Define(name, value)) {
      return absl::InvalidArgumentError(
          script.path + ":" + std::to_string(option->line) + ": " + kExpected +
          ", found '" + Escape(option->value) + "'");
    }
  }
  return absl::OkStatus();
}

// --- Times.

bool ParseWhen(Cursor& cursor, When& when) {
  if (cursor.Accept('*')) {
    when.kind = When::Kind::kAny;
    return true;
  }
  const bool relative = cursor.Accept('+');
  when.kind = relative ? When::Kind::kRelative : When::Kind::kAbsolute;
  if (!cursor.Seconds(when.from)) return false;
  when.until = when.from;
  if (cursor.Accept(Kind::kEllipsis)) {
    return cursor.Seconds(when.returns.emplace());
  }
  if (!cursor.Accept('~')) return true;
  when.kind =
      relative ? When::Kind::kRelativeRange : When::Kind::kAbsoluteRange;
  if (relative && !cursor.Expect('+')) return false;
  const Token end = cursor.token();
  if (!cursor.Seconds(when.until)) return false;
  return when.from <= when.until ||
         cursor.FailAt(end.line, "the end of a range after its start",
                       Describe(end));
}

// What kind of action may have such a time. The cursor is at the action.
bool CheckWhen(Cursor& cursor, const When& when, bool first) {
  const bool single =
      when.kind == When::Kind::kAbsolute || when.kind == When::Kind::kRelative;
  if (first && (!single || when.from > tcpip::Duration::Zero())) {
    return cursor.Fail("time 0 for the first event", "another");
  }
  if (!single && !cursor.At('>')) {
    return cursor.Fail("an outbound packet after a range of times");
  }
  if (when.returns && !cursor.At(Kind::kWord)) {
    return cursor.Fail("a call that takes time");
  }
  return true;
}

// --- Events.

bool ParseAction(Cursor& cursor, Event& event) {
  if (cursor.At('<') || cursor.At('>')) {
    return ParsePacket(cursor, event.action.emplace<PacketSpec>());
  }
  if (cursor.At(Kind::kWord)) {
    return ParseCall(cursor, event.action.emplace<CallSpec>());
  }
  if (cursor.At(Kind::kCommand)) {
    event.action = CommandSpec{std::string(cursor.Take().text)};
    return true;
  }
  if (cursor.At(Kind::kCode)) {
    event.action = CodeSpec{std::string(cursor.Take().text)};
    return true;
  }
  return cursor.Fail("'<', '>', a call, a command or code");
}

bool ParseEvent(Cursor& cursor, bool first, Event& event) {
  event.line = cursor.token().line;
  return ParseWhen(cursor, event.when) &&
         CheckWhen(cursor, event.when, first) && ParseAction(cursor, event);
}

bool ParseBody(Cursor& cursor, Script& script) {
  if (cursor.At(Kind::kCommand)) script.init_command = cursor.Take().text;
  do {
    const bool first = script.events.empty();
    if (!ParseEvent(cursor, first, script.events.emplace_back())) return false;
  } while (!cursor.At(Kind::kEnd) && !cursor.At(Kind::kCommand));
  if (cursor.At(Kind::kCommand)) script.cleanup_command = cursor.Take().text;
  return cursor.At(Kind::kEnd) || cursor.Fail("the end after the last command");
}

}  // namespace

absl::StatusOr<Script> ParseScript(std::string_view text, std::string path,
                                   const Defines& defines,
                                   std::string_view platform) {
  Script script;
  script.path = std::move(path);
  Lexer lexer(text, platform);
  if (const absl::Status status = ParseOptions(lexer, defines, script);
      !status.ok()) {
    return status;
  }
  Cursor cursor(lexer);
  if (ParseBody(cursor, script)) return script;
  return absl::InvalidArgumentError(script.path + ":" + cursor.error());
}

}  // namespace conformance
