#include "tcpip/tun/tun_proc.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tcpip {
namespace {

namespace fs = std::filesystem;

std::string LinkTarget(const fs::path& path) {
  std::error_code error;
  return fs::read_symlink(path, error).string();
}

// The device an open /dev/net/tun is attached to: "iff: nst0" in its fdinfo.
std::string AttachedTo(const fs::path& fdinfo) {
  std::ifstream file(fdinfo);
  std::string key, value;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> key >> value && key == "iff:") return value;
  }
  return "";
}

bool Holds(const fs::path& process, const std::string& device) {
  std::error_code error;
  fs::directory_iterator fd(process / "fd", error);
  for (; !error && fd != fs::directory_iterator(); fd.increment(error)) {
    if (LinkTarget(fd->path()) == "/dev/net/tun" &&
        AttachedTo(process / "fdinfo" / fd->path().filename()) == device) {
      return true;
    }
  }
  return false;
}

bool IsNumber(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string FindTunHolder(const std::string& device, const std::string& proc) {
  // A device of the same name in another namespace is another device.
  const fs::path kNamespace = "ns/net";
  const std::string ours = LinkTarget(fs::path(proc) / "self" / kNamespace);
  std::error_code error;
  fs::directory_iterator process(proc, error);
  for (; !error && process != fs::directory_iterator();
       process.increment(error)) {
    const std::string pid = process->path().filename();
    if (!IsNumber(pid) || LinkTarget(process->path() / kNamespace) != ours ||
        !Holds(process->path(), device)) {
      continue;
    }
    std::string name;
    std::getline(std::ifstream(process->path() / "comm"), name);
    return absl::StrCat("process ", pid, " (", name, ")");
  }
  return "";
}

uint64_t TunDrops(const std::string& device, const std::string& net_dev) {
  // name: eight counters of what it received, then bytes, packets, errors and
  // drops of what it was to send.
  constexpr int kTransmitDrops = 12;
  std::ifstream file(net_dev);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    const size_t start = line.find_first_not_of(' ');
    if (colon == std::string::npos ||
        line.substr(start, colon - start) != device) {
      continue;
    }
    std::istringstream numbers(line.substr(colon + 1));
    uint64_t value = 0;
    for (int i = 0; i < kTransmitDrops; ++i) numbers >> value;
    return numbers ? value : 0;
  }
  return 0;
}

}  // namespace tcpip
