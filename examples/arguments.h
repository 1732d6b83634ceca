// The command line of the examples: words, and --socket PATH.
#ifndef EXAMPLES_ARGUMENTS_H_
#define EXAMPLES_ARGUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/client.h"

struct Arguments {
  Arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (std::string_view(argv[i]) == "--socket" && i + 1 < argc) {
        target = std::string("unix:") + argv[++i];
      } else {
        words.push_back(argv[i]);
      }
    }
  }

  std::vector<std::string> words;
  std::string target = netstack::kDefaultTarget;  // where netstackd listens
};

#endif  // EXAMPLES_ARGUMENTS_H_
