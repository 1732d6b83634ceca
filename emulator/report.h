// What happened on a path, as a line for people. Called by the emulator's
// program, at the end and whenever it is asked.
#ifndef EMULATOR_REPORT_H_
#define EMULATOR_REPORT_H_

#include <string>

#include "emulator/path_model.h"

namespace emulator {

// "offered 30 packets, 4200 bytes; passed 28, 3900 bytes; dropped: loss 1,
// queue 1; held 2". What did not happen is not mentioned;
// what passed may still be on its way.
std::string ReportText(const PathCounters& counters);

}  // namespace emulator

#endif  // EMULATOR_REPORT_H_
