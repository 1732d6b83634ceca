// FlowMap: one connection as the script numbers it and as it is on the wire.
//
// A script's sequence numbers are absolute in segments with SYN and relative to
// the ISN in all others, both ways; acknowledgments and SACK blocks follow. The
// script gives both ISNs; the live one of the host under test is learnt from
// its SYN, that of the scripted peer is the script's own plus a shift.
// Timestamps of the host under test are mapped from the first one on: the
// script's must advance as the live ones do.
#ifndef CONFORMANCE_FLOW_MAP_H_
#define CONFORMANCE_FLOW_MAP_H_

#include <cstdint>
#include <map>
#include <optional>

#include "tcpip/wire/address.h"

namespace conformance {

// live = script + offset, modulo 2^32.
class SequenceMap {
 public:
  bool known() const { return known_; }
  // `script` and `live` are the numbers of one SYN.
  void Learn(uint32_t script, uint32_t live) {
    known_ = true;
    syn_offset_ = live - script;
    offset_ = live;
  }
  uint32_t ToLive(uint32_t script, bool in_syn) const {
    return script + (in_syn ? syn_offset_ : offset_);
  }
  uint32_t ToScript(uint32_t live, bool in_syn) const {
    return live - (in_syn ? syn_offset_ : offset_);
  }

 private:
  bool known_ = false;
  uint32_t syn_offset_ = 0;
  uint32_t offset_ = 0;
};

// Timestamp values of the host under test.
class TimestampMap {
 public:
  // With `ticking`, one offset holds for all; else each value of the script
  // stands for the live one it was last compared with.
  explicit TimestampMap(bool ticking) : ticking_(ticking) {}

  void Learn(uint32_t script, uint32_t live) {
    if (!offset_) offset_ = live - script;
    live_of_[script] = live;
  }
  uint32_t ToScript(uint32_t live) const { return live - offset_.value_or(0); }
  // nullopt for a value the script never saw. 0 is nobody's.
  std::optional<uint32_t> ToLive(uint32_t script) const {
    const auto it = live_of_.find(script);
    if (!ticking_ && it != live_of_.end()) return it->second;
    if (ticking_ && offset_ && script != 0) return script + *offset_;
    if (script == 0) return 0;
    return std::nullopt;
  }

 private:
  bool ticking_;
  std::optional<uint32_t> offset_;
  std::map<uint32_t, uint32_t> live_of_;
};

struct FlowMap {
  explicit FlowMap(bool ticking_timestamps) : timestamps(ticking_timestamps) {}

  tcpip::IpEndpoint local;   // of the host under test
  tcpip::IpEndpoint remote;  // the script's
  SequenceMap local_seq;
  SequenceMap remote_seq;
  TimestampMap timestamps;
};

}  // namespace conformance

#endif  // CONFORMANCE_FLOW_MAP_H_
