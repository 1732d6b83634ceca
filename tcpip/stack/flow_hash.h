// FlowHash: the keyed hash of a four-tuple, for the tables that packets are
// looked up in. Peers choose most of what it is taken over.
#ifndef TCPIP_STACK_FLOW_HASH_H_
#define TCPIP_STACK_FLOW_HASH_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/rng.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// Multiply-and-fold over secret words: about three multiplications a tuple.
// Not a MAC: its values never leave the process.
class FlowHash {
 public:
  explicit FlowHash(Rng& rng);
  size_t operator()(const FourTuple& tuple) const;

 private:
  uint64_t key_[5];
};

}  // namespace tcpip

#endif  // TCPIP_STACK_FLOW_HASH_H_
