// Claims: connections handed from Listen to Stream by an unguessable token,
// good once and for a limited time. design: nothing rests on "the client's
// connection", since gRPC does not tell clients of one socket apart.
//
// Pure: time and randomness come in. The owner resets what Expire returns.
// Not thread-safe.
#ifndef SERVICE_CLAIMS_H_
#define SERVICE_CLAIMS_H_

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/shard/command.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/wire/address.h"

namespace netstack::service {

struct Claimed {
  tcpip::SocketId socket;
  tcpip::FourTuple tuple;
  tcpip::tcp::SocketSettings settings;  // the listener's
};

class Claims {
 public:
  static constexpr size_t kTokenBytes = 16;

  // `rng` must be fit for secrets and outlives this.
  Claims(tcpip::Rng& rng, tcpip::Duration lifetime)
      : rng_(rng), lifetime_(lifetime) {}

  // `listener` groups the claims of one Listen call.
  std::string Issue(uint64_t listener, const Claimed& claimed,
                    tcpip::Instant now);

  // nullopt: never issued, used, or too old; nobody can tell which.
  std::optional<Claimed> Redeem(const std::string& token, tcpip::Instant now);

  // Removes and returns what nobody claimed in time.
  std::vector<Claimed> Expire(tcpip::Instant now);
  // Removes and returns what a Listen call leaves behind.
  std::vector<Claimed> Revoke(uint64_t listener);

  tcpip::Instant NextDeadline() const;
  size_t size() const { return by_token_.size(); }

 private:
  struct Entry {
    std::string token;
    uint64_t listener;
    Claimed claimed;
    tcpip::Instant deadline;
  };
  tcpip::Rng& rng_;
  tcpip::Duration lifetime_;
  std::list<Entry> in_order_;  // of issue, and so of deadline
  absl::flat_hash_map<std::string, std::list<Entry>::iterator> by_token_;
};

}  // namespace netstack::service

#endif  // SERVICE_CLAIMS_H_
