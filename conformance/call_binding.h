// A call as a script writes it, as a value a Host can carry out, and what came
// of it beside what the script says.
//
// Where "..." stands is filled in; descriptors are the script's labels on one
// side and the host's on the other.
#ifndef CONFORMANCE_CALL_BINDING_H_
#define CONFORMANCE_CALL_BINDING_H_

#include <string>

#include "absl/status/statusor.h"
#include "conformance/call.h"
#include "conformance/labels.h"
#include "conformance/linux_constants.h"
#include "conformance/script.h"
#include "tcpip/wire/address.h"

namespace conformance {

// What "..." stands for.
struct Ellipses {
  int domain = Linux("AF_INET");  // of socket()
  tcpip::IpEndpoint local;        // of bind()
  tcpip::IpEndpoint remote;       // of connect() and sendto()
};

// INVALID_ARGUMENT: makes no sense. UNIMPLEMENTED: a call, an argument or a
// constant that we do not have.
absl::StatusOr<Call> Bind(const CallSpec& spec, const Labels& labels,
                          const Ellipses& fill);

// "" when the result is what the script says; else "expected ..., got ...", in
// the script's notation. A script's descriptor stands for the host's from now
// on, whichever number that is. `spec` has been bound.
std::string Compare(const CallSpec& spec, const CallResult& result,
                    Labels& labels);

}  // namespace conformance

#endif  // CONFORMANCE_CALL_BINDING_H_
