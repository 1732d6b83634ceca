#include "conformance/arguments.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/linux_constants.h"

namespace conformance {
namespace {

using Kind = Expr::Kind;
using tcpip::IpAddress;
using tcpip::IpEndpoint;

const Expr kEmpty;

bool IsNull(const Expr& expr) {
  return (expr.kind == Kind::kWord && expr.text == "NULL") ||
         (expr.kind == Kind::kInteger && expr.integer == 0);
}

// "text", inet_addr("text"), inet_pton(AF_INET6, "text"): the text.
const Expr* TextOfAddress(const Expr& expr) {
  if (expr.kind == Kind::kString) return &expr;
  if (expr.kind != Kind::kApply) return nullptr;
  for (const Expr& item : expr.items) {
    if (item.kind == Kind::kString) return &item;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<int64_t> NumberOf(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kInteger:
      return expr.integer;
    case Kind::kWord:
      if (const auto number = ConstantNumber(expr.text)) return *number;
      return absl::UnimplementedError(absl::StrCat("constant ", expr.text));
    case Kind::kOr: {
      int64_t all = 0;
      for (const Expr& item : expr.items) {
        absl::StatusOr<int64_t> one = NumberOf(item);
        if (!one.ok()) return one;
        all |= *one;
      }
      return all;
    }
    default:
      return absl::InvalidArgumentError("a number is needed");
  }
}

const Expr* FieldOf(const Expr& expr,
                    std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : expr.fields) {
    for (const std::string_view wanted : names) {
      if (name == wanted) return &value;
    }
  }
  return nullptr;
}

void Arguments::Note(const absl::Status& status) {
  if (!status_.ok() || status.ok()) return;
  status_ = absl::Status(status.code(),
                         absl::StrCat(call_.name, ": ", status.message()));
}

void Arguments::Malformed(std::string_view what) {
  Note(absl::InvalidArgumentError(absl::StrCat(std::string(what))));
}

void Arguments::Missing(std::string_view what) {
  Note(absl::UnimplementedError(absl::StrCat(std::string(what))));
}

const Expr& Arguments::At(size_t i) const {
  return i < call_.args.size() ? call_.args[i] : kEmpty;
}

void Arguments::Count(size_t least, size_t most) {
  if (count() >= least && count() <= most) return;
  Malformed(absl::StrCat(count(), " arguments instead of ", least));
}

int64_t Arguments::Number(const Expr& expr) {
  const absl::StatusOr<int64_t> number = NumberOf(expr);
  Note(number.status());
  return number.value_or(0);
}

int Arguments::Int(const Expr& expr) {
  const int64_t number = Number(expr);
  if (number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<uint32_t>::max()) {
    Malformed(absl::StrCat(number, " has more than 32 bits"));
    return 0;
  }
  return static_cast<int>(number);
}

uint32_t Arguments::Length(const Expr& expr) {
  // Bytes have no values, but they are made: there is a limit to that.
  constexpr int64_t kMax = int64_t{1} << 30;
  const int64_t length = Number(expr);
  if (length >= 0 && length <= kMax) return static_cast<uint32_t>(length);
  Malformed(absl::StrCat("a length of ", length));
  return 0;
}

IpEndpoint Arguments::SocketAddress(const Expr& expr) {
  const int family =
      Int(Field(expr, {"sa_family", "sin_family", "sin6_family", "family"}));
  if (family != Linux("AF_INET") && family != Linux("AF_INET6")) {
    Missing(absl::StrCat("an address of family ", family));
    return {};
  }
  const Expr& port = Field(expr, {"sin_port", "sin6_port", "port"});
  const bool swapped = port.kind == Kind::kApply && port.text == "htons" &&
                       port.items.size() == 1;
  const int64_t number = Number(swapped ? port.items[0] : port);
  if (number < 0 || number > 65535) Malformed("a port has 16 bits");
  const Expr* const text =
      TextOfAddress(Field(expr, {"sin_addr", "sin6_addr", "addr"}));
  const auto address =
      text ? IpAddress::Parse(text->text) : std::optional<IpAddress>();
  if (!address) Malformed("no address");
  return {address.value_or(IpAddress()), static_cast<uint16_t>(number)};
}

std::optional<IpEndpoint> Arguments::Address(size_t i, const IpEndpoint& fill) {
  const Expr& expr = At(i);
  if (expr.kind == Kind::kEllipsis) return fill;
  if (IsNull(expr)) return std::nullopt;
  if (expr.kind != Kind::kStruct) Malformed("a socket address is needed");
  return SocketAddress(expr);
}

void Arguments::IgnoredAddress(size_t i) {
  if (!IsEllipsis(i) && !IsNull(At(i))) {
    Missing("comparing the address that comes out");
  }
}

const Expr& Arguments::Field(const Expr& expr,
                             std::initializer_list<std::string_view> names) {
  if (const Expr* const field = FieldOf(expr, names)) return *field;
  Malformed(absl::StrCat("no field ", std::string(*names.begin())));
  return kEmpty;
}

std::vector<uint32_t> Arguments::IoVector(const Expr& expr) {
  std::vector<uint32_t> lengths;
  if (expr.kind != Kind::kArray) Malformed("an array of buffers is needed");
  for (const Expr& buffer : expr.items) {
    if (buffer.kind != Kind::kStruct || buffer.fields.size() != 2) {
      Malformed("a buffer is {..., length}");
      return lengths;
    }
    lengths.push_back(Length(buffer.fields[1].second));
  }
  return lengths;
}

Arguments::Message Arguments::MessageHeader(size_t i) {
  const Expr& header = At(i);
  Message message;
  message.lengths = IoVector(Field(header, {"msg_iov"}));
  const Expr* const name = FieldOf(header, {"msg_name"});
  if (name != nullptr && name->kind != Kind::kEllipsis && !IsNull(*name)) {
    Missing("an address in a message header");
  }
  const Expr* const control = FieldOf(header, {"msg_control"});
  message.has_control = control != nullptr &&
                        control->kind != Kind::kEllipsis && !IsNull(*control);
  return message;
}

call::OptionValue Arguments::Option(size_t i) {
  const Expr& expr = At(i);
  if (expr.kind == Kind::kString) return expr.text;
  if (expr.kind == Kind::kArray && expr.items.size() == 1) {
    return Int(expr.items[0]);
  }
  if (FieldOf(expr, {"onoff", "l_onoff"}) != nullptr) {
    return call::Linger{Int(Field(expr, {"onoff", "l_onoff"})),
                        Int(Field(expr, {"linger", "l_linger"}))};
  }
  Missing("an option's value other than [number], a linger or a string");
  return 0;
}

std::vector<call::PollEntry> Arguments::PollEntries(size_t i) {
  std::vector<call::PollEntry> entries;
  if (At(i).kind != Kind::kArray) Malformed("an array of pollfd is needed");
  for (const Expr& entry : At(i).items) {
    const int64_t label = Number(Field(entry, {"fd"}));
    // A negative one is not asked about, and never an unknown label.
    const int fd = label < 0 ? -1 : labels_.Find(label);
    constexpr int kNotOpen = std::numeric_limits<int>::max();
    entries.push_back({.fd = label >= 0 && fd < 0 ? kNotOpen : fd,
                       .events = Int(Field(entry, {"events"}))});
  }
  return entries;
}

call::EpollEvent Arguments::Event(const Expr& expr) {
  const auto events = static_cast<uint32_t>(Int(Field(expr, {"events"})));
  const Expr& data = Field(expr, {"fd", "ptr", "u32", "u64"});
  return {events, static_cast<uint64_t>(Number(data))};
}

}  // namespace conformance
