// The arguments of a call in a script, read as numbers, descriptors, addresses,
// lengths and structs. Constants are looked up here, by Linux's names.
#ifndef CONFORMANCE_ARGUMENTS_H_
#define CONFORMANCE_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/call.h"
#include "conformance/labels.h"
#include "conformance/script.h"
#include "tcpip/wire/address.h"

namespace conformance {

// A number, a constant, or several joined by "|". UNIMPLEMENTED for a name
// nobody knows, INVALID_ARGUMENT for what is no number.
absl::StatusOr<int64_t> NumberOf(const Expr& expr);

// The field of a struct by any of its names; nullptr when it is not there.
const Expr* FieldOf(const Expr& expr,
                    std::initializer_list<std::string_view> names);

// Reads one after the other and keeps the first thing that was wrong: what is
// read after that is empty, and status() says why.
class Arguments {
 public:
  // Both outlive it.
  Arguments(const CallSpec& call, const Labels& labels)
      : call_(call), labels_(labels) {}

  const absl::Status& status() const { return status_; }
  // We do not have `what`, which the call asks for.
  void Missing(std::string_view what);

  // There must be as many as this.
  void Count(size_t least, size_t most);
  size_t count() const { return call_.args.size(); }
  bool IsEllipsis(size_t i) const {
    return At(i).kind == Expr::Kind::kEllipsis;
  }

  int64_t Number(size_t i) { return Number(At(i)); }
  int64_t Number(const Expr& expr);
  int Int(size_t i) { return Int(At(i)); }
  // 32 bits, signed or not.
  int Int(const Expr& expr);
  // Of the host.
  int Descriptor(size_t i) { return labels_.Find(Number(i)); }
  uint32_t Length(const Expr& expr);

  // "..." is `fill`; NULL and 0 are none.
  std::optional<tcpip::IpEndpoint> Address(size_t i,
                                           const tcpip::IpEndpoint& fill);
  // Where the host would write an address: only "..." and NULL are understood.
  void IgnoredAddress(size_t i);

  // [{..., 1000}, {..., 500}]
  std::vector<uint32_t> IoVector(const Expr& expr);
  struct Message {
    std::vector<uint32_t> lengths;
    bool has_control = false;
  };
  // {msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}
  Message MessageHeader(size_t i);
  // [1], {onoff=1, linger=0}, "reno"
  call::OptionValue Option(size_t i);
  // [{fd=3, events=POLLIN, revents=POLLIN}]
  std::vector<call::PollEntry> PollEntries(size_t i);
  // {events=EPOLLIN, fd=3}
  call::EpollEvent Event(const Expr& expr);
  call::EpollEvent Event(size_t i) { return Event(At(i)); }

  const Expr& At(size_t i) const;

 private:
  void Malformed(std::string_view what);
  void Note(const absl::Status& status);
  // The field, which has to be there.
  const Expr& Field(const Expr& expr,
                    std::initializer_list<std::string_view> names);
  tcpip::IpEndpoint SocketAddress(const Expr& expr);

  const CallSpec& call_;
  const Labels& labels_;
  absl::Status status_;
};

}  // namespace conformance

#endif  // CONFORMANCE_ARGUMENTS_H_
