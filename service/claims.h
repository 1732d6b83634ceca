// Claims: connections handed from Listen to Stream by an unguessable token,
// good once and for a limited time. design: nothing rests on "the client's
// connection", since gRPC does not tell clients of one socket apart.
//
// Time runs from the issue, and anew from each claim for what the same Listen
// call reported after the one claimed: nobody can tell when a message was read,
// but a client that claims one by one, however slowly, has just come to the
// next. So only a client that stands still for a lifetime loses connections.
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
  uint64_t listener = 0;                // which Listen call reported it
};

class Claims {
 public:
  static constexpr size_t kTokenBytes = 16;

  // `rng` must be fit for secrets and outlives this.
  Claims(tcpip::Rng& rng, tcpip::Duration lifetime)
      : rng_(rng), lifetime_(lifetime) {}

  std::string Issue(const Claimed& claimed, tcpip::Instant now);

  // nullopt: never issued, used, or too old; nobody can tell which.
  std::optional<Claimed> Redeem(const std::string& token, tcpip::Instant now);

  // Removes and returns what nobody claimed in time.
  std::vector<Claimed> Expire(tcpip::Instant now);
  // Removes and returns what a Listen call leaves behind.
  std::vector<Claimed> Revoke(uint64_t listener);

  // O(listeners with unclaimed connections), as Expire.
  tcpip::Instant NextDeadline() const;
  size_t size() const { return by_token_.size(); }

 private:
  struct Entry {
    std::string token;
    Claimed claimed;
    tcpip::Instant deadline;
  };
  using Entries = std::list<Entry>;  // in order of issue, and so of deadline

  tcpip::Rng& rng_;
  tcpip::Duration lifetime_;
  absl::flat_hash_map<uint64_t, Entries> by_listener_;  // none is empty
  absl::flat_hash_map<std::string, Entries::iterator> by_token_;
};

}  // namespace netstack::service

#endif  // SERVICE_CLAIMS_H_
