// What commands fail with: the codes and words that users see. Used by whatever
// executes commands or passes them on; service maps the codes to gRPC's.
//
// Of a connection:  UNAVAILABLE + "connection refused" and the like, ABORTED +
//   "connection reset by peer", DEADLINE_EXCEEDED + "timed out", CANCELLED +
//   "connection aborted" by ourselves
// Of an id that is not, or not any more, a socket's:  NOT_FOUND
// Of a command that does not suit the socket's state:  FAILED_PRECONDITION
#ifndef TCPIP_SHARD_ERRORS_H_
#define TCPIP_SHARD_ERRORS_H_

#include "absl/status/status.h"
#include "tcpip/transport/tcp/observe.h"

namespace tcpip {

// What a user is told of a connection that failed; OK for kNone.
absl::Status StatusOf(tcp::TcpError error);

// After a stop. A command that was not taken is UNAVAILABLE: it has done
// nothing, and may be tried elsewhere. One that was taken is CANCELLED: it may
// have done something.
absl::Status NotTakenAfterStop();
absl::Status CancelledByStop();

// CANCELLED: the socket was closed or aborted under the command.
absl::Status CancelledByClose();

// RESOURCE_EXHAUSTED: no more commands may wait.
absl::Status TooManyPending();

}  // namespace tcpip

#endif  // TCPIP_SHARD_ERRORS_H_
