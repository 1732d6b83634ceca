#include "conformance/call_outputs.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/arguments.h"
#include "conformance/linux_constants.h"

namespace conformance {
namespace {

using Kind = Expr::Kind;

Expr WordExpr(std::string text) {
  Expr expr;
  expr.kind = Kind::kWord;
  expr.text = std::move(text);
  return expr;
}

bool IsNumber(const Expr& expr, int64_t number) {
  const absl::StatusOr<int64_t> wanted = NumberOf(expr);
  return wanted.ok() && *wanted == number;
}

// Each puts what came in place of what differs, and says whether nothing did.

bool PutNumber(int64_t number, Expr& expr) {
  if (expr.kind == Kind::kEllipsis || IsNumber(expr, number)) return true;
  expr = NumberExpr(number);
  return false;
}

// 32 bits, which scripts write with or without a sign.
bool PutInt(int number, Expr& expr) {
  return IsNumber(expr, static_cast<uint32_t>(number)) ||
         PutNumber(number, expr);
}

bool PutFlags(uint32_t flags, std::span<const LinuxConstant> names,
              Expr& expr) {
  if (expr.kind == Kind::kEllipsis || IsNumber(expr, flags)) return true;
  expr = WordExpr(FlagsText(names, flags));
  return false;
}

// Fields that the script has and we have not differ.
bool PutInfo(const InfoFields& info, Expr& expr) {
  bool same = expr.kind == Kind::kStruct;
  if (!same) expr = WordExpr("tcp_info");
  for (auto& [name, value] : expr.fields) {
    const auto field = info.find(name);
    if (field != info.end()) {
      same &= PutNumber(field->second, value);
    } else {
      value = WordExpr("?");
      same = false;
    }
  }
  return same;
}

bool PutValue(int value, Expr& expr) {
  if (expr.kind == Kind::kArray && expr.items.size() == 1) {
    return PutInt(value, expr.items[0]);
  }
  expr = Expr();
  expr.kind = Kind::kArray;
  expr.items = {NumberExpr(value)};
  return false;
}

bool PutValue(const call::Linger& linger, Expr& expr) {
  bool same = expr.kind == Kind::kStruct;
  if (!same) {
    expr = Expr();
    expr.kind = Kind::kStruct;
    expr.fields = {{"onoff", NumberExpr(linger.onoff)},
                   {"linger", NumberExpr(linger.seconds)}};
  }
  for (auto& [name, value] : expr.fields) {
    if (name == "onoff" || name == "l_onoff") {
      same &= PutInt(linger.onoff, value);
    } else if (name == "linger" || name == "l_linger") {
      same &= PutInt(linger.seconds, value);
    } else {
      value = WordExpr("?");
      same = false;
    }
  }
  return same;
}

bool PutValue(const std::string& text, Expr& expr) {
  if (expr.kind == Kind::kString && expr.text == text) return true;
  expr = Expr();
  expr.kind = Kind::kString;
  expr.text = text;
  return false;
}

bool PutOption(const CallResult& result, Expr& expr) {
  if (expr.kind == Kind::kEllipsis) return true;
  if (!result.option) return PutInfo(result.info, expr);
  return std::visit([&](const auto& v) { return PutValue(v, expr); },
                    *result.option);
}

// Of names and structs that grow with the kernel nobody knows the length.
bool PutLength(const CallResult& result, Expr& expr) {
  if (expr.kind != Kind::kArray || !result.option) return true;
  if (std::holds_alternative<int>(*result.option)) {
    return PutValue(sizeof(int), expr);
  }
  if (std::holds_alternative<call::Linger>(*result.option)) {
    return PutValue(sizeof(call::Linger), expr);
  }
  return true;
}

bool PutPoll(const CallResult& result, Expr& expr) {
  bool same = expr.items.size() == result.poll.size();
  for (size_t i = 0; i < std::min(expr.items.size(), result.poll.size()); ++i) {
    for (auto& [name, value] : expr.items[i].fields) {
      if (name != "revents") continue;
      const int revents = result.poll[i].revents;
      same &= PutFlags(static_cast<uint32_t>(revents), kPollEvents, value);
    }
  }
  return same;
}

bool PutEvent(const call::EpollEvent& event, Expr& expr) {
  bool same = expr.kind == Kind::kStruct;
  for (auto& [name, value] : expr.fields) {
    if (name == "events") {
      same &= PutFlags(event.events, kEpollEvents, value);
    } else {
      same &= PutNumber(static_cast<int64_t>(event.data), value);
    }
  }
  return same;
}

// One event or an array of them; only as many as came are looked at.
bool PutEpoll(const CallResult& result, Expr& expr) {
  if (expr.kind == Kind::kEllipsis) return true;
  const bool is_array = expr.kind == Kind::kArray;
  const size_t room = is_array ? expr.items.size() : 1;
  bool same = result.epoll.size() <= room;
  for (size_t i = 0; i < std::min(room, result.epoll.size()); ++i) {
    same &= PutEvent(result.epoll[i], is_array ? expr.items[i] : expr);
  }
  return same;
}

// A control message's data, which is a number where we know it.
int64_t NumberIn(const std::vector<uint8_t>& data) {
  int64_t number = 0;
  for (size_t i = std::min<size_t>(data.size(), 4); i > 0; --i) {
    number = number << 8 | data[i - 1];
  }
  return number;
}

bool PutControl(const ControlMessage& message, Expr& expr) {
  bool same = expr.kind == Kind::kStruct;
  for (auto& [name, value] : expr.fields) {
    if (name == "cmsg_level") same &= PutNumber(message.level, value);
    if (name == "cmsg_type") same &= PutNumber(message.type, value);
    if (name == "cmsg_data") same &= PutNumber(NumberIn(message.data), value);
  }
  return same;
}

Expr ControlExpr(const ControlMessage& message) {
  Expr expr;
  expr.kind = Kind::kStruct;
  expr.fields = {{"cmsg_level", NumberExpr(message.level)},
                 {"cmsg_type", NumberExpr(message.type)},
                 {"cmsg_data", NumberExpr(NumberIn(message.data))}};
  return expr;
}

bool PutControls(const std::vector<ControlMessage>& messages, Expr& expr) {
  if (expr.kind == Kind::kEllipsis) return true;
  const bool none =
      (expr.kind == Kind::kWord && expr.text == "NULL") || IsNumber(expr, 0);
  bool same = (expr.kind == Kind::kArray || none) &&
              expr.items.size() == messages.size();
  if (!same) {
    expr = Expr();
    expr.kind = Kind::kArray;
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    if (i < expr.items.size()) {
      same &= PutControl(messages[i], expr.items[i]);
    } else {
      expr.items.push_back(ControlExpr(messages[i]));
    }
  }
  return same;
}

bool PutMessage(const CallResult& result, Expr& expr) {
  bool same = true;
  for (auto& [name, value] : expr.fields) {
    if (name == "msg_flags") {
      same &= PutFlags(static_cast<uint32_t>(result.message_flags),
                       kMessageFlags, value);
    } else if (name == "msg_control") {
      same &= PutControls(result.control, value);
    }
  }
  return same;
}

struct Output {
  std::string_view call;
  size_t argument;
  bool (*put)(const CallResult&, Expr&);
};

const Output kOutputs[] = {
    {"getsockopt", 3, PutOption}, {"getsockopt", 4, PutLength},
    {"ioctl", 2, PutOption},      {"poll", 0, PutPoll},
    {"epoll_wait", 1, PutEpoll},  {"recvmsg", 1, PutMessage},
};

absl::Status CheckLeaves(const Expr& expr) {
  if (expr.kind == Kind::kApply) {
    return absl::UnimplementedError(absl::StrCat(expr.text, " in an output"));
  }
  if (expr.kind == Kind::kWord && expr.text != "NULL") {
    return NumberOf(expr).status();
  }
  for (const Expr& item : expr.items) {
    if (absl::Status status = CheckLeaves(item); !status.ok()) return status;
  }
  for (const auto& [name, value] : expr.fields) {
    if (name == "cmsg_data" && value.kind == Kind::kStruct) {
      return absl::UnimplementedError("a control message with a struct");
    }
    if (absl::Status status = CheckLeaves(value); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOutputs(const CallSpec& spec) {
  for (const Output& output : kOutputs) {
    if (output.call != spec.name) continue;
    absl::Status status = CheckLeaves(spec.args[output.argument]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool PutOutputs(const CallResult& result, CallSpec& call) {
  bool same = true;
  for (const Output& output : kOutputs) {
    if (output.call != call.name) continue;
    same &= output.put(result, call.args[output.argument]);
  }
  return same;
}

Expr NumberExpr(int64_t number) {
  Expr expr;
  expr.kind = Kind::kInteger;
  expr.integer = number;
  return expr;
}

}  // namespace conformance
