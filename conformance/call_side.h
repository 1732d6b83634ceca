// CallSide: the calls of a script and what it asks of the socket under test.
// One call may block at a time, as in the program that a script stands for.
#ifndef CONFORMANCE_CALL_SIDE_H_
#define CONFORMANCE_CALL_SIDE_H_

#include <optional>
#include <string>

#include "conformance/call_binding.h"
#include "conformance/evaluator.h"
#include "conformance/flow_book.h"
#include "conformance/host.h"
#include "conformance/journal.h"
#include "conformance/outcome.h"
#include "conformance/script.h"
#include "conformance/shell_text.h"
#include "tcpip/base/time.h"

namespace conformance {

// When a call has to return; at once if it does not say.
struct CallTime {
  std::optional<tcpip::Duration> returns;
  tcpip::Duration slack;
};

class CallSide {
 public:
  // All outlive it.
  CallSide(Host& host, FlowBook& flows, Journal& journal,
           const Ellipses& ellipses);

  // After FinishPending().
  Ended OnCall(const CallSpec& call, int line, const CallTime& time);
  // %{ }%, about the socket under test as it is now.
  Ended OnCode(const std::string& code);
  // A command while the host runs: its settings are fixed by then.
  Ended OnShell(const ShellText& shell);
  // Waits for the call that blocks, if one does.
  Ended FinishPending();

 private:
  struct Pending {
    CallSpec spec;
    Call call;
    Host::CallId id;
    CallTime time;
    int line;
  };

  // Waits for the call and judges when it came back and with what.
  Ended Finish(const Pending& made);
  Ended Judge(const Pending& made, const Host::Finished& finished);
  // Tells the flow book what the call did.
  void Note(const Call& call, const CallResult& result);
  absl::StatusOr<InfoFields> Info();

  Host& host_;
  FlowBook& flows_;
  Journal& journal_;
  Ellipses ellipses_;
  Labels labels_;
  Variables variables_;
  std::optional<int> under_test_;  // descriptor
  std::optional<Pending> pending_;
};

}  // namespace conformance

#endif  // CONFORMANCE_CALL_SIDE_H_
