// pkt: runs packet scripts. docs/conformance.md tells how to write them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "conformance/command_line.h"
#include "conformance/kernel_host.h"
#include "conformance/kernel_network.h"
#include "conformance/outcome.h"
#include "conformance/report.h"
#include "conformance/stack_host.h"
#include "conformance/suite.h"

namespace conformance {
namespace {

constexpr int kFailed = 1;
constexpr int kCannotBegin = 2;

int Refuse(const std::string& why) {
  std::fprintf(stderr, "pkt: %s\n", why.c_str());
  return kCannotBegin;
}

// "" when there was nothing to write, or it has been.
std::string Write(const std::string& path, const std::string& text) {
  if (path.empty()) return "";
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? "" : path + " cannot be written";
}

int Main(const std::vector<std::string>& args) {
  const int cores =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto line = ParseCommandLine(args, cores);
  if (!line.ok()) return Refuse(std::string(line.status().message()));
  if (line->help) {
    std::fputs(Usage().c_str(), stdout);
    return 0;
  }
  const auto files = FindScripts(line->paths);
  if (!files.ok()) return Refuse(std::string(files.status().message()));
  if (files->empty()) return Refuse("there is no .pkt file in these folders");

  const bool kernel = line->suite.backend == Backend::kKernel;
  if (absl::Status may = kernel ? MayEnterNetworks() : absl::OkStatus();
      !may.ok()) {
    return Refuse(std::string(may.message()));
  }

  const auto start = std::chrono::steady_clock::now();
  const std::vector<ScriptResult> results = RunSuite(
      *files, line->suite, kernel ? KernelHost::Make : StackHost::Make);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;

  for (const ScriptResult& result : results) {
    std::fputs(LinesFor(result).c_str(), stdout);
  }
  std::printf("%s\n", Summary(results, took.count()).c_str());
  for (const std::string& error : {Write(line->junit, JUnitXml(results)),
                                   Write(line->json, Json(results))}) {
    if (!error.empty()) return Refuse(error);
  }
  const bool good = std::all_of(results.begin(), results.end(),
                                [](const ScriptResult& result) {
                                  return IsGood(result.outcome.verdict);
                                });
  return good ? 0 : kFailed;
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  return conformance::Main(std::vector<std::string>(argv + 1, argv + argc));
}
