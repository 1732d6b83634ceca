#include "tcpip/transport/tcp/recovery/sack_loss.h"

#include <cstddef>
#include <cstdint>

#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

SeqNum LossFrontier(const SentLog& log, uint32_t smss) {
  if (log.sacked_bytes() == 0) return log.snd_una();
  uint64_t bytes = 0;
  uint32_t ranges = 0;
  for (size_t i = log.Find(log.highest_sacked() - 1) + 1; i-- > 0;) {
    const SentRecord& record = log.record(i);
    if (record.state != SentState::kSacked) continue;
    bytes += record.size();
    ++ranges;  // the log keeps a SACKed run in one record
    // [RFC 6675 4] DupThresh discontiguous ranges or more than
    // (DupThresh - 1) * SMSS bytes are SACKed above
    if (ranges >= kDupThresh || bytes > uint64_t{kDupThresh - 1} * smss) {
      return record.begin;
    }
  }
  return log.snd_una();
}

}  // namespace tcpip::tcp
