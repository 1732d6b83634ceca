#include "tcpip/transport/icmp/echo.h"

#include <algorithm>

namespace tcpip::icmp {

EchoEndpoint::EchoEndpoint(const IpAddress& local, const IpAddress& remote,
                           uint16_t id)
    : local_(local), remote_(remote), id_(id) {}

void EchoEndpoint::OnSend(uint16_t seq, Instant now) {
  if (under_way_.size() == kMaxUnderWay) under_way_.pop_front();
  under_way_.push_back({seq, now});
}

bool EchoEndpoint::OnReply(EchoReply reply, Instant ingress) {
  if (reply.source != remote_ || replies_.size() == kMaxReplies) return false;
  const auto request =
      std::find_if(under_way_.begin(), under_way_.end(),
                   [&reply](const Request& r) { return r.seq == reply.seq; });
  if (request == under_way_.end()) return false;
  reply.rtt = ingress - request->sent;
  under_way_.erase(request);
  replies_.push_back(reply);
  return true;
}

std::optional<EchoReply> EchoEndpoint::Dequeue() {
  if (!readable()) return std::nullopt;
  const EchoReply reply = replies_.front();
  replies_.pop_front();
  return reply;
}

}  // namespace tcpip::icmp
