#include "tools/sim/command_line.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "emulator/path_spec.h"
#include "tcpip/base/time.h"
#include "tools/sim/flags.h"

namespace tcpip::sim {
namespace {

// The values of flags as they were written, given or usual.
using Texts = std::map<std::string_view, std::string>;
using Given = std::set<const Flag*>;

const Flag* FindFlag(std::string_view name) {
  for (const Flag& flag : Flags()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

absl::Status Apply(const Flag& flag, const std::string& value, Draft& draft,
                   Texts& texts) {
  if (!flag.set(draft, value)) {
    if (!draft.why.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(flag.name), ": ", draft.why));
    }
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(flag.name), " is ", std::string(flag.values),
                     ", not \"", value, "\""));
  }
  texts[flag.name] = value;
  return absl::OkStatus();
}

absl::Status ApplyUsual(Draft& draft, Texts& texts) {
  for (const Flag& flag : Flags()) {
    if (flag.usual.empty()) continue;
    absl::Status status = Apply(flag, std::string(flag.usual), draft, texts);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Flags that mean nothing beside the others would be believed to have meant
// something.
absl::Status CheckTogether(const Given& given, const Draft& draft,
                           Texts& texts) {
  const auto is_given = [&given](std::string_view name) {
    return given.contains(FindFlag(name));
  };
  for (const Flag* flag : given) {
    const std::string_view needs = flag->needs;
    const size_t blank = std::min(needs.find(' '), needs.size());
    const std::string_view name = needs.substr(0, blank);
    const bool has_it = blank == needs.size()
                            ? needs.empty() || is_given(name)
                            : texts[name] == needs.substr(blank + 1);
    if (!has_it) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(flag->name),
                                                     " means nothing without ",
                                                     std::string(needs)));
    }
    if (flag->about == About::kPath && draft.there && draft.back) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(flag->name), " means nothing beside --there and --back"));
    }
  }
  const struct {
    std::string_view flag;
    bool is_idle;
    std::string_view why;
  } cases[] = {
      {"--ack-loss", draft.back.has_value(), "beside --back"},
      {"--queue", draft.path.rate.IsZero(), "without a --rate"},
      {"--reorder", draft.path.jitter == Duration::Zero(), "without --jitter"},
  };
  for (const auto& c : cases) {
    if (!is_given(c.flag) || !c.is_idle) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        std::string(c.flag), " means nothing ", std::string(c.why)));
  }
  return absl::OkStatus();
}

// As --there and --back take it; not empty.
std::string WayText(const emulator::PathConfig& way) {
  const std::string words = emulator::ToText(way);
  return words.empty() ? "as it is" : words;
}

// As a shell wants it.
std::string Quoted(const std::string& value) {
  return value.find(' ') == std::string::npos ? value
                                              : absl::StrCat("\"", value, "\"");
}

// As --queue takes it.
std::string SizeText(uint32_t bytes) {
  return bytes % 1000 == 0 ? absl::StrCat(bytes / 1000, "KB")
                           : absl::StrCat(bytes, "B");
}

std::string TaskText(const Draft& draft, Texts& texts) {
  std::string it = absl::StrCat(texts["--app"], " of ", texts["--bytes"]);
  switch (draft.scenario.app) {
    case AppKind::kRequest:
      absl::StrAppend(&it, " in turns of ", texts["--turn"]);
      break;
    case AppKind::kSlowReader:
      absl::StrAppend(&it, ", ", texts["--read"]);
      break;
    case AppKind::kOnOff:
      absl::StrAppend(&it, ", ", texts["--burst"]);
      break;
    case AppKind::kBulk:
    case AppKind::kEcho:
      break;
  }
  return it;
}

std::string HostsText(const Draft& draft, Texts& texts) {
  return absl::StrCat(
      "; MSS ", draft.mss, ", ", texts["--congestion"],
      draft.scenario.stack.tcp.ecn == tcp::EcnMode::kActive ? ", ECN" : "",
      draft.scenario.link.offload ? ", offload" : "");
}

