#include "conformance/arguments.h"

#include <functional>
#include <string>

#include "conformance/expr_fixture.h"
#include "conformance/linux_constants.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::IpEndpoint;

const IpEndpoint kFill = IpEndpoint::Parse("10.0.0.9:9").value();

TEST(NumberOf, ConstantsAndFlagsAreNumbers) {
  EXPECT_EQ(NumberOf(N(-5)).value(), -5);
  EXPECT_EQ(NumberOf(W("SO_LINGER")).value(), 13);
  EXPECT_EQ(NumberOf(Or({W("O_RDWR"), W("O_NONBLOCK"), N(1)})).value(), 0x803);
  EXPECT_TRUE(absl::IsUnimplemented(NumberOf(W("SO_NONSENSE")).status()));
  EXPECT_TRUE(absl::IsUnimplemented(
      NumberOf(Or({W("O_RDWR"), W("O_NONSENSE")})).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(NumberOf(Any()).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(NumberOf(S("5")).status()));
}

std::string ReadAddress(const Expr& expr) {
  const CallSpec spec = Spec("bind", {expr});
  const Labels labels;
  Arguments args(spec, labels);
  const auto address = args.Address(0, kFill);
  if (!args.status().ok()) return std::string(args.status().message());
  return address ? address->ToString() : "none";
}

Expr Address(const char* family, const char* port, Expr port_value,
             const char* name, Expr address) {
  return Struct({{"sa_family", W(family)},
                 {port, std::move(port_value)},
                 {name, std::move(address)}});
}

TEST(Arguments, AddressesAreReadInEveryForm) {
  EXPECT_EQ(ReadAddress(Any()), "10.0.0.9:9");
  EXPECT_EQ(ReadAddress(W("NULL")), "none");
  EXPECT_EQ(ReadAddress(N(0)), "none");
  EXPECT_EQ(
      ReadAddress(Address("AF_INET", "sin_port", Apply("htons", {N(80)}),
                          "sin_addr", Apply("inet_addr", {S("192.0.2.1")}))),
      "192.0.2.1:80");
  EXPECT_EQ(ReadAddress(Address(
                "AF_INET6", "sin6_port", Apply("htons", {N(81)}), "sin6_addr",
                Apply("inet_pton", {W("AF_INET6"), S("2001:db8::1")}))),
            "[2001:db8::1]:81");
  EXPECT_EQ(
      ReadAddress(Address("AF_INET", "port", N(70000), "addr", S("192.0.2.1"))),
      "bind: a port has 16 bits");
  EXPECT_EQ(ReadAddress(Address("AF_INET", "port", N(7), "addr", S("there"))),
            "bind: no address");
  EXPECT_EQ(ReadAddress(Address("AF_UNSPEC", "port", N(7), "addr", N(0))),
            "bind: an address of family 0");
  EXPECT_EQ(ReadAddress(Struct({})), "bind: no field sa_family");
  EXPECT_EQ(ReadAddress(W("AF_INET")), "bind: a socket address is needed");
}

TEST(Arguments, FirstThingThatIsWrongIsKept) {
  const CallSpec spec = Spec("listen", {W("NO_SUCH"), S("x")});
  const Labels labels;
  Arguments args(spec, labels);
  EXPECT_EQ(args.Int(0), 0);
  EXPECT_EQ(args.Int(1), 0);
  EXPECT_EQ(args.Int(7), 0);
  EXPECT_EQ(args.status(),
            absl::UnimplementedError("listen: constant NO_SUCH"));
}

struct BadCase {
  const char* name;
  Expr argument;
  std::function<void(Arguments&)> read;
  absl::StatusCode code;
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kMissing = absl::StatusCode::kUnimplemented;

const BadCase kBad[] = {
    {"TooFew", Any(), [](Arguments& a) { a.Count(2, 3); }, kInvalid},
    {"TooMany", Any(), [](Arguments& a) { a.Count(0, 0); }, kInvalid},
    {"NotThere", Any(), [](Arguments& a) { a.Int(1); }, kInvalid},
    {"TooWide", N(int64_t{1} << 32), [](Arguments& a) { a.Int(0); }, kInvalid},
    {"NegativeLength", N(-1), [](Arguments& a) { a.Length(a.At(0)); },
     kInvalid},
    {"HugeLength", N(int64_t{1} << 31), [](Arguments& a) { a.Length(a.At(0)); },
     kInvalid},
    {"NoBuffers", N(1), [](Arguments& a) { a.IoVector(a.At(0)); }, kInvalid},
    {"BufferWithoutLength", A({Struct({{"", Any()}})}),
     [](Arguments& a) { a.IoVector(a.At(0)); }, kInvalid},
    {"MessageWithoutBuffers", Struct({}),
     [](Arguments& a) { a.MessageHeader(0); }, kInvalid},
    {"MessageToSomebody",
     Struct({{"msg_name", Struct({})}, {"msg_iov", A({})}}),
     [](Arguments& a) { a.MessageHeader(0); }, kMissing},
    {"OptionOfAnotherKind", Struct({{"tv_sec", N(1)}}),
     [](Arguments& a) { a.Option(0); }, kMissing},
    {"AddressThatComesOut", Struct({}),
     [](Arguments& a) { a.IgnoredAddress(0); }, kMissing},
    {"NoPollEntries", N(1), [](Arguments& a) { a.PollEntries(0); }, kInvalid},
    {"PollEntryWithoutEvents", A({Struct({{"fd", N(3)}})}),
     [](Arguments& a) { a.PollEntries(0); }, kInvalid},
    {"EventWithoutData", Struct({{"events", N(1)}}),
     [](Arguments& a) { a.Event(0); }, kInvalid},
};

class BadArgument : public testing::TestWithParam<BadCase> {};

TEST_P(BadArgument, IsSaidToBe) {
  const CallSpec spec = Spec("call", {GetParam().argument});
  const Labels labels;
  Arguments args(spec, labels);
  GetParam().read(args);
  EXPECT_EQ(args.status().code(), GetParam().code) << args.status();
}

INSTANTIATE_TEST_SUITE_P(Arguments, BadArgument, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace conformance
