// Expressions of scripts by hand, for tests that need no parser.
#ifndef CONFORMANCE_EXPR_FIXTURE_H_
#define CONFORMANCE_EXPR_FIXTURE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/script.h"

namespace conformance {

inline Expr Any() { return Expr(); }
inline Expr N(int64_t number) {
  Expr expr;
  expr.kind = Expr::Kind::kInteger;
  expr.integer = number;
  return expr;
}
inline Expr Text(Expr::Kind kind, std::string text) {
  Expr expr;
  expr.kind = kind;
  expr.text = std::move(text);
  return expr;
}
inline Expr W(std::string word) {
  return Text(Expr::Kind::kWord, std::move(word));
}
inline Expr S(std::string text) {
  return Text(Expr::Kind::kString, std::move(text));
}
inline Expr Items(Expr::Kind kind, std::vector<Expr> items) {
  Expr expr;
  expr.kind = kind;
  expr.items = std::move(items);
  return expr;
}
inline Expr Or(std::vector<Expr> items) {
  return Items(Expr::Kind::kOr, std::move(items));
}
inline Expr A(std::vector<Expr> items) {
  return Items(Expr::Kind::kArray, std::move(items));
}
inline Expr Apply(std::string function, std::vector<Expr> items) {
  Expr expr = Items(Expr::Kind::kApply, std::move(items));
  expr.text = std::move(function);
  return expr;
}
inline Expr Struct(std::vector<std::pair<std::string, Expr>> fields) {
  Expr expr;
  expr.kind = Expr::Kind::kStruct;
  expr.fields = std::move(fields);
  return expr;
}
inline CallSpec Spec(std::string name, std::vector<Expr> args,
                     Expr result = N(0), std::string error = "") {
  return {.name = std::move(name),
          .args = std::move(args),
          .result = std::move(result),
          .error = std::move(error),
          .note = ""};
}

}  // namespace conformance

#endif  // CONFORMANCE_EXPR_FIXTURE_H_
