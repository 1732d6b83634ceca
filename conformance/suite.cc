#include "conformance/suite.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/directives.h"

namespace conformance {
namespace {

std::optional<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// `why` is "PATH:LINE: ...", as the parser says it.
Outcome Unparsed(const std::string& path, const absl::Status& why) {
  absl::string_view text = why.message();
  Outcome outcome = *Fail(std::string(text));
  if (!absl::ConsumePrefix(&text, absl::StrCat(path, ":"))) return outcome;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(": ", 1));
  if (absl::SimpleAtoi(parts.first, &outcome.line)) {
    outcome.message = std::string(parts.second);
  }
  return outcome;
}

// What a script says of itself decides what its end means.
Outcome Weigh(Outcome outcome, const Directives& directives) {
  if (directives.expected_fail.empty()) return outcome;
  if (outcome.verdict == Verdict::kFail) {
    outcome.verdict = Verdict::kExpectedFail;
    outcome.message =
        absl::StrCat(directives.expected_fail, " (", outcome.message, ")");
  } else if (outcome.verdict == Verdict::kPass) {
    outcome.verdict = Verdict::kUnexpectedPass;
    outcome.message = absl::StrCat("passes, but says that it cannot: ",
                                   directives.expected_fail);
  }
  return outcome;
}

Outcome RunText(const std::string& text, const std::string& path,
                const SuiteOptions& options,
                const SharedHostFactory& make_host) {
  const absl::StatusOr<Directives> directives = ReadDirectives(text);
  if (!directives.ok()) {
    return *Fail(std::string(directives.status().message()));
  }
  if (options.backend == Backend::kKernel &&
      !directives->not_on_kernel.empty()) {
    return *SkipOrFail(SkipReason::kBackend,
                       absl::UnimplementedError(directives->not_on_kernel));
  }
  if (directives->only && *directives->only != options.run.host.ip) {
    return *SkipOrFail(SkipReason::kIpMode,
                       absl::UnimplementedError(absl::StrCat(
                           "only for ", IpModeName(*directives->only))));
  }
  const Profile profile = options.profile.value_or(
      directives->profile.value_or(Profile::kNetstack));
  // What "#ifdef FreeBSD" asks about.
  const char* platform = profile == Profile::kFreebsd ? "freebsd" : "linux";
  const absl::StatusOr<Script> script =
      ParseScript(text, path, options.defines, platform);
  if (!script.ok()) return Unparsed(path, script.status());
  RunOptions run = options.run;
  SetProfile(profile, run.host);
  Outcome outcome;
  // In real time a busy machine spoils a run now and then, and then again.
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    outcome = Run(*script, run, [&make_host](const HostConfig& config) {
      return make_host(config);
    });
    if (options.backend == Backend::kStack || !outcome.was_late) break;
  }
  return Weigh(outcome, *directives);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindScripts(
    const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error) && !error) {
      files.push_back(path);  // a pipe will do
      continue;
    }
    for (fs::recursive_directory_iterator entry(path, error), end;
         !error && entry != end; entry.increment(error)) {
      std::error_code unknown;  // a link to nowhere is no script
      if (entry->is_regular_file(unknown) &&
          entry->path().extension() == ".pkt") {
        files.push_back(entry->path().string());
      }
    }
    if (error) {
      return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

ScriptResult RunFile(const std::string& path, const SuiteOptions& options,
                     const SharedHostFactory& make_host) {
  const auto start = std::chrono::steady_clock::now();
  ScriptResult result;
  result.path = path;
  const std::optional<std::string> text = ReadText(path);
  result.outcome = text ? RunText(*text, path, options, make_host)
                        : *Fail("the file cannot be read");
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

std::vector<ScriptResult> RunSuite(const std::vector<std::string>& files,
                                   const SuiteOptions& options,
                                   const SharedHostFactory& make_host) {
  std::vector<ScriptResult> results(files.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      results[i] = RunFile(files[i], options, make_host);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace conformance
