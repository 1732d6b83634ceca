// ClaimDesk: Claims for the threads of the service, with a clock. A thread of
// its own resets connections that nobody claimed in time, and counts them.
#ifndef SERVICE_CLAIM_DESK_H_
#define SERVICE_CLAIM_DESK_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "service/claims.h"
#include "service/shard_client.h"
#include "tcpip/base/time.h"
#include "tcpip/shard/host.h"

namespace netstack::service {

class ClaimDesk {
 public:
  // `shard` outlives this.
  ClaimDesk(ShardClient& shard, tcpip::Duration lifetime);
  ~ClaimDesk();  // resets what is unclaimed
  ClaimDesk(const ClaimDesk&) = delete;
  ClaimDesk& operator=(const ClaimDesk&) = delete;

  // `on_gone` runs each time a connection of this Listen call was claimed or
  // has expired, until Revoke; on any thread, and without a lock of the desk's.
  uint64_t NewListener(std::function<void()> on_gone);
  std::string Issue(const Claimed& claimed);
  std::optional<Claimed> Redeem(const std::string& token);
  // Ends a Listen call: resets its connections that nobody claimed.
  void Revoke(uint64_t listener);

  tcpip::Duration lifetime() const { return lifetime_; }
  uint64_t expired() const;

 private:
  void ExpireLoop();
  void Reset(const std::vector<Claimed>& unclaimed);
  void TellGone(uint64_t listener);

  ShardClient& shard_;
  const tcpip::Duration lifetime_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  tcpip::HostRng rng_;          // guarded by mutex_
  Claims claims_;               // guarded by mutex_
  uint64_t last_listener_ = 0;  // guarded by mutex_
  absl::flat_hash_map<uint64_t, std::function<void()>>
      on_gone_;            // guarded by mutex_
  uint64_t expired_ = 0;   // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread expirer_;
};

}  // namespace netstack::service

#endif  // SERVICE_CLAIM_DESK_H_
