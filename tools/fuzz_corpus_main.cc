// The main program of NAME_corpus_test, see bazel/fuzz.bzl: feeds the files
// named on the command line, and mutations of them, to a fuzz target. The same
// binary does the same every time; when it dies it says with which input.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kMutationsPerFile = 300;

// What is being fed now, readable by a signal handler.
char current[512];
size_t current_length = 0;

void Feed(const std::string& file, int mutation, const Bytes& input) {
  const int written =
      std::snprintf(current, sizeof current, "%s, mutation %d, %zu bytes\n",
                    file.c_str(), mutation, input.size());
  current_length =
      std::min<size_t>(written > 0 ? written : 0, sizeof current - 1);
  // A copy of the exact size lets a sanitizer see any read past the end.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void SayCurrentAndDie(int signal_number) {
  constexpr char kBefore[] = "the fuzz target died on ";
  (void)!write(STDERR_FILENO, kBefore, sizeof kBefore - 1);
  (void)!write(STDERR_FILENO, current, current_length);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// One small change, of the kinds that break parsers: a bit, a length field's
// extreme, a cut, a repeat.
void Mutate(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty()) bytes.push_back(0);
  const size_t at = random() % bytes.size();
  const size_t end = at + 1 + random() % (bytes.size() - at);
  const auto begin = bytes.begin();
  switch (random() % 6) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << random() % 8);
      break;
    case 1:
      bytes[at] = random() % 2 == 0 ? 0 : 0xff;
      break;
    case 2:
      bytes[at] = static_cast<uint8_t>(random());
      break;
    case 3:
      bytes.resize(at);
      break;
    case 4:
      bytes.erase(begin + at, begin + end);
      break;
    case 5: {
      const Bytes piece(begin + at, begin + end);
      bytes.insert(begin + at, piece.begin(), piece.end());
      break;
    }
  }
}

void FeedWithMutations(const std::string& name, const Bytes& seed) {
  Feed(name, 0, seed);
  std::mt19937 random;  // seeded by default with a constant
  for (int i = 1; i <= kMutationsPerFile; ++i) {
    Bytes bytes = seed;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int change = 0; change < changes; ++change) Mutate(bytes, random);
    Feed(name, i, bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal_number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    std::signal(signal_number, SayCurrentAndDie);
  }
  FeedWithMutations("(empty)", {});
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    FeedWithMutations(argv[i], Bytes(std::istreambuf_iterator<char>(file), {}));
  }
  std::printf("%d files, %d mutations of each\n", argc - 1, kMutationsPerFile);
  return 0;
}
