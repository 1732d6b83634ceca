#include "conformance/evaluator.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "conformance/ascii.h"
#include "conformance/code_arithmetic.h"
#include "conformance/code_constants.h"
#include "conformance/code_tokens.h"
#include "conformance/escapes.h"

namespace conformance {
namespace {

using Kind = CodeToken::Kind;

constexpr int kMaxDepth = 64;
constexpr size_t kMaxSeen = 16;  // names a message tells the values of

// What a message shows of a long text.
std::string_view Start(std::string_view text) { return text.substr(0, 40); }

// Walks over the tokens once. After an error it stands at the end, so that
// every loop stops.
class Evaluator {
 public:
  Evaluator(std::string_view code, const InfoFields& fields,
            Variables& variables)
      : code_(code),
        tokens_(CodeTokens(code)),
        fields_(fields),
        variables_(variables) {}

  absl::StatusOr<CodeOutcome> Run();

 private:
  // --- Tokens.
  const CodeToken& token() const { return tokens_[at_]; }
  bool At(std::string_view text) const {
    return token().text == text && token().kind != Kind::kString &&
           token().kind != Kind::kEnd;
  }
  bool AtStatementEnd() const {
    return token().kind == Kind::kNewline || token().kind == Kind::kEnd;
  }
  bool Accept(std::string_view text);
  int64_t Fail(absl::Status status);
  int64_t FailHere();
  // 0 where there is none, and an error if it matters.
  int64_t Checked(const absl::StatusOr<int64_t>& value);

  // --- Statements.
  void Statement(CodeOutcome& outcome);
  void Assert(CodeOutcome& outcome);
  void Assign();
  void SkipStatement();

  // --- Expressions, the loosest first.
  int64_t Or();
  int64_t And();
  int64_t Not();
  int64_t Comparison();
  int64_t Binary(size_t level);
  int64_t Unary();
  int64_t SignedPrimary();
  int64_t Primary();
  int64_t Integer();
  int64_t Name();
  int64_t Apply(std::string_view function);

