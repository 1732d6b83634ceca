// Require: what must hold whatever a peer or a user does, checked in every
// build.
//
// For CheckInvariants() and for test kits, where a message is worth more than
// an assert(), and where nothing may go on. Never for what comes from outside.
#ifndef TCPIP_BASE_REQUIRE_H_
#define TCPIP_BASE_REQUIRE_H_

namespace tcpip {

// Aborts with "who: rule" on standard error unless it holds.
void Require(bool holds, const char* who, const char* rule);

}  // namespace tcpip

#endif  // TCPIP_BASE_REQUIRE_H_
