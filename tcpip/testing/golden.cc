#include "tcpip/testing/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tcpip::sim {
namespace {

constexpr char kRootVariable[] = "NETSTACK_GOLDEN";

std::string FirstDifference(std::string_view golden, std::string_view text) {
  const std::vector<std::string_view> want = absl::StrSplit(golden, '\n');
  const std::vector<std::string_view> have = absl::StrSplit(text, '\n');
  for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
    const std::string_view a = i < want.size() ? want[i] : "(end)";
    const std::string_view b = i < have.size() ? have[i] : "(end)";
    if (a != b) {
      return absl::StrCat("line ", i + 1, " was:\n  ", a, "\nand is:\n  ", b);
    }
  }
  return "";
}

}  // namespace

std::string CompareWithGolden(const std::string& path, std::string_view text) {
  if (const char* const root = std::getenv(kRootVariable)) {
    std::ofstream file(absl::StrCat(root, "/", path), std::ios::binary);
    file << text;
    file.close();
    return file ? "" : absl::StrCat("cannot write ", path);
  }
  std::ifstream file(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  if (golden == text) return "";
  return absl::StrCat(path, ": ", FirstDifference(golden, text),
                      "\nTo accept all of it: ", kRootVariable,
                      "=$PWD bazel run on this test");
}

}  // namespace tcpip::sim
