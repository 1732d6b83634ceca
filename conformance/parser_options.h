// The TCP options of a packet, "<mss 1460,nop,wscale 7>". Called by
// ParsePacket.
#ifndef CONFORMANCE_PARSER_OPTIONS_H_
#define CONFORMANCE_PARSER_OPTIONS_H_

#include <vector>

#include "conformance/cursor.h"
#include "conformance/script.h"

namespace conformance {

// From behind "<" to behind ">". False with the cursor's error, as when they do
// not fill whole words of at most 40 bytes.
bool ParseTcpOptionList(Cursor& cursor, std::vector<OptionSpec>& options);

}  // namespace conformance

#endif  // CONFORMANCE_PARSER_OPTIONS_H_
