#include "conformance/call_outputs.h"

#include "conformance/expr_fixture.h"
#include "conformance/linux_constants.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(CallOutputs, WhatCannotBeComparedIsSaidBefore) {
  const auto code = [](const char* call, std::vector<Expr> args) {
    return CheckOutputs(Spec(call, std::move(args))).code();
  };
  using absl::StatusCode;
  EXPECT_EQ(code("ioctl", {N(3), Any(), A({W("NO_SUCH")})}),
            StatusCode::kUnimplemented);
  EXPECT_EQ(code("ioctl", {N(3), Any(), A({Apply("htons", {N(1)})})}),
            StatusCode::kUnimplemented);
  EXPECT_EQ(code("ioctl", {N(3), Any(), A({W("EAGAIN")})}), StatusCode::kOk);
  EXPECT_EQ(
      code("recvmsg",
           {N(3),
            Struct(
                {{"msg_control",
                  A({Struct({{"cmsg_data", Struct({{"ee_errno", N(1)}})}})})}}),
            N(0)}),
      StatusCode::kUnimplemented);
  // Of other calls nothing comes out.
  EXPECT_EQ(code("write", {W("NO_SUCH")}), StatusCode::kOk);
}

TEST(CallOutputs, ControlMessagesAreComparedInTheirOrder) {
  const auto spec = [](std::vector<Expr> messages) {
    return Spec(
        "recvmsg",
        {N(3),
         Struct({{"msg_flags", N(0)}, {"msg_control", A(std::move(messages))}}),
         N(0)},
        N(10));
  };
  const auto message = [](const char* type, int64_t data) {
    return Struct({{"cmsg_level", W("SOL_TCP")},
                   {"cmsg_type", W(type)},
                   {"cmsg_data", N(data)}});
  };
  CallResult result;
  result.control = {{Linux("SOL_TCP"), Linux("TCP_CM_INQ"), {20, 1, 0, 0}}};
  CallSpec call = spec({message("TCP_CM_INQ", 276)});
  EXPECT_TRUE(PutOutputs(result, call));
  call = spec({message("TCP_CM_INQ", 20)});
  EXPECT_FALSE(PutOutputs(result, call));
  const Expr& seen = call.args[1].fields[1].second.items[0];
  EXPECT_EQ(seen.fields[2].second, N(276));
  call = spec({});
  EXPECT_FALSE(PutOutputs(result, call));
  call = spec({message("TCP_CM_INQ", 276), message("TCP_CM_INQ", 276)});
  EXPECT_FALSE(PutOutputs(result, call));
}

TEST(CallOutputs, WhatIsOfAnotherKindDiffers) {
  const auto differs = [](const CallResult& result, CallSpec call) {
    return !PutOutputs(result, call);
  };
  const auto get = [](Expr value) {
    return Spec("getsockopt", {N(3), N(6), N(11), std::move(value), Any()});
  };
  const CallResult info = {.info = {{"tcpi_state", 1}}};
  EXPECT_TRUE(differs(info, get(A({N(5)}))));
  EXPECT_FALSE(differs(info, get(Struct({{"tcpi_state", N(1)}}))));
  const CallResult linger = {.option = call::Linger{0, 0}};
  EXPECT_TRUE(differs(linger, get(N(0))));
  EXPECT_TRUE(differs(linger, get(Struct({{"onof", N(0)}}))));
  EXPECT_FALSE(
      differs(linger, get(Struct({{"onoff", N(0)}, {"linger", N(0)}}))));
  const auto receive = [](Expr control) {
    return Spec("recvmsg",
                {N(3), Struct({{"msg_control", std::move(control)}}), N(0)});
  };
  EXPECT_TRUE(differs({}, receive(N(5))));
  EXPECT_TRUE(differs({}, receive(Struct({}))));
  EXPECT_FALSE(differs({}, receive(A({}))));
  EXPECT_FALSE(differs({}, receive(W("NULL"))));
}

}  // namespace
}  // namespace conformance
