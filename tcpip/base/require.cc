#include "tcpip/base/require.h"

#include <cstdio>
#include <cstdlib>

namespace tcpip {

void Require(bool holds, const char* who, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", who, rule);
  std::abort();
}

}  // namespace tcpip
