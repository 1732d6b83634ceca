// SimHost: a stack with its memory, its users and a loopback, living in a
// Simulation. It does what a shard's loop does: packets in, timers at exactly
// NextDeadline(), events to applications, output to links; and after every
// step it checks what must always hold:
//
//   - the stack's own invariants;
//   - some timer is armed whenever the peer owes an answer or a handshake, a
//     close or a closed window is pending.
#ifndef TCPIP_TESTING_SIM_HOST_H_
#define TCPIP_TESTING_SIM_HOST_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/loopback.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/app.h"
#include "tcpip/testing/simulation.h"

namespace tcpip::sim {

class SimHost {
 public:
  using AppFactory = absl::AnyInvocable<std::unique_ptr<App>()>;
  // Takes what the stack has for an interface; true when it took something.
  using Pull = absl::AnyInvocable<bool()>;

  SimHost(Simulation& simulation, std::string name, const StackConfig& config);
  SimHost(const SimHost&) = delete;
  SimHost& operator=(const SimHost&) = delete;

  const std::string& name() const { return name_; }
  Stack& stack() { return stack_; }
  const SlabPool& pool() const { return pool_; }
  SlabPool& pool() { return pool_; }

  // Sockets with users. An App lives as long as the host; the references are
  // to the apps given. Failing to open the socket is a violation.
  template <typename T>
  T& Connect(const TcpConnectOptions& options, std::unique_ptr<T> app) {
    T& reference = *app;
    Open(options, std::move(app));
    return reference;
  }
  // Each accepted connection gets an app of its own.
  void Listen(const TcpListenOptions& options, AppFactory make_app);

  // Does something to the stack as a user, and what follows from it.
  void Act(absl::FunctionRef<void(Stack&, Instant)> action);

  // For links.
  InterfaceId AddInterface(const InterfaceConfig& config, Pull pull);
  void Receive(InterfaceId interface, Packet packet);
  // Steps users and links until nothing is left to do now.
  void Settle();

 private:
  struct Seat {
    std::unique_ptr<App> app;
    Instant wake = Instant::Never();  // the step already arranged
  };

  void Open(const TcpConnectOptions& options, std::unique_ptr<App> app);
  bool DispatchEvents();
  void AcceptAll(SocketId listener);
  void StepApp(SocketId socket);
  bool PullLoopback();
  void ArmTimer();
  void OnTimer();
  void CheckRules();
  bool OwesProgress() const;

  Simulation& simulation_;
  std::string name_;
  SlabPool pool_{0};  // blocks go back at once: sanitizers see stale uses
  SeededRng rng_;
  Stack stack_;
  Loopback loopback_;
  InterfaceId loopback_interface_ = 0;
  std::map<InterfaceId, Pull> links_;
  std::map<SocketId, AppFactory> listeners_;
  std::map<SocketId, Seat> seats_;
  std::vector<std::unique_ptr<App>> retired_;
  Instant timer_ = Instant::Never();  // the OnTimer already arranged
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_SIM_HOST_H_
