#include "conformance/posix_poll.h"

#include <map>
#include <string>
#include <vector>

#include "conformance/linux_constants.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

constexpr uint32_t kIn = Linux("POLLIN");
constexpr uint32_t kOut = Linux("POLLOUT");
constexpr uint32_t kHup = Linux("POLLHUP");
constexpr uint32_t kErr = Linux("POLLERR");
constexpr auto kEdge = static_cast<uint32_t>(Linux("EPOLLET"));
constexpr uint32_t kOneShot = Linux("EPOLLONESHOT");

// Descriptors that are ready for what the test says.
class World {
 public:
  std::map<int, ReadyState> ready;
  EpollDescriptor epoll;

  std::optional<ReadyState> Of(int fd) const {
    const auto it = ready.find(fd);
    if (it == ready.end()) return std::nullopt;
    return it->second;
  }
  CallResult Poll(std::vector<call::PollEntry> entries) const {
    return PollNow({.entries = std::move(entries)},
                   [this](int fd) { return Of(fd); });
  }
  int Control(const char* operation, int fd, uint32_t events = 0) {
    return ControlEpoll(
               {.operation = static_cast<int>(*ConstantNumber(operation)),
                .fd = fd,
                .event = {events, static_cast<uint64_t>(fd)}},
               epoll)
        .error;
  }
  // "3:POLLIN 4:POLLOUT"
  std::string Wait(int max_events = 10) {
    std::string text;
    for (const call::EpollEvent& event :
         TakeEpollEvents(epoll, max_events, [this](int fd) {
           return Of(fd);
         }).epoll) {
      text += (text.empty() ? "" : " ") + std::to_string(event.data) + ":" +
              FlagsText(kPollEvents, event.events);
    }
    return text;
  }
  void Note() {
    NoteReadiness(epoll, [this](int fd) { return Of(fd); });
  }
};

TEST(Poll, ReportsWhatWasAskedForAndErrors) {
  World world;
  world.ready[3] = {kIn | kOut};
  world.ready[4] = {kOut | kHup | kErr};
  world.ready[5] = {kIn};
  const auto in = static_cast<int>(kIn);
  const CallResult result =
      world.Poll({{3, in, 0x7777}, {4, in}, {5, 0}, {-1, in}, {9, in}});
  EXPECT_EQ(result.value, 3);
  EXPECT_EQ(result.poll[0].revents, in);
  EXPECT_EQ(result.poll[1].revents, static_cast<int>(kHup | kErr));
  EXPECT_EQ(result.poll[2].revents, 0);
  EXPECT_EQ(result.poll[3].revents, 0);
  EXPECT_EQ(result.poll[4].revents, Linux("POLLNVAL"));
}

TEST(Epoll, InterestsAreAddedChangedAndDeleted) {
  World world;
  EXPECT_EQ(world.Control("EPOLL_CTL_MOD", 3), Linux("ENOENT"));
  EXPECT_EQ(world.Control("EPOLL_CTL_DEL", 3), Linux("ENOENT"));
  EXPECT_EQ(world.Control("EPOLL_CTL_ADD", 3, kIn), 0);
  EXPECT_EQ(world.Control("EPOLL_CTL_ADD", 3, kIn), Linux("EEXIST"));
  world.ready[3] = {kOut};
  EXPECT_EQ(world.Wait(), "");
  EXPECT_EQ(world.Control("EPOLL_CTL_MOD", 3, kOut), 0);
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
  EXPECT_EQ(world.Control("EPOLL_CTL_DEL", 3), 0);
  EXPECT_EQ(world.Wait(), "");
  EXPECT_EQ(world.Control("SHUT_RD", 3), Linux("EINVAL"));  // no operation
}

TEST(Epoll, LevelIsReportedAsLongAsItLasts) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kIn);
  world.ready[3] = {kIn | kOut | kHup};
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLHUP");
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLHUP");
}

TEST(Epoll, EdgeIsReportedOnceUntilThereIsNews) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kIn | kOut | kEdge);
  world.ready[3] = {kOut};
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
  EXPECT_EQ(world.Wait(), "");
  world.ready[3] = {kOut | kIn, 1};
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLOUT");  // everything, on any news
  EXPECT_EQ(world.Wait(), "");
  world.ready[3].arrivals = 2;  // more of the same
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLOUT");
  world.ready[3] = {kOut, 2};  // read
  world.Note();
  EXPECT_EQ(world.Wait(), "");
  world.ready[3] = {kOut | kIn, 2};
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLOUT");
}

TEST(Epoll, EdgeThatCeasedUnseenIsNewsAgain) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kOut | kEdge);
  world.ready[3] = {kOut};
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
  world.ready[3] = {};
  world.Note();  // the queue was full for a while
  world.ready[3] = {kOut};
  world.Note();
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
}

TEST(Epoll, ChangingAnInterestReportsAfresh) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kOut | kEdge);
  world.ready[3] = {kOut};
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
  world.Control("EPOLL_CTL_MOD", 3, kOut | kEdge);
  EXPECT_EQ(world.Wait(), "3:POLLOUT");
}

TEST(Epoll, OneShotIsReportedOnceUntilItIsArmedAgain) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kIn | kOneShot);
  world.ready[3] = {kIn, 1};
  EXPECT_EQ(world.Wait(), "3:POLLIN");
  world.ready[3] = {kIn | kHup, 2};
  EXPECT_EQ(world.Wait(), "");
  world.Control("EPOLL_CTL_MOD", 3, kIn | kOneShot);
  EXPECT_EQ(world.Wait(), "3:POLLIN|POLLHUP");
}

TEST(Epoll, ReportsNoMoreThanThereIsRoomFor) {
  World world;
  for (int fd = 3; fd < 6; ++fd) {
    world.Control("EPOLL_CTL_ADD", fd, kIn | kEdge);
    world.ready[fd] = {kIn, 1};
  }
  EXPECT_EQ(world.Wait(2), "3:POLLIN 4:POLLIN");
  EXPECT_EQ(world.Wait(2), "5:POLLIN");
}

TEST(Epoll, ForgetsWhatIsClosed) {
  World world;
  world.Control("EPOLL_CTL_ADD", 3, kIn);
  world.ready[3] = {kIn};
  ForgetDescriptor(world.epoll, 3);
  EXPECT_EQ(world.Wait(), "");
  EXPECT_EQ(world.Control("EPOLL_CTL_ADD", 3, kIn), 0);
}

}  // namespace
}  // namespace conformance
