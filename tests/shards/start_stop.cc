#include "tests/shards/start_stop.h"

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/link/loopback.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/shard/shard_group.h"
#include "tests/shards/group_pair.h"

namespace tcpip {
namespace {

// Posts without waiting, and remembers who is owed a reply.
class Poster {
 public:
  explicit Poster(ShardGroup& group) : group_(group) {}

  template <typename C>
  bool Post(C body) {
    const bool taken =
        group_
            .Post({.reply_to = {replies_, ++cookie_}, .body = std::move(body)})
            .ok();
    if (taken) owed_[cookie_] = 1;
    return taken;
  }

  // After the group has stopped.
  void ExpectOneReplyEach() {
    std::vector<Reply> replies;
    replies_->PopAll(replies);
    for (const Reply& reply : replies) --owed_[reply.cookie];
    for (const auto& [cookie, owed] : owed_) {
      EXPECT_EQ(owed, 0) << "replies owed to command " << cookie;
    }
  }

  // A socket that was opened, if one was by now.
  SocketId Await() {
    std::vector<Reply> replies;
    if (!replies_->WaitPopAll(replies)) return {};
    SocketId socket;
    for (const Reply& reply : replies) {
      --owed_[reply.cookie];
      const auto* opened = std::get_if<reply::Opened>(&reply.body);
      if (reply.status.ok() && opened != nullptr) socket = opened->socket;
    }
    return socket;
  }

 private:
  ShardGroup& group_;
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
  uint64_t cookie_ = 0;
  std::map<uint64_t, int> owed_;
};

// Traffic within shards (TCP) and between them (UDP, since two ports have two
// owners), without waiting for any of it.
void MakeTraffic(Poster& poster, SocketId listener, SocketId udp) {
  for (uint16_t i = 0; i < 4; ++i) {
    poster.Post(Dial(EndpointOf("127.0.0.1:80")));
    poster.Post(command::TcpAccept{listener});
    poster.Post(UdpOn(EndpointOf("127.0.0.1:0")));
    poster.Post(command::UdpSend{udp,
                                 IpEndpoint{EndpointOf("127.0.0.1:0").address,
                                            static_cast<uint16_t>(5000 + i)},
                                 OwnedBytes::Allocate(1000)});
    poster.Post(command::UdpRecv{udp});
    poster.Post(command::Ping{.remote = *IpAddress::Parse("127.0.0.1")});
    poster.Post(command::GetStats{});
  }
}

void OneRound() {
  std::vector<std::unique_ptr<Link>> links;
  for (int i = 0; i < 2; ++i) links.push_back(std::make_unique<Loopback>());
  ShardGroup group({}, std::move(links));
  Poster first(group);
  first.Post(ListenOn(EndpointOf("127.0.0.1:80")));
  const SocketId listener = first.Await();
  ASSERT_TRUE(listener.IsValid());
  first.Post(UdpOn(EndpointOf("127.0.0.1:5000")));
  const SocketId udp = first.Await();
  ASSERT_TRUE(udp.IsValid());
  MakeTraffic(first, listener, udp);

  Poster second(group);
  std::thread other([&second, listener, udp] {
    MakeTraffic(second, listener, udp);
    second.Post(command::Close{listener});
  });
  group.Stop();
  other.join();
  EXPECT_FALSE(first.Post(command::GetStats{}));
  first.ExpectOneReplyEach();
  second.ExpectOneReplyEach();
}

}  // namespace

void StartAndStop(int rounds) {
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) OneRound();
}

}  // namespace tcpip
