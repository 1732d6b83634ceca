// UnixAcceptor: the daemon's Unix socket. Accepts connections itself, asks the
// kernel who is at the other end (SO_PEERCRED) and hands the descriptor on only
// for those who may: root, the daemon's own user, and members of the socket's
// group. gRPC's own listener cannot ask.
#ifndef SERVICE_UNIX_ACCEPTOR_H_
#define SERVICE_UNIX_ACCEPTOR_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace netstack::service {

// Who the kernel says connected.
struct PeerCredentials {
  uid_t uid;
  gid_t gid;
};

// Whether that is enough to know: root, the daemon's user, or somebody whose
// primary group is `group`, which owns the socket. Others may still be members.
bool MayConnect(const PeerCredentials& peer, uid_t daemon_uid, gid_t group);

class UnixAcceptor {
 public:
  // Takes over the descriptor of a connection.
  using OnConnection = absl::AnyInvocable<void(int fd)>;

  // Makes the directory (0750) and the socket (0660). A socket file that nobody
  // listens on is replaced; UNAVAILABLE when a daemon answers on it.
  static absl::StatusOr<std::unique_ptr<UnixAcceptor>> Listen(
      const std::string& path);
  ~UnixAcceptor() { Stop(); }
  UnixAcceptor(const UnixAcceptor&) = delete;
  UnixAcceptor& operator=(const UnixAcceptor&) = delete;

  // `on_connection` runs on the acceptor's thread.
  void Start(OnConnection on_connection);
  // Takes no more connections and removes the socket file, so that a client
  // hears at once that nobody listens.
  void Stop();

  const std::string& path() const { return path_; }
  uint64_t refused() const { return refused_; }

 private:
  UnixAcceptor(std::string path, ino_t file, int fd, int stop_fd)
      : path_(std::move(path)), file_(file), fd_(fd), stop_fd_(stop_fd) {}
  void AcceptLoop();
  void AcceptOne();

  const std::string path_;
  const ino_t file_;   // ours at `path`
  int fd_;             // -1 once stopped
  const int stop_fd_;  // eventfd
  OnConnection on_connection_;
  std::atomic<uint64_t> refused_ = 0;
  std::thread thread_;
};

}  // namespace netstack::service

#endif  // SERVICE_UNIX_ACCEPTOR_H_
