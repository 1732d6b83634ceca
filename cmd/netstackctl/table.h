// What netstackctl prints: connections as ss(8) would, and statistics. Text
// out, no I/O.
#ifndef CMD_NETSTACKCTL_TABLE_H_
#define CMD_NETSTACKCTL_TABLE_H_

#include <string>
#include <vector>

#include "service/netstack.pb.h"

namespace netstack {

// A line per connection; with_info adds an indented second line as ss -i does.
std::string ConnectionTable(const std::vector<v1::Connection>& connections,
                            bool with_info);

// "name value" lines in the order of names; zeros are left out unless `all`.
std::string StatsTable(const v1::Stats& stats, bool all);

std::string NetworkTable(const v1::NetworkState& state);

}  // namespace netstack

#endif  // CMD_NETSTACKCTL_TABLE_H_
