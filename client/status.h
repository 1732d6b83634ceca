// grpc::Status -> absl::Status: the codes are the same numbers.
#ifndef CLIENT_STATUS_H_
#define CLIENT_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace netstack {

inline absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

}  // namespace netstack

#endif  // CLIENT_STATUS_H_
