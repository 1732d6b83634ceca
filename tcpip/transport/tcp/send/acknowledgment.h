// The acknowledgment side of a segment, and what can be believed of it: which
// SACK blocks, whether it is a duplicate ACK, whether it times a round trip.
// RFC 5681 2, RFC 2018, RFC 2883, RFC 7323 4.1.
//
// Read by Sender step by step in OnAck; `delivery` is what the sent log made of
// the cumulative part. Pure but for the marks in the log: windows, timers and
// congestion are not known here.
#ifndef TCPIP_TRANSPORT_TCP_SEND_ACKNOWLEDGMENT_H_
#define TCPIP_TRANSPORT_TCP_SEND_ACKNOWLEDGMENT_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/send/sender_types.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// [RFC 2883 4] The first block reports data that arrived twice.
bool HasDsack(const AckInput& in);

// Marks in `log` what the blocks name. A block that is not a range of what is
// in flight says nothing. [fault S25]
void ApplySackBlocks(const AckInput& in, SentLog& log, Delivery& delivery);

// New SACK information, or (a) to (e) of RFC 5681 2; `snd_wnd` is the window
// before this ACK, `flight_size` what was in flight.
bool IsDuplicateAck(const AckInput& in, const Delivery& delivery, bool sack,
                    WindowSize snd_wnd, uint32_t flight_size);

struct RttSample {
  Duration rtt;
  bool by_departure = false;  // else by the timestamp's echo
};

// What the ACK says about the round trip, if anything.
std::optional<RttSample> RttSampleOf(const AckInput& in,
                                     const Delivery& delivery,
                                     const SentLog& log, bool sack);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_ACKNOWLEDGMENT_H_
