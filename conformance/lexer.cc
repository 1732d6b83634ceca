#include "conformance/lexer.h"

#include <algorithm>

#include "conformance/ascii.h"
#include "conformance/escapes.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

// A longer value would let a short script grow out of all proportion.
constexpr size_t kMaxDefineSize = 256;

bool IsInteger(std::string_view text) {
  const bool hex = text.starts_with("0x") && text.size() > 2;
  if (hex) text.remove_prefix(2);
  return LengthOf(hex ? IsHexDigit : IsDigit, text) == text.size();
}

std::string_view WithoutBlanksBefore(std::string_view text) {
  return text.substr(LengthOf(IsSpace, text));
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

// Blanks end an option unless they stand in quotes.
size_t OptionLength(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '`') {
      quote = c;
    } else if (IsSpace(c)) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

bool Lexer::At(std::string_view text) const { return rest().starts_with(text); }

std::string_view Lexer::Take(size_t length) {
  const std::string_view taken = script_.substr(at_, length);
  line_ += static_cast<int>(std::count(taken.begin(), taken.end(), '\n'));
  at_ += taken.size();
  return taken;
}

Token Lexer::Bad(std::string_view why) {
  at_ = script_.size();
  return bad_ = {Kind::kBad, why, line_, false};
}

// --- Between tokens.

bool Lexer::SkipBlanks() {
  while (at_ < script_.size()) {
    if (IsSpace(script_[at_])) {
      Take(1);
    } else if (At("//")) {
      Take(std::min(rest().find('\n'), rest().size()));
    } else if (At("/*")) {
      if (!SkipComment()) return false;
    } else if (At("#")) {
      if (!Directive()) return false;
    } else {
      return true;
    }
  }
  if (!in_ifdef_) return true;
  Bad("expected #endif, found the end");
  return false;
}

bool Lexer::SkipComment() {
  const size_t end = script_.find("*/", at_ + 2);
  if (end == std::string_view::npos) {
    Bad("expected */, found the end");
    return false;
  }
  Take(end + 2 - at_);
  return true;
}

bool Lexer::Directive() {
  const std::string_view line =
      Take(std::min(rest().find('\n'), rest().size())).substr(1);
  const std::string_view verb = line.substr(0, LengthOf(IsWordPart, line));
  std::string_view name = WithoutBlanksBefore(line.substr(verb.size()));
  name = name.substr(0, LengthOf(IsWordPart, name));
  if (verb == "ifdef" && !in_ifdef_ && !name.empty()) {
    in_ifdef_ = true;
    return IsDefined(name) || SkipToEndif();
  }
  if (verb == "endif" && in_ifdef_) {
    in_ifdef_ = false;
    return true;
  }
  Bad(in_ifdef_ ? "expected #endif, found another directive"
                : "expected #ifdef and a name, found another directive");
  return false;
}

bool Lexer::SkipToEndif() {
  while (at_ < script_.size()) {
    const std::string_view line =
        Take(std::min(rest().find('\n'), rest().size() - 1) + 1);
    if (WithoutBlanksBefore(line).starts_with("#endif")) {
      in_ifdef_ = false;
      return true;
    }
  }
  Bad("expected #endif, found the end");
  return false;
}

bool Lexer::IsDefined(std::string_view word) const {
  return defines_.count(std::string(word)) > 0 ||
         EqualsIgnoreCase(word, platform_);
}

// --- Options and defines.

std::optional<Lexer::Option> Lexer::NextOption() {
  if (!SkipBlanks()) return std::nullopt;
  const int line = line_;
  if (At("-D")) {
    Take(2);
    while (At(" ") || At("\t")) Take(1);
    return Option{line, "define", Take(OptionLength(rest()))};
  }
  if (!At("--")) return std::nullopt;
  Take(2);
  const auto [name, value] = SplitAtEquals(Take(OptionLength(rest())));
  return Option{line, name, value};
}

bool Lexer::Define(std::string_view word, std::string_view value) {
  if (word.empty() || !IsWordStart(word[0]) ||
      LengthOf(IsWordPart, word) != word.size()) {
    return false;
  }
  if (!value.empty()) {
    Lexer lexer(value, "");
    const Kind kind = lexer.Next().kind;
    if (kind != Kind::kInteger && kind != Kind::kWord &&
        kind != Kind::kString && kind != Kind::kCommand &&
        kind != Kind::kBytes) {
      return false;
    }
    if (value.size() > kMaxDefineSize || lexer.Next().kind != Kind::kEnd) {
      return false;
    }
  }
  defines_.insert_or_assign(std::string(word), std::string(value));
  return true;
}

Token Lexer::Replaced(const Token& word) const {
  const auto define = defines_.find(std::string(word.text));
  if (define == defines_.end() || define->second.empty()) return word;
  Token token = Lexer(define->second, "").Next();
  token.line = word.line;
  return token;
}

// --- Tokens.

Token Lexer::Next() {
  const size_t end_of_last = at_;
  if (bad_.kind == Kind::kBad || !SkipBlanks()) return bad_;
  const bool glued = at_ == end_of_last;
  Token token = Scan();
  if (token.kind == Kind::kWord) token = Replaced(token);
  token.glued = glued;
  return token;
}

Token Lexer::Scan() {
  if (at_ == script_.size()) return {Kind::kEnd, "", line_, false};
  const char first = script_[at_];
  if (IsWordStart(first)) {
    return {Kind::kWord, Take(LengthOf(IsWordPart, rest())), line_, false};
  }
  if (first == '"') return ScanString();
  if (first == '`') {
    return ScanDelimited(Kind::kCommand, "`", "`",
                         "expected the ` that ends a command, found the end");
  }
  if (At("%{")) {
    return ScanDelimited(Kind::kCode, "%{", "}%",
                         "expected the }% that ends code, found the end");
  }
  if (At("...")) return {Kind::kEllipsis, Take(3), line_, false};
  const bool fraction =
      first == '.' && at_ + 1 < script_.size() && IsDigit(script_[at_ + 1]);
  if (IsDigit(first) || fraction) return ScanNumber();
  return {Kind::kPunctuation, Take(1), line_, false};
}

Token Lexer::ScanNumber() {
  const std::string_view text = rest();
  const size_t whole = LengthOf(IsDigit, text);
  // "1...2" is a time and the time of a return: no decimal point there.
  if (whole + 1 < text.size() && text[whole] == '.' &&
      IsDigit(text[whole + 1])) {
    const size_t digits = LengthOf(IsDigit, text.substr(whole + 1));
    return {Kind::kDecimal, Take(whole + 1 + digits), line_, false};
  }
  const std::string_view all = Take(LengthOf(IsWordPart, text));
  return {IsInteger(all) ? Kind::kInteger : Kind::kBytes, all, line_, false};
}

Token Lexer::ScanString() {
  for (size_t end = at_ + 1; end < script_.size(); ++end) {
    if (script_[end] == '\n') break;
    if (script_[end] == '\\') {
      ++end;
    } else if (script_[end] == '"') {
      const std::string_view text = Take(end + 1 - at_);
      return {Kind::kString, text.substr(1, text.size() - 2), line_, false};
    }
  }
  return Bad("expected the \" that ends a string, found the end of the line");
}

Token Lexer::ScanDelimited(Kind kind, std::string_view open,
                           std::string_view close, std::string_view complaint) {
  const int line = line_;
  const size_t begin = at_ + open.size();
  const size_t end = script_.find(close, begin);
  if (end == std::string_view::npos) return Bad(complaint);
  Take(end + close.size() - at_);
  return {kind, script_.substr(begin, end - begin), line, false};
}

Token Lexer::TextToParenthesis() {
  const int line = line_;
  int open = 1;
  for (size_t end = at_; end < script_.size(); ++end) {
    if (script_[end] == '(') ++open;
    if (script_[end] == ')' && --open == 0) {
      const std::string_view text = Take(end + 1 - at_);
      return {Kind::kString, text.substr(0, text.size() - 1), line, false};
    }
  }
  return Bad("expected the ) that ends a note, found the end");
}

std::pair<std::string_view, std::string_view> SplitAtEquals(
    std::string_view text) {
  const size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals),
          text.substr(equals).substr(equals < text.size())};
}

std::string Describe(const Token& token) {
  constexpr size_t kEnough = 40;
  switch (token.kind) {
    case Kind::kEnd:
      return "the end";
    case Kind::kString:
      return "a string";
    case Kind::kCommand:
      return "a command";
    case Kind::kCode:
      return "code";
    default:
      return "'" + Escape(token.text.substr(0, kEnough)) + "'";
  }
}

}  // namespace conformance
