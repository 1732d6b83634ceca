// proto <-> command values, absl::Status -> grpc::Status. Pure functions.
//
// What a client sends is checked here and nowhere later: an INVALID_ARGUMENT
// names the field, what it held and what would be right.
#ifndef SERVICE_CONVERT_H_
#define SERVICE_CONVERT_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "service/netstack.pb.h"
#include "tcpip/shard/command.h"

namespace netstack::service {

grpc::Status ToGrpc(const absl::Status& status);

// "192.0.2.1:80". Port 0 only where `any_port`.
absl::StatusOr<tcpip::IpEndpoint> ToEndpoint(absl::string_view field,
                                             absl::string_view text,
                                             bool any_port);
absl::StatusOr<tcpip::IpAddress> ToAddress(absl::string_view field,
                                           absl::string_view text);
absl::StatusOr<tcpip::Cidr> ToCidr(absl::string_view field,
                                   absl::string_view text);

// Applies the fields that are present to `settings`.
absl::Status ApplyOptions(const v1::SocketOptions& options,
                          tcpip::tcp::SocketSettings& settings);

absl::StatusOr<tcpip::command::TcpDial> ToDial(
    const v1::Dial& dial, const tcpip::tcp::SocketSettings& settings);
absl::StatusOr<tcpip::command::TcpListen> ToListen(
    const v1::ListenRequest& request);
absl::StatusOr<tcpip::command::UdpOpen> ToUdpOpen(
    const v1::DatagramOpen& request);
absl::StatusOr<tcpip::command::Ping> ToPing(const v1::PingRequest& request);
tcpip::command::SetOffloads ToSetOffloads(
    const v1::SetOffloadsRequest& request);

// What a Reset message should say about a reply's failure.
v1::Reset::Reason ToResetReason(const absl::Status& status);

v1::Connection ToProto(const tcpip::reply::Sockets::Entry& entry);
v1::Stats ToProto(const tcpip::reply::Stats& stats);
v1::NetworkState ToProto(const tcpip::reply::Network& network);
v1::PingReply ToProto(const tcpip::EchoReply& reply);

}  // namespace netstack::service

#endif  // SERVICE_CONVERT_H_
