// WaitingClient: for tests, a client of a shard or of a group that waits for
// each reply, on the thread that asks; and the commands that tests give most.
#ifndef TCPIP_TESTING_WAITING_CLIENT_H_
#define TCPIP_TESTING_WAITING_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/wire/address.h"

namespace tcpip {

inline IpEndpoint EndpointOf(const char* text) {
  return *IpEndpoint::Parse(text);
}

inline command::TcpDial Dial(const IpEndpoint& remote,
                             Duration timeout = Duration::Zero()) {
  command::TcpDial dial;
  dial.options.remote = remote;
  dial.timeout = timeout;
  return dial;
}
inline command::TcpDial Dial(const char* remote,
                             Duration timeout = Duration::Zero()) {
  return Dial(EndpointOf(remote), timeout);
}

inline command::TcpListen ListenOn(const IpEndpoint& local) {
  command::TcpListen listen;
  listen.options.local = local;
  return listen;
}
inline command::TcpListen ListenOn(const char* local) {
  return ListenOn(EndpointOf(local));
}

inline command::UdpOpen UdpOn(const IpEndpoint& local) {
  command::UdpOpen open;
  open.options.local = local;
  return open;
}
inline command::UdpOpen UdpOn(const char* local) {
  return UdpOn(EndpointOf(local));
}

class WaitingClient {
 public:
  explicit WaitingClient(CommandTarget& target) : target_(target) {}

  // Returns what Wait takes.
  template <typename C>
  uint64_t Post(C body) {
    EXPECT_TRUE(TryPost(std::move(body)).ok());
    return cookie_;
  }
  template <typename C>
  absl::Status TryPost(C body) {
    return target_.Post(
        {.reply_to = {replies_, ++cookie_}, .body = std::move(body)});
  }

  Reply Wait(uint64_t cookie) {
    while (true) {
      for (size_t i = 0; i < arrived_.size(); ++i) {
        if (arrived_[i].cookie != cookie) continue;
        Reply reply = std::move(arrived_[i]);
        arrived_.erase(arrived_.begin() + static_cast<ptrdiff_t>(i));
        return reply;
      }
      if (!replies_->WaitPopAll(arrived_)) {
        ADD_FAILURE() << "no reply to " << cookie;
        return {};
      }
    }
  }

  template <typename C>
  Reply Ask(C body) {
    return Wait(Post(std::move(body)));
  }

  // The body of a reply that must be OK.
  template <typename Body, typename C>
  Body Call(C body) {
    Reply reply = Ask(std::move(body));
    EXPECT_TRUE(reply.status.ok()) << reply.status;
    Body* got = std::get_if<Body>(&reply.body);
    EXPECT_NE(got, nullptr);
    return got == nullptr ? Body{} : std::move(*got);
  }

 private:
  CommandTarget& target_;
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
  std::vector<Reply> arrived_;
  uint64_t cookie_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_TESTING_WAITING_CLIENT_H_
