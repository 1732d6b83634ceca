// FlowSet: which socket has a four-tuple. One instance each for TCP and UDP.
//
// Holds indices of the socket table and nothing else: a socket knows its tuple,
// and whoever looks a socket up reads it next. So a flow costs five bytes at
// the table's fullest, where a copy of the tuple would cost ten times that. To
// grow, the table asks each socket for its tuple once more.
//
// A socket's tuple must not change while its index is in the set. Look-ups
// only: nothing here depends on the order of the table.
#ifndef TCPIP_STACK_FLOW_SET_H_
#define TCPIP_STACK_FLOW_SET_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "tcpip/stack/flow_hash.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// `TupleOf` gives the FourTuple of an index, by value or by reference.
template <typename TupleOf>
class FlowSet {
 public:
  FlowSet(const FlowHash& hash, TupleOf tuple_of)
      : indices_(0, Hash{hash, tuple_of}, Equal{tuple_of}) {}

  // False when the index's tuple is taken.
  bool Add(uint32_t index) { return indices_.insert(index).second; }
  void Remove(const FourTuple& tuple) { indices_.erase(tuple); }
  std::optional<uint32_t> Find(const FourTuple& tuple) const {
    const auto it = indices_.find(tuple);
    if (it == indices_.end()) return std::nullopt;
    return *it;
  }

  size_t size() const { return indices_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(const FourTuple& tuple) const { return hash(tuple); }
    size_t operator()(uint32_t index) const { return hash(tuple_of(index)); }
    FlowHash hash;
    TupleOf tuple_of;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(uint32_t index, const FourTuple& tuple) const {
      return tuple_of(index) == tuple;
    }
    bool operator()(uint32_t a, uint32_t b) const {
      return a == b || tuple_of(a) == tuple_of(b);
    }
    TupleOf tuple_of;
  };

  absl::flat_hash_set<uint32_t, Hash, Equal> indices_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_FLOW_SET_H_
