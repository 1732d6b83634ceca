// The sockets of one stack, by index and generation: a stale id is an error and
// never another socket.
//
// Storage grows by chunks and never moves, so that sockets can be in intrusive
// lists. Free places are used again last in, first out.
#ifndef TCPIP_STACK_SOCKET_TABLE_H_
#define TCPIP_STACK_SOCKET_TABLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/transport/udp/endpoint.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class SocketTable {
 public:
  // Its ids name `shard`.
  explicit SocketTable(uint32_t max_sockets, uint32_t shard = 0);
  SocketTable(const SocketTable&) = delete;
  SocketTable& operator=(const SocketTable&) = delete;
  ~SocketTable();

  // An empty socket with a fresh id, or nullptr at the limit. The caller fills
  // in its kind at once.
  Socket* Allocate();
  // Frees the place; the socket's timer must not be armed.
  void Release(Socket& socket);

  // From now on the socket's id is stale and the place is nobody's, until it is
  // released.
  void Disown(Socket& socket);

  // nullptr when the id is stale or another shard's.
  Socket* Find(SocketId id);
  // By index, which is below index_count(); may be free.
  Socket& at(uint32_t index) {
    return chunks_[index / kChunk]->sockets[index % kChunk];
  }
  const Socket& at(uint32_t index) const {
    return chunks_[index / kChunk]->sockets[index % kChunk];
  }

  bool HasRoom() const { return size_ < max_sockets_; }
  // RESOURCE_EXHAUSTED at the limit.
  absl::Status CheckRoom() const;
  uint32_t size() const { return size_; }
  uint32_t index_count() const {
    return static_cast<uint32_t>(chunks_.size()) * kChunk;
  }

 private:
  static constexpr uint32_t kChunk = 64;
  struct Chunk {
    Socket sockets[kChunk];
  };

  static void Renew(uint32_t& generation);

  uint32_t max_sockets_;
  uint32_t shard_;
  uint32_t size_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<uint32_t> free_;
};

// The four-tuples of places that have one, for FlowSet.
struct TupleOfTcp {
  const SocketTable* sockets;
  const FourTuple& operator()(uint32_t index) const {
    return sockets->at(index).As<TcpSocket>()->tuple;
  }
};
struct TupleOfUdp {
  const SocketTable* sockets;
  FourTuple operator()(uint32_t index) const {
    const udp::Endpoint& endpoint =
        *sockets->at(index).As<UdpSocket>()->endpoint;
    return {endpoint.local(), *endpoint.remote()};
  }
};

}  // namespace tcpip

#endif  // TCPIP_STACK_SOCKET_TABLE_H_
