// What packet-too-big messages have taught about paths: by destination, the
// largest packet that passes where that is less than the link takes. RFC 1191
// 3 and 6.3, RFC 8201 4.
//
// A message must have been checked against what was sent before it comes here
// [RFC 5927 7]. An estimate only falls while it lasts; ten minutes after the
// last message about it it is forgotten, and whoever comes then starts from
// the link's MTU. Bounded: the entry whose last message is oldest has to go.
#ifndef TCPIP_NETWORK_PATH_MTU_H_
#define TCPIP_NETWORK_PATH_MTU_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/intrusive_list.h"
#include "tcpip/base/time.h"
#include "tcpip/wire/address.h"

namespace tcpip::ip {

struct PathMtuLimits {
  // No report is believed below this. Linux's min_pmtu: smaller links are
  // rarer than forged reports. At least 68. [RFC 791 3.2] [fault X12]
  uint32_t floor_ipv4 = 552;
  size_t max_entries = 4096;                   // at least 1
  Duration lifetime = Duration::Seconds(600);  // [RFC 1191 6.3] [fault I11]
};

class PathMtuCache {
 public:
  explicit PathMtuCache(const PathMtuLimits& limits) : limits_(limits) {}

  // Somebody on the way to `destination` takes packets of `reported` bytes at
  // most; 0 is what routers older than RFC 1191 say. What to believe now, or
  // nullopt when that is no less than the link's MTU.
  std::optional<uint32_t> OnTooBig(const IpAddress& destination,
                                   uint32_t reported, uint32_t link_mtu,
                                   Instant now);

  // The MTU towards `destination`, `link_mtu` when nothing less is known.
  uint32_t Find(const IpAddress& destination, uint32_t link_mtu) const;

  // The least that is believed of a path, whatever is reported.
  uint32_t Floor(IpFamily family) const { return Credible(0, family); }

  // Forgets what is old.
  void OnTimer(Instant now);
  Instant NextDeadline() const;

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry : ListNode<Entry> {
    IpAddress destination;
    uint32_t mtu = 0;
    Instant expires;
  };
  uint32_t Credible(uint32_t reported, IpFamily family) const;
  Entry& At(const IpAddress& destination);
  void ForgetOldest();

  PathMtuLimits limits_;
  absl::flat_hash_map<IpAddress, std::unique_ptr<Entry>> entries_;
  IntrusiveList<Entry> by_age_;  // oldest first
};

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_PATH_MTU_H_
