// sim: two hosts of this stack over a path, in virtual time, for many seeds.
// docs/simulation.md tells what it prints.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tcpip/testing/run_report.h"
#include "tcpip/testing/scenario.h"
#include "tcpip/testing/virtual_clock.h"
#include "tools/sim/command_line.h"
#include "tools/sim/flow_chart.h"
#include "tools/sim/report_text.h"
#include "tools/sim/svg_chart.h"
#include "tools/sim/sweep.h"

namespace tcpip::sim {
namespace {

constexpr int kFailed = 1;
constexpr int kCannotBegin = 2;

int Refuse(const std::string& why) {
  std::fprintf(stderr, "sim: %s\n", why.c_str());
  return kCannotBegin;
}

// Relative to where the user stands: bazel runs programs elsewhere.
std::string FromUser(const std::string& path) {
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr || path.starts_with("/")) return path;
  return absl::StrCat(folder, "/", path);
}

// False when the file cannot be written.
bool Draw(const CommandLine& line) {
  std::vector<FlowEvent> events;
  const RunReport report = RunScenario(line.scenario, line.first_seed, &events);
  const Chart chart = FlowChart(
      events, VirtualClock::kStart, report.took,
      absl::StrCat(line.task, report.succeeded() ? " in " : " failed after ",
                   TimeText(report)),
      absl::StrCat(line.path, "; seed ", report.seed));
  std::ofstream file(FromUser(line.plot), std::ios::binary);
  file << ToSvg(chart);
  file.close();
  return static_cast<bool>(file);
}

void Print(const CommandLine& line, const std::vector<RunReport>& reports,
           double seconds) {
  std::printf("%s over %s\n%s, in %.1f s\n\n", line.task.c_str(),
              line.path.c_str(), Completion(reports).c_str(), seconds);
  if (line.verbose) std::printf("%s\n", RunLines(reports).c_str());
  std::printf("%s", SpreadTable(reports).c_str());
  const std::string worst = WorstRun(reports, line.scenario_flags);
  std::printf("%s%s", worst.empty() ? "" : "\n", worst.c_str());
}

int Main(const std::vector<std::string>& args) {
  const auto line =
      ParseCommandLine(args, std::max(1u, std::thread::hardware_concurrency()));
  if (!line.ok()) return Refuse(std::string(line.status().message()));
  if (line->help) {
    std::fputs(Usage().c_str(), stdout);
    return 0;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<RunReport> reports =
      RunSeeds(line->scenario, line->first_seed, line->seeds, line->jobs);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  Print(*line, reports, took.count());
  if (!line->plot.empty() && !Draw(*line)) {
    return Refuse(absl::StrCat(line->plot, " cannot be written"));
  }
  return std::all_of(reports.begin(), reports.end(),
                     [](const RunReport& report) { return report.succeeded(); })
             ? 0
             : kFailed;
}

}  // namespace
}  // namespace tcpip::sim

int main(int argc, char** argv) {
  return tcpip::sim::Main(std::vector<std::string>(argv + 1, argv + argc));
}
