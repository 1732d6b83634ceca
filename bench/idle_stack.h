// A stack that holds connections which do nothing: what they cost, and what it
// costs to have them around. Its peers are finished packets, no TCP of their
// own, so that what is measured is one side's.
//
// Used by idle_connections and by the test beside this.
#ifndef BENCH_IDLE_STACK_H_
#define BENCH_IDLE_STACK_H_

#include <cstdint>
#include <vector>

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/stack.h"
#include "tcpip/wire/address.h"

namespace bench {

class IdleStack {
 public:
  IdleStack();

  // One more connection: SYN in, SYN-ACK out, ACK in, accepted. It has a timer
  // armed, for keepalive.
  void Open();
  uint32_t connections() const {
    return static_cast<uint32_t>(next_seqs_.size());
  }

  // Connection `i` hears an ACK that tells it nothing new.
  void Touch(uint32_t i);
  // What an event loop asks between batches.
  tcpip::Instant StepTimers();

  tcpip::Stack& stack() { return stack_; }

 private:
  void Deliver(uint32_t i, uint32_t seq, uint32_t ack, bool syn);
  static tcpip::FourTuple FlowOf(uint32_t i);

  tcpip::SlabPool pool_;
  tcpip::SeededRng rng_{1};
  tcpip::Instant now_ = tcpip::Instant::FromNanoseconds(1'000'000'000);
  tcpip::Stack stack_;
  tcpip::InterfaceId link_;
  tcpip::SocketId listener_;
  std::vector<uint32_t> next_seqs_;  // of the stack, by connection
  tcpip::PacketBatch out_;
};

}  // namespace bench

#endif  // BENCH_IDLE_STACK_H_