  const std::string_view code_;
  const std::vector<CodeToken> tokens_;
  const InfoFields& fields_;
  Variables& variables_;
  size_t at_ = 0;
  absl::Status status_;
  int depth_ = 0;
  // In an operand that "and" or "or" does not need: there is no wrong then.
  int unneeded_ = 0;
  std::vector<std::pair<std::string_view, int64_t>> seen_;  // by an assertion
};

// --- Tokens.

bool Evaluator::Accept(std::string_view text) {
  if (!At(text)) return false;
  ++at_;
  return true;
}

int64_t Evaluator::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  at_ = tokens_.size() - 1;
  return 0;
}

int64_t Evaluator::FailHere() {
  const std::string found = token().kind == Kind::kEnd ? "an early end"
                            : token().kind == Kind::kNewline
                                ? "the end of a line"
                                : "'" + Escape(Start(token().text)) + "'";
  return Fail(absl::UnimplementedError(found + " is not understood there"));
}

int64_t Evaluator::Checked(const absl::StatusOr<int64_t>& value) {
  if (value.ok()) return *value;
  return unneeded_ > 0 ? 0 : Fail(value.status());
}

// --- Statements.

absl::StatusOr<CodeOutcome> Evaluator::Run() {
  CodeOutcome outcome;
  while (outcome.passed && token().kind != Kind::kEnd) {
    if (token().kind == Kind::kNewline) {
      ++at_;
      continue;
    }
    Statement(outcome);
    if (!AtStatementEnd()) FailHere();
  }
  if (!status_.ok()) return status_;
  return outcome;
}

void Evaluator::Statement(CodeOutcome& outcome) {
  if (Accept("assert")) {
    Assert(outcome);
  } else if (Accept("print")) {
    SkipStatement();
  } else if (token().kind == Kind::kName && tokens_[at_ + 1].text == "=") {
    Assign();
  } else if (!Accept("pass")) {
    FailHere();
  }
}

void Evaluator::Assert(CodeOutcome& outcome) {
  seen_.clear();
  const size_t first = at_;
  const bool holds = Or() != 0;
  const size_t end = at_;
  if (Accept(",")) {
    SkipStatement();  // the message: Python would print it, we say more
  } else if (!AtStatementEnd()) {
    FailHere();
  }
  if (!status_.ok() || holds) return;
  outcome.passed = false;
  const std::string_view last = tokens_[end - 1].text;
  const char* const begin = tokens_[first].text.data();
  const auto length = static_cast<size_t>(last.data() + last.size() - begin);
  outcome.message =
      "assert " + SqueezeBlanks(code_.substr(begin - code_.data(), length));
  const char* before = ": ";
  for (const auto& [name, value] : seen_) {
    outcome.message += before;
    outcome.message += name;
    outcome.message += " is " + std::to_string(value);
    before = ", ";
  }
}

void Evaluator::Assign() {
  const std::string name(token().text);
  at_ += 2;
  const int64_t value = Or();
  if (status_.ok() && AtStatementEnd()) variables_[name] = value;
}

void Evaluator::SkipStatement() {
  while (!AtStatementEnd()) ++at_;
}

// --- Expressions.

int64_t Evaluator::Or() {
  int64_t value = And();
  while (Accept("or")) {
    const bool decided = value != 0;
    unneeded_ += decided;
    const int64_t other = And();
    unneeded_ -= decided;
    if (!decided) value = other;
  }
  return value;
}

int64_t Evaluator::And() {
  int64_t value = Not();
  while (Accept("and")) {
    const bool decided = value == 0;
    unneeded_ += decided;
    const int64_t other = Not();
    unneeded_ -= decided;
    if (!decided) value = other;
  }
  return value;
}

int64_t Evaluator::Not() {
  bool negated = false;
  bool any = false;
  while (Accept("not")) {
    negated = !negated;
    any = true;
  }
  const int64_t value = Comparison();
  return any ? (value != 0) != negated : value;
}

int64_t Evaluator::Comparison() {
  int64_t left = Binary(0);
  std::optional<bool> all;
  while (token().kind == Kind::kOperator) {
    const std::string_view name = token().text;
    if (!IsComparison(name)) break;
    ++at_;
    const int64_t right = Binary(0);
    all = all.value_or(true) && Compare(name, left, right);
    left = right;
  }
  return all ? *all : left;
}

int64_t Evaluator::Binary(size_t level) {
  if (level == kBinaryLevels) return Unary();
  int64_t left = Binary(level + 1);
  while (token().kind == Kind::kOperator &&
         BinaryLevel(token().text) == level) {
    const std::string_view name = tokens_[at_++].text;
    const int64_t right = Binary(level + 1);
    left = Checked(Calculate(name, left, right));
  }
  return left;
}

// Every way down into another expression leads through here.
int64_t Evaluator::Unary() {
  if (depth_ == kMaxDepth) {
    return Fail(absl::UnimplementedError("it is nested too deeply"));
  }
  ++depth_;
  const int64_t value = SignedPrimary();
  --depth_;
  return value;
}

int64_t Evaluator::SignedPrimary() {
  if (Accept("+")) return Unary();
  if (Accept("~")) return ~Unary();
  if (Accept("-")) return Checked(Calculate("-", 0, Unary()));
  return Primary();
}

int64_t Evaluator::Primary() {
  if (token().kind == Kind::kInteger) return Integer();
  if (token().kind == Kind::kName) return Name();
  if (!Accept("(")) return FailHere();
  const int64_t value = Or();
  if (!Accept(")")) return FailHere();
  return value;
}

int64_t Evaluator::Integer() {
  std::string_view digits = token().text;
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc()) return FailHere();
  ++at_;
  return value;
}

int64_t Evaluator::Name() {
  const std::string_view name = tokens_[at_++].text;
  if (At("(")) return Apply(name);
  if (name == "True" || name == "False") return name == "True";
  if (const auto constant = FindCodeConstant(name)) return *constant;
  std::optional<int64_t> value;
  if (const auto field = fields_.find(name); field != fields_.end()) {
    value = field->second;
  } else if (const auto variable = variables_.find(std::string(name));
             variable != variables_.end()) {
    value = variable->second;
  }
  if (unneeded_ > 0) return value.value_or(0);
  if (!value) {
    const std::string why = "'" + std::string(Start(name)) + "' is not known";
    return Fail(name.starts_with("tcpi_") ? absl::NotFoundError(why)
                                          : absl::UnimplementedError(why));
  }
  const std::pair<std::string_view, int64_t> seen(name, *value);
  if (seen_.size() < kMaxSeen &&
      std::find(seen_.begin(), seen_.end(), seen) == seen_.end()) {
    seen_.push_back(seen);
  }
  return *value;
}

int64_t Evaluator::Apply(std::string_view function) {
  std::vector<int64_t> values;
  ++at_;
  do {
    values.push_back(Or());
  } while (Accept(","));
  if (!Accept(")")) return FailHere();
  if (function == "min") return *std::min_element(values.begin(), values.end());
  if (function == "max") return *std::max_element(values.begin(), values.end());
  if (function == "abs" && values.size() == 1) {
    return values[0] < 0 ? Checked(Calculate("-", 0, values[0])) : values[0];
  }
  return Fail(absl::UnimplementedError("'" + std::string(Start(function)) +
                                       "()' is not known"));
}

}  // namespace

absl::StatusOr<CodeOutcome> Evaluate(std::string_view code,
                                     const InfoFields& fields,
                                     Variables& variables) {
  return Evaluator(code, fields, variables).Run();
}

}  // namespace conformance
