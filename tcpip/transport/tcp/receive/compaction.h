// Payload is kept by reference unless that wastes memory. [req A-14, fault W07]
//
// A view pins its whole block. One that fills at least half of it is worth
// keeping; the bytes of others are copied together, so that a queue pins at
// most about twice what it holds, whatever the peer's segment sizes. Used by
// whoever appends to the queue of in-order data.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_COMPACTION_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_COMPACTION_H_

#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip::tcp {

// Appends `from` to `to`, by reference or as a copy.
void AppendCompacted(View from, ViewChain& to, SlabPool& pool);
void AppendCompacted(ViewChain from, ViewChain& to, SlabPool& pool);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_COMPACTION_H_
