#include "service/unix_acceptor.h"

#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace netstack::service {
namespace {

absl::Status ErrnoStatus(int error, const std::string& doing) {
  const std::string text = absl::StrCat(doing, ": ", strerrorname_np(error));
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError(
        absl::StrCat(text,
                     "; run as a user that may write there, or choose "
                     "another place with --listen unix:///PATH"));
  }
  if (error == ENOENT || error == ENOTDIR) {
    return absl::UnavailableError(
        absl::StrCat(text,
                     "; make the folder above it, or choose another place with "
                     "--listen unix:///PATH"));
  }
  return absl::UnavailableError(text);
}

// Which file it is; 0 when there is none.
ino_t FileAt(const std::string& path) {
  struct stat file = {};
  return lstat(path.c_str(), &file) == 0 ? file.st_ino : 0;
}

absl::Status MakeDirectory(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return absl::OkStatus();
  const std::string directory = path.substr(0, slash);
  if (mkdir(directory.c_str(), 0750) == 0) {
    // Whatever the umask: members of the group must get to the socket.
    chmod(directory.c_str(), 0750);
    return absl::OkStatus();
  }
  if (errno == EEXIST) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("cannot make ", directory));
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// Anything but a plain refusal counts: a full backlog, or a socket of others.
bool SomebodyListens(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int result =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool refused = result != 0 && errno == ECONNREFUSED;
  close(fd);
  return !refused;
}

// Makes room for a socket at `path`; only a dead socket is removed.
absl::Status RemoveStale(const std::string& path) {
  struct stat file = {};
  if (lstat(path.c_str(), &file) != 0) return absl::OkStatus();  // bind tells
  if (!S_ISSOCK(file.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        " exists and is not a socket; choose another place with --listen "
        "unix:///PATH"));
  }
  if (SomebodyListens(AddressOf(path))) {
    return absl::UnavailableError(absl::StrCat(
        path,
        " is in use by a running daemon; stop it, or choose another "
        "place with --listen unix:///PATH"));
  }
  unlink(path.c_str());
  return absl::OkStatus();
}

bool IsMember(uid_t uid, gid_t primary, gid_t group) {
  passwd entry;
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr) {
    return false;
  }
  std::vector<gid_t> groups(256);
  int count = static_cast<int>(groups.size());
  if (getgrouplist(entry.pw_name, primary, groups.data(), &count) < 0) {
    return false;
  }
  return std::find(groups.begin(), groups.begin() + count, group) !=
         groups.begin() + count;
}

}  // namespace

bool MayConnect(const PeerCredentials& peer, uid_t daemon_uid, gid_t group) {
  return peer.uid == 0 || peer.uid == daemon_uid || peer.gid == group;
}

absl::StatusOr<std::unique_ptr<UnixAcceptor>> UnixAcceptor::Listen(
    const std::string& path) {
  if (path.empty() || path.size() >= sizeof sockaddr_un{}.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat("socket path '", path, "' must have 1 to ",
                     sizeof sockaddr_un{}.sun_path - 1, " bytes"));
  }
  absl::Status status = MakeDirectory(path);
  if (!status.ok()) return status;
  status = RemoveStale(path);
  if (!status.ok()) return status;
  const sockaddr_un address = AddressOf(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return ErrnoStatus(errno, "cannot make a Unix socket");
  const mode_t old_mask = umask(0117);
  const int bound =
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(old_mask);
  if (bound != 0 || listen(fd, 128) != 0) {
    const int why = bound != 0 ? error : errno;
    close(fd);
    return ErrnoStatus(why, absl::StrCat("cannot listen on ", path));
  }
  const int stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return std::unique_ptr<UnixAcceptor>(
      new UnixAcceptor(path, FileAt(path), fd, stop_fd));
}

void UnixAcceptor::Start(OnConnection on_connection) {
  on_connection_ = std::move(on_connection);
  thread_ = std::thread([this] { AcceptLoop(); });
}

void UnixAcceptor::Stop() {
  if (thread_.joinable()) {
    eventfd_write(stop_fd_, 1);
    thread_.join();
  }
  if (fd_ < 0) return;
  // A daemon started since may have put its own in this place.
  if (FileAt(path_) == file_) unlink(path_.c_str());
  close(std::exchange(fd_, -1));
  close(stop_fd_);
}

void UnixAcceptor::AcceptLoop() {
  for (;;) {
    pollfd fds[2] = {{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (fds[0].revents != 0) AcceptOne();
  }
}

void UnixAcceptor::AcceptOne() {
  const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    // Out of descriptors the connection stays queued: wait for one to close
    // rather than spin on a socket that is readable all the time.
    if (errno == EMFILE || errno == ENFILE) poll(nullptr, 0, 100);
    return;
  }
  ucred peer = {};
  socklen_t size = sizeof peer;
  struct stat file = {};
  const bool known =
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
      stat(path_.c_str(), &file) == 0;
  if (!known || !(MayConnect({peer.uid, peer.gid}, geteuid(), file.st_gid) ||
                  IsMember(peer.uid, peer.gid, file.st_gid))) {
    ++refused_;
    close(fd);
    return;
  }
  on_connection_(fd);
}

}  // namespace netstack::service
