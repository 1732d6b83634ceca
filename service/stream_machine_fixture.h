// Requests and replies for tests of StreamMachine, and its actions as text.
#ifndef SERVICE_STREAM_MACHINE_FIXTURE_H_
#define SERVICE_STREAM_MACHINE_FIXTURE_H_

#include <string>

#include "absl/status/status.h"
#include "service/netstack.pb.h"
#include "service/stream_codec.h"
#include "service/stream_machine.h"
#include "tcpip/shard/command.h"
#include "tcpip/stack/socket_id.h"

namespace netstack::service {

inline constexpr tcpip::SocketId kSocket = {7, 1};

tcpip::FourTuple Tuple();  // 10.0.0.2:4000 to 10.0.0.1:80

// Requests.
DecodedRequest Request(const v1::StreamRequest& message);
DecodedRequest Open(const v1::Open& open);
DecodedRequest Dial(const std::string& remote);
DecodedRequest Claim(const v1::SocketOptions& options = {});
DecodedRequest Data(const std::string& text);
DecodedRequest Eof();
DecodedRequest ResetRequest();
DecodedRequest NoDelay();

// Replies.
tcpip::Reply Ok(tcpip::reply::Body body = tcpip::reply::Done{});
tcpip::Reply Opened();
tcpip::Reply Received(const std::string& text, bool eof = false);
tcpip::Reply Failed(absl::Status status);
tcpip::Reply PeerReset();

// What the machine wants: "TcpSend(3)->request write(eof) read".
std::string Describe(const StreamMachine::Actions& actions);

}  // namespace netstack::service

#endif  // SERVICE_STREAM_MACHINE_FIXTURE_H_
