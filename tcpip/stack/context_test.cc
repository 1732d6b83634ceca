#include "tcpip/stack/context.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(StackContext, AFullControlQueueDropsCounted) {
  SlabPool pool;
  StackContext context({.max_control_packets = 2}, pool, Instant());
  const InterfaceId id = context.interfaces.Add({.name = "x"});
  for (int i = 0; i < 5; ++i) {
    context.SendControl(context.interfaces.at(id), Packet::WithHeadroom(pool));
  }
  EXPECT_EQ(pool.stats().live, 2u);
  EXPECT_EQ(context.stats.Dropped(DropReason::kControlQueueFull), 3u);
}

TEST(StackContext, AnswersToStrangersAreLimitedCounted) {
  SlabPool pool;
  StackContext context(
      {.unowned_answers_per_second = 10, .unowned_answers_burst = 3}, pool,
      Instant());
  int allowed = 0;
  for (int i = 0; i < 10; ++i) {
    const auto receiver = IpAddress::Ipv4(10, 0, 0, static_cast<uint8_t>(i));
    allowed += context.MayAnswerUnowned(receiver, Instant());
  }
  EXPECT_EQ(allowed, 3);
  EXPECT_EQ(context.stats.Dropped(DropReason::kAnswerRateLimited), 7u);
}

// Sockets in every list and on the wheel when the stack goes.
TEST(StackContext, EndsWithSocketsStillInItsLists) {
  SlabPool pool;
  StackContext context({}, pool, Instant());
  const InterfaceId id = context.interfaces.Add({.name = "x"});
  Socket& socket = *context.sockets.Allocate();
  socket.kind = UdpSocket{};
  context.ready.Update(socket, 1);
  context.interfaces.at(id).output().AddSender(socket);
  context.timers.Set(socket, Instant::FromNanoseconds(1));
  EXPECT_EQ(context.timers.armed(), 1u);
}

}  // namespace
}  // namespace tcpip
