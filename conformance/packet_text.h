// A PacketSpec, a call or a time in the notation of scripts: for messages that
// set the expected beside the seen, and for traces. ParseScript reads it back
// as the same value.
#ifndef CONFORMANCE_PACKET_TEXT_H_
#define CONFORMANCE_PACKET_TEXT_H_

#include <string>

#include "conformance/script.h"
#include "tcpip/base/time.h"

namespace conformance {

// "> S. 0:0(0) ack 1 win 65535 <mss 1460,nop,wscale 7>".
std::string ToText(const PacketSpec& packet);
// "[1:1461(1460)]", "[udp (8)]"; "" for none.
std::string EchoedText(const Echoed& echoed);
// "mss 1460".
std::string ToText(const OptionSpec& option);
// "read(4, ..., 1000) = -1 EAGAIN (text)".
std::string ToText(const CallSpec& call);
std::string ToText(const Expr& expr);
// "+.010", "1.5", "*", "+0~+.2".
std::string ToText(const When& when);
// Seconds without zeros at the end: "0", ".1", "1.000001".
std::string ToText(tcpip::Duration duration);

}  // namespace conformance

#endif  // CONFORMANCE_PACKET_TEXT_H_
