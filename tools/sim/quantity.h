// Quantities as people write them on a command line: "1.5s", "100Mbps", "64KB",
// "0.5%". Exact: nothing passes through a floating point number.
#ifndef TOOLS_SIM_QUANTITY_H_
#define TOOLS_SIM_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace tcpip::sim {

// Each is nullopt for what it is not: no number, no unit or another one, a
// sign, or more than fits.
std::optional<Duration> ParseTime(std::string_view text);   // us, ms, s
std::optional<Bandwidth> ParseRate(std::string_view text);  // kbps, Mbps, Gbps
std::optional<uint64_t> ParseSize(std::string_view text);   // B, KB, MB, GB,
                                                            // KiB, MiB, GiB
std::optional<uint32_t> ParseShare(std::string_view text);  // %, per million
std::optional<uint64_t> ParseCount(std::string_view text);  // no unit

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_QUANTITY_H_
