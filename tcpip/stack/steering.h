// Steering: which shard of a group owns a flow. A pure function of the packet
// and of a key that all shards of the group share, so that no shard needs
// another's tables, and nobody outside can aim at one shard.
//
// A connection belongs to the hash of its four-tuple, whichever end is ours:
// both ends of a connection to ourselves are in one shard. A UDP port belongs
// to its own hash alone, since a bound socket hears all its peers; so does an
// echo identifier. Fragments, which show no ports, belong to the hash of their
// addresses until their packet is whole. A shard that is alone owns everything
// and hashes nothing.
#ifndef TCPIP_STACK_STEERING_H_
#define TCPIP_STACK_STEERING_H_

#include <cstdint>

#include "tcpip/base/siphash.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class Steering {
 public:
  Steering() = default;
  // Shard `index` of `count`.
  Steering(uint32_t index, uint32_t count, const SipHashKey& key)
      : index_(index), count_(count), key_(key) {}

  uint32_t index() const { return index_; }
  uint32_t count() const { return count_; }

  uint32_t OwnerOfTcp(const FourTuple& tuple) const {
    return count_ == 1 ? index_ : HashOf(tuple) % count_;
  }
  // Of a local UDP port, or of an echo identifier.
  uint32_t OwnerOfPort(uint16_t port) const {
    return count_ == 1 ? index_ : HashOf(port) % count_;
  }

  // Of the fragments from one address to another. Without their identification:
  // packets of one flow are made whole in the order in which they came.
  uint32_t OwnerOfFragments(const IpAddress& source,
                            const IpAddress& destination) const {
    return count_ == 1
               ? index_
               : HashOf(FourTuple{{destination, 0}, {source, 0}}) % count_;
  }

  bool OwnsTcp(const FourTuple& tuple) const {
    return OwnerOfTcp(tuple) == index_;
  }
  bool OwnsPort(uint16_t port) const { return OwnerOfPort(port) == index_; }

 private:
  uint32_t HashOf(const FourTuple& tuple) const;
  uint32_t HashOf(uint16_t port) const;

  uint32_t index_ = 0;
  uint32_t count_ = 1;
  SipHashKey key_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STEERING_H_
