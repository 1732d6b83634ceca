// The command line of the examples: words, and --socket PATH. Anything else
// that begins like a flag, or too many or few words, ends the program with its
// usage.
#ifndef EXAMPLES_ARGUMENTS_H_
#define EXAMPLES_ARGUMENTS_H_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "client/client.h"

struct Arguments {
  // `usage` is the line after "usage: ", without --socket.
  Arguments(int argc, char** argv, const char* usage, size_t least_words,
            size_t most_words) {
    bool good = true;
    for (int i = 1; i < argc; ++i) {
      const std::string_view arg = argv[i];
      if (arg == "--socket" && i + 1 < argc) {
        target = std::string("unix:") + argv[++i];
      } else if (arg.size() > 1 && arg[0] == '-') {
        good = false;
      } else {
        words.emplace_back(arg);
      }
    }
    if (good && words.size() >= least_words && words.size() <= most_words) {
      return;
    }
    std::fprintf(stderr, "usage: %s [--socket PATH]\n", usage);
    std::exit(2);
  }

  std::vector<std::string> words;
  std::string target = netstack::kDefaultTarget;  // where netstackd listens
};

#endif  // EXAMPLES_ARGUMENTS_H_
