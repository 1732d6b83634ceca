// Any text as a packet script: the parser refuses it or makes events of it that
// are printed and parsed back as the same. Any text as code: the evaluator
// passes it, says why not, or says that it cannot tell.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "conformance/call.h"
#include "conformance/evaluator.h"
#include "conformance/packet_text.h"
#include "conformance/parser.h"
#include "conformance/script.h"

namespace conformance {
namespace {

void Check(bool condition, const char* what, std::string_view text) {
  if (condition) return;
  std::fprintf(stderr, "script_fuzz: %s\n%.*s\n", what,
               static_cast<int>(text.size()), text.data());
  std::abort();
}

struct ActionText {
  std::string operator()(const PacketSpec& packet) const {
    return ToText(packet);
  }
  std::string operator()(const CallSpec& call) const { return ToText(call); }
  std::string operator()(const CommandSpec& command) const {
    return "`" + command.text + "`";
  }
  std::string operator()(const CodeSpec& code) const {
    return "%{" + code.text + "}%";
  }
};

void FuzzCode(std::string_view code) {
  const InfoFields fields = {{"tcpi_snd_cwnd", 10},
                             {"tcpi_state", 1},
                             {"tcpi_options", 7},
                             {"tcpi_rtt", INT64_MAX}};
  Variables variables;
  const absl::StatusOr<CodeOutcome> outcome = Evaluate(code, fields, variables);
  Check(!outcome.ok() || outcome->passed == outcome->message.empty(),
        "a failure without words", code);
}

void FuzzScript(std::string_view text) {
  const Defines defines = {{"TFO_COOKIE", "3021b9d889017eeb"},
                           {"CODE", "host_unreachable"},
                           {"EMPTY", ""}};
  const absl::StatusOr<Script> script = ParseScript(text, "fuzz", defines);
  if (!script.ok()) {
    Check(!script.status().message().empty(), "an error without words", text);
    return;
  }
  std::string printed;
  for (const Event& event : script->events) {
    printed += ToText(event.when) + " ";
    printed += std::visit(ActionText(), event.action) + "\n";
  }
  const absl::StatusOr<Script> again = ParseScript(printed, "printed");
  Check(again.ok() && again->events.size() == script->events.size(),
        "what was printed does not parse", printed);
  for (size_t i = 0; i < script->events.size(); ++i) {
    Check(again->events[i].when == script->events[i].when &&
              again->events[i].action == script->events[i].action,
          "an event does not come back", printed);
    const auto* code = std::get_if<CodeSpec>(&script->events[i].action);
    if (code) FuzzCode(code->text);
  }
}

}  // namespace
}  // namespace conformance

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  conformance::FuzzScript(text);
  conformance::FuzzCode(text);
  return 0;
}
