#include "tcpip/testing/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace tcpip::sim {
namespace {

constexpr char kRootVariable[] = "NETSTACK_GOLDEN";

std::string FirstDifference(const std::string& golden,
                            const std::string& text) {
  std::istringstream want(golden);
  std::istringstream have(text);
  for (int number = 1;; ++number) {
    std::string a = "(end)";
    std::string b = "(end)";
    const bool more_a = static_cast<bool>(std::getline(want, a));
    const bool more_b = static_cast<bool>(std::getline(have, b));
    if (!more_a && !more_b) return "the end of the last line";
    if (a != b || more_a != more_b) {
      return absl::StrCat("line ", number, " was:\n  ", a, "\nand is:\n  ", b);
    }
  }
}

}  // namespace

std::string CompareWithGolden(const std::string& path,
                              const std::string& text) {
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
