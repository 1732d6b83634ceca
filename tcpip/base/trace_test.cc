#include "tcpip/base/trace.h"

#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

class Recorder final : public TraceSink {
 public:
  void OnEvent(const TraceEvent& event) override { events.push_back(event); }
  std::vector<TraceEvent> events;
};

TEST(TraceSink, ReceivesEventsAsTheyWereEmitted) {
  Recorder recorder;
  TraceSink& sink = recorder;
  sink.OnEvent({.kind = TraceEvent::Kind::kCongestion,
                .at = Instant::FromNanoseconds(9),
                .flow = 4,
                .a = 14'600,
                .b = 65'535});
  ASSERT_EQ(recorder.events.size(), 1u);
  const TraceEvent& event = recorder.events[0];
  EXPECT_EQ(event.kind, TraceEvent::Kind::kCongestion);
  EXPECT_EQ(event.at, Instant::FromNanoseconds(9));
  EXPECT_EQ(event.flow, 4u);
  EXPECT_EQ(event.a, 14'600u);
  EXPECT_EQ(event.b, 65'535u);
  EXPECT_EQ(event.c, 0u);
}

}  // namespace
}  // namespace tcpip
