// Golden files: the text a test produced when somebody last looked at it and
// found it right. Small, integers only, reviewed like code.
//
//   EXPECT_EQ(CompareWithGolden("tests/sim/matrix.golden", text), "");
//
// To accept what tests produce now, run them where they may write:
//
//   NETSTACK_GOLDEN=$PWD bazel run //tests/sim:throughput_matrix_test
#ifndef TCPIP_TESTING_GOLDEN_H_
#define TCPIP_TESTING_GOLDEN_H_

#include <string>

namespace tcpip::sim {

// `path` is relative to the root of the project. Returns "" when the file has
// this text, else the first difference and how to accept it. With
// NETSTACK_GOLDEN set to the root, writes the file instead.
std::string CompareWithGolden(const std::string& path, const std::string& text);

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_GOLDEN_H_
