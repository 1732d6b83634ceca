// ICMP messages of a host under test in a script's notation: by the names of
// scripts, with what they quote. RFC 792, 4443.
#ifndef CONFORMANCE_ICMP_READER_H_
#define CONFORMANCE_ICMP_READER_H_

#include "conformance/flow_map.h"
#include "conformance/script.h"
#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"

namespace conformance {

// `flow` gives the numbers of a quoted segment, which is the script's own.
IcmpSpec ReadIcmp(tcpip::IpFamily family, tcpip::ByteSpan message,
                  const FlowMap& flow);

// The same message by the names that ReadIcmp gives it, where a script says
// "icmp 3 3" or leaves out code 0. What has no number stays as it is.
IcmpSpec WithUsualNames(tcpip::IpFamily family, IcmpSpec icmp);

}  // namespace conformance

#endif  // CONFORMANCE_ICMP_READER_H_