std::string PathText(const Draft& draft, const Scenario& scenario,
                     Texts& texts) {
  if (draft.there || draft.back) {
    return absl::StrCat("there: ", WayText(scenario.link.there),
                        "; back: ", WayText(scenario.link.back),
                        HostsText(draft, texts));
  }
  const emulator::PathConfig& path = scenario.link.there;
  std::string it = absl::StrCat(
      path.rate.IsZero() ? "any rate" : texts["--rate"], ", RTT ",
      texts["--rtt"], ", loss ", texts["--loss"],
      draft.ack_loss ? absl::StrCat(" there and ", texts["--ack-loss"], " back")
                     : " each way");
  if (path.jitter > Duration::Zero()) {
    absl::StrAppend(&it, ", jitter ", texts["--jitter"],
                    path.reorder ? " that reorders" : "");
  }
  if (path.hold > 0) absl::StrAppend(&it, ", hold ", texts["--hold"]);
  if (path.duplicate > 0) {
    absl::StrAppend(&it, ", duplicate ", texts["--duplicate"]);
  }
  if (!path.rate.IsZero()) {
    absl::StrAppend(
        &it, ", queue ",
        draft.usual_queue ? SizeText(path.queue_bytes) : texts["--queue"]);
  }
  return it + HostsText(draft, texts);
}

CommandLine Finish(const Draft& draft, Texts& texts) {
  const Scenario scenario = ScenarioOf(draft);
  return {.scenario = scenario,
          .first_seed = draft.first_seed,
          .seeds = draft.seeds,
          .jobs = draft.jobs,
          .plot = draft.plot,
          .verbose = draft.verbose,
          .help = draft.help,
          .scenario_flags = "",
          .task = TaskText(draft, texts),
          .path = PathText(draft, scenario, texts)};
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(std::span<const std::string> args,
                                             uint32_t cores) {
  Draft draft;
  draft.jobs = cores;
  Texts texts;
  absl::Status usual = ApplyUsual(draft, texts);
  if (!usual.ok()) return usual;
  std::string scenario_flags;
  Given given;
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t equals = args[i].find('=');
    const std::string name = args[i].substr(0, equals);
    const Flag* flag = FindFlag(name);
    if (flag == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no flag ", name, "; --help lists them"));
    }
    const bool takes_value = !flag->values.empty();
    std::string value;
    if (equals != std::string::npos) {
      if (!takes_value) {
        return absl::InvalidArgumentError(name + " takes no value");
      }
      value = args[i].substr(equals + 1);
    } else if (takes_value && i + 1 < args.size()) {
      value = args[++i];
    }
    absl::Status status = Apply(*flag, value, draft, texts);
    if (!status.ok()) return status;
    given.insert(flag);
    if (flag->about != About::kRuns) {
      absl::StrAppend(&scenario_flags, name, value.empty() ? "" : " ",
                      Quoted(value), " ");
    }
  }
  absl::Status together = CheckTogether(given, draft, texts);
  if (!together.ok()) return together;
  CommandLine line = Finish(draft, texts);
  line.scenario_flags = std::move(scenario_flags);
  return line;
}

std::string Usage() {
  std::string text =
      "sim [FLAGS]\n\n"
      "Runs two hosts of this stack over a path, in virtual time, once for "
      "each\n"
      "seed, and prints what came of it. The same flags and seed always give\n"
      "the same packets. Exits with 0 when all runs succeeded, 1 when one\n"
      "failed, 2 when it could not begin.\n\n";
  for (const Flag& flag : Flags()) {
    absl::StrAppendFormat(
        &text, "  %s %s\n      %s%s%s\n", std::string(flag.name),
        std::string(flag.values), std::string(flag.help),
        flag.needs.empty() ? ""
                           : absl::StrCat(", with ", std::string(flag.needs)),
        flag.usual.empty()
            ? ""
            : absl::StrCat("; ", std::string(flag.usual), " unless given"));
  }
  return text;
}

}  // namespace tcpip::sim
