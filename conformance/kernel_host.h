// KernelHost: the kernel of this machine as a host under test: a namespace with
// a TUN device for each script, real sockets, real time. The oracle.
//
// Three threads: the runner's; one that reads the device, so that packets have
// the times at which they came; one that makes the calls, which may block.
#ifndef CONFORMANCE_KERNEL_HOST_H_
#define CONFORMANCE_KERNEL_HOST_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/host.h"
#include "conformance/host_config.h"
#include "tcpip/base/time.h"

namespace conformance {

class KernelHost final : public Host {
 public:
  // The calling thread stays in the script's namespace; see kernel_network.h
  // for errors.
  static absl::StatusOr<std::unique_ptr<Host>> Make(const HostConfig& config);
  ~KernelHost() override;

  tcpip::Duration now() const override;
  void AdvanceTo(tcpip::Duration when) override;
  void Inject(tcpip::ByteSpan packet) override;
  std::optional<SentPacket> NextPacket(tcpip::Duration until) override;
  CallId StartCall(const Call& call) override;
  std::optional<Finished> FinishCall(CallId id, tcpip::Duration until) override;
  std::vector<std::string> TcpStates() override;
  void DropConnections() override;

 private:
  explicit KernelHost(int tun);
  void ReadDevice();
  void MakeCalls();
  // Waits until `done`, or until that time.
  template <typename Done>
  bool WaitUntil(std::unique_lock<std::mutex>& lock, tcpip::Duration until,
                 Done done);

  int tun_;
  int stop_event_;  // readable once the reader should end
  int64_t start_ns_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  CallId last_id_ = 0;
  std::deque<SentPacket> sent_;
  std::deque<std::pair<CallId, Call>> to_make_;
  std::map<CallId, Finished> finished_;
  std::vector<int> descriptors_;  // that calls returned, still to close

  std::thread reader_;
  std::thread caller_;
};

}  // namespace conformance

#endif  // CONFORMANCE_KERNEL_HOST_H_
