// StackHost: our stack as a host under test, fresh for each script, in virtual
// time. Time jumps from one deadline to the next; packets arrive over a link
// that can neither cut nor compute, so that what is seen is what a wire would
// carry.
#ifndef CONFORMANCE_STACK_HOST_H_
#define CONFORMANCE_STACK_HOST_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/host.h"
#include "conformance/host_config.h"
#include "conformance/posix_sockets.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/routes.h"
#include "tcpip/stack/stack.h"

namespace conformance {

class StackHost final : public Host {
 public:
  // INVALID_ARGUMENT when the stack cannot have such addresses or such a link.
  static absl::StatusOr<std::unique_ptr<Host>> Make(const HostConfig& config);

  tcpip::Duration now() const override { return now_ - kStart; }
  void AdvanceTo(tcpip::Duration when) override;
  void Inject(tcpip::ByteSpan packet) override;
  std::optional<SentPacket> NextPacket(tcpip::Duration until) override;
  CallId StartCall(const Call& call) override;
  std::optional<Finished> FinishCall(CallId id, tcpip::Duration until) override;
  std::vector<std::string> TcpStates() override;
  void DropConnections() override;

 private:
  // Not zero, as a clock never is.
  static constexpr tcpip::Instant kStart =
      tcpip::Instant::FromNanoseconds(1'000'000'000);

  explicit StackHost(const HostConfig& config);
  absl::Status Configure(const HostConfig& config);
  // What follows from what was just done, now.
  void Settle();
  // Lets time pass to the next deadline; false when that is after `until`.
  bool StepTo(tcpip::Instant until);

  tcpip::Instant now_ = kStart;
  tcpip::SlabPool pool_;
  tcpip::SeededRng rng_;
  tcpip::Stack stack_;
  PosixSockets sockets_;
  tcpip::InterfaceId link_ = 0;
  tcpip::PacketBatch batch_;
  std::deque<SentPacket> sent_;
};

}  // namespace conformance

#endif  // CONFORMANCE_STACK_HOST_H_
