// ClaimDesk: Claims for the threads of the service, with a clock. A thread of
// its own resets connections that nobody claimed in time.
#ifndef SERVICE_CLAIM_DESK_H_
#define SERVICE_CLAIM_DESK_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

  uint64_t NewListener();
  std::string Issue(uint64_t listener, const Claimed& claimed);
  std::optional<Claimed> Redeem(const std::string& token);
  // Resets the connections of a Listen call that nobody claimed.
  void Revoke(uint64_t listener);

  tcpip::Duration lifetime() const { return lifetime_; }

 private:
  void ExpireLoop();
  void Reset(const std::vector<Claimed>& unclaimed);

  ShardClient& shard_;
  const tcpip::Duration lifetime_;
  std::mutex mutex_;
  std::condition_variable changed_;
  tcpip::HostRng rng_;          // guarded by mutex_
  Claims claims_;               // guarded by mutex_
  uint64_t last_listener_ = 0;  // guarded by mutex_
  bool stopping_ = false;       // guarded by mutex_
  std::thread expirer_;
};

}  // namespace netstack::service

#endif  // SERVICE_CLAIM_DESK_H_
