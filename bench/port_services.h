// Three services inside a shard, for benchmarks and tests of the packet path:
//
//   7007 echo     sends back what it gets; EOF is answered by EOF
//   7009 discard  reads; EOF is answered by EOF
//   7019 source   the client sends 8 bytes, a big-endian N; the server sends N
//                 bytes of the pattern and EOF (0: until the client goes)
//
// The pattern repeats after a prime number of bytes, so that bytes out of place
// show. It exists once: every source shares the same block by reference.
#ifndef BENCH_PORT_SERVICES_H_
#define BENCH_PORT_SERVICES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "bench/ports.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/shard/shard_config.h"
#include "tcpip/stack/stack.h"
#include "tcpip/wire/address.h"

namespace bench {

// The pattern's period and its byte at a position of the stream.
inline constexpr uint64_t kPatternPeriod = 65521;
constexpr uint8_t PatternByte(uint64_t position) {
  const uint64_t i = position % kPatternPeriod;
  return static_cast<uint8_t>(i ^ (i >> 8));
}

class PortServices final : public tcpip::ShardApp {
 public:
  // Adds `addresses` to the shard's first interface. `on_started` is called on
  // the shard's thread when the ports listen, or with what went wrong.
  PortServices(std::vector<tcpip::Cidr> addresses,
               std::function<void(absl::Status)> on_started);
  ~PortServices() override;

  void OnStart(tcpip::Stack& stack, tcpip::Instant now) override;
  void OnReady(tcpip::Stack& stack, const tcpip::ReadyEvent& event,
               tcpip::Instant now) override;

 private:
  enum class Service : uint8_t { kEcho, kDiscard, kSource };
  // What a connection is in the middle of; an idle one has none.
  struct Transfer {
    tcpip::ViewChain unsent;   // echo
    size_t request_bytes = 0;  // source: of the 8 that were read
    uint64_t request = 0;
    uint64_t sent = 0;
  };
  struct Connection {
    Service service;
    std::unique_ptr<Transfer> transfer;
  };
  // What a service has to say of its connection after it was served.
  enum class Verdict : uint8_t { kGoOn, kFinish, kAbort };

  absl::Status Start(tcpip::Stack& stack);
  void Accept(tcpip::Stack& stack, tcpip::SocketId listener, Service service,
              tcpip::Instant now);
  void Serve(tcpip::Stack& stack, tcpip::SocketId socket, tcpip::Instant now);
  Verdict Echo(tcpip::Stack& stack, tcpip::SocketId socket,
               Connection& connection, tcpip::Instant now);
  Verdict Discard(tcpip::Stack& stack, tcpip::SocketId socket,
                  tcpip::Instant now);
  Verdict Source(tcpip::Stack& stack, tcpip::SocketId socket,
                 Connection& connection, tcpip::Instant now);
  Verdict SendPattern(tcpip::Stack& stack, tcpip::SocketId socket,
                      Transfer& transfer, tcpip::Instant now);
  tcpip::ViewChain Pattern(uint64_t position, uint64_t size) const;

  std::vector<tcpip::Cidr> addresses_;
  std::function<void(absl::Status)> on_started_;
  tcpip::SlabPool pool_;
  tcpip::View pattern_;
  absl::flat_hash_map<tcpip::SocketId, Service> listeners_;
  absl::flat_hash_map<tcpip::SocketId, Connection> connections_;
};

}  // namespace bench

#endif  // BENCH_PORT_SERVICES_H_
