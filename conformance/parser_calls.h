// The call part of an event: "name(args) = result [ERRNO (text)] [(note)]".
// Called by ParseScript. What a name or constant means is not its affair.
#ifndef CONFORMANCE_PARSER_CALLS_H_
#define CONFORMANCE_PARSER_CALLS_H_

#include "conformance/cursor.h"
#include "conformance/script.h"

namespace conformance {

// False with the cursor's error.
bool ParseCall(Cursor& cursor, CallSpec& call);

}  // namespace conformance

#endif  // CONFORMANCE_PARSER_CALLS_H_
