#include "tcpip/stack/flow_checks.h"

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

class FlowChecks : public testing::Test {
 protected:
  FlowChecks() {
    const InterfaceId id = context_.interfaces.Add({.name = "x"});
    EXPECT_TRUE(
        context_.interfaces.AddAddress(id, *Cidr::Parse("10.0.0.2/24")).ok());
    EXPECT_TRUE(flows_.Connect({{Ip("10.0.0.1"), 443}}, kTestStart).ok());
    EXPECT_TRUE(flows_.Listen({.local = {Ip("10.0.0.2"), 80}}).ok());
  }

  SlabPool pool_;
  SeededRng rng_{1};
  StackContext context_{{}, pool_, rng_, kTestStart};
  TcpFlows flows_{context_, rng_};
};

TEST_F(FlowChecks, AcceptWhatTheFlowsDoThemselves) {
  CheckFlows(context_, flows_);
}

TEST_F(FlowChecks, NoticeACounterThatIsOff) {
  ++context_.stats.tcp_curr_estab;
  EXPECT_DEATH(CheckFlows(context_, flows_), "CurrEstab is exact");
}

TEST_F(FlowChecks, NoticeATimerThatIsNotArmed) {
  for (uint32_t index = 0; index < context_.sockets.index_count(); ++index) {
    context_.timers.Set(context_.sockets.at(index),
                        kTestStart + Duration::Seconds(99));
  }
  EXPECT_DEATH(CheckFlows(context_, flows_), "timer is armed");
  for (uint32_t index = 0; index < context_.sockets.index_count(); ++index) {
    context_.timers.Cancel(context_.sockets.at(index));
  }
}

}  // namespace
}  // namespace tcpip
