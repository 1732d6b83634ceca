// ListReactor: one ListConnections call. Pages through the shard's sockets, one
// page in memory, the next asked for when the client has read the last.
#ifndef SERVICE_LIST_REACTOR_H_
#define SERVICE_LIST_REACTOR_H_

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "service/netstack.pb.h"
#include "service/shard_client.h"

namespace netstack::service {

class ListReactor final : public grpc::ServerWriteReactor<v1::Connection>,
                          public std::enable_shared_from_this<ListReactor> {
 public:
  // `shard` outlives the call.
  static ListReactor* Start(ShardClient& shard,
                            const v1::ListConnectionsRequest& request);

 private:
  ListReactor(ShardClient& shard, const v1::ListConnectionsRequest& request)
      : shard_(shard),
        with_info_(request.with_info()),
        left_(request.limit() == 0 ? UINT32_MAX : request.limit()) {}

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void OnPage(tcpip::Reply reply);

  // All with mutex_ held.
  void Ask();
  void Continue();
  void End(const grpc::Status& why);

  ShardClient& shard_;
  const bool with_info_;
  std::mutex mutex_;
  uint32_t left_;        // connections the client still wants
  uint32_t cursor_ = 0;  // of the next page; 0 = this is the last
  std::vector<v1::Connection> page_;
  size_t next_ = 0;  // in page_
  bool ended_ = false;
  std::shared_ptr<ListReactor> self_;  // until OnDone
};

}  // namespace netstack::service

#endif  // SERVICE_LIST_REACTOR_H_
