// The core's trace seam: what happened, as numbers, to whoever listens.
//
// The core never formats text. Whoever owns a sink decides what to keep: the
// simulator hashes every event to prove determinism, a tool prints them. The
// layer that emits an event defines its numbers; a step emits at its end, at
// most once per function, and not at all while no sink is set.
#ifndef TCPIP_BASE_TRACE_H_
#define TCPIP_BASE_TRACE_H_

#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip {

struct TraceEvent {
  enum class Kind : uint8_t {
    kPacketIn,    // a: bytes
    kPacketOut,   // a: bytes
    kDrop,        // a: reason, b: bytes
    kState,       // a: from, b: to
    kTimer,       // a: which timer expired
    kSend,        // a: first sequence number, b: bytes, c: transmission count
    kAck,         // a: acknowledged up to, b: bytes newly delivered, c: window
    kLoss,        // a: first sequence number, b: bytes marked lost
    kRecovery,    // a: phase from, b: phase to, c: recovery point
    kCongestion,  // a: cwnd, b: ssthresh, c: bytes in flight
    kRtt,         // a: sample, b: SRTT, c: RTO, all in nanoseconds
  };

  Kind kind = Kind::kPacketIn;
  Instant at;
  uint64_t flow = 0;  // the emitter's stable id; 0 for none
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void OnEvent(const TraceEvent& event) = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BASE_TRACE_H_
