// Text to Script. The grammar is packetdrill's: options, an init command,
// events recognised by their grammar rather than by lines, a cleanup command.
// #ifdef NAME / #endif lines are understood, not nested; NAME is a define or
// the platform.
//
// Refuses what it does not know with "file:line: what was expected, what
// stands there". Bounded: the nesting of expressions is limited, and work is in
// proportion to the text. Runs nothing and resolves no constant.
#ifndef CONFORMANCE_PARSER_H_
#define CONFORMANCE_PARSER_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "conformance/script.h"

namespace conformance {

// Whole words to be replaced, each by the text of one token: an integer, a
// word, a "string" or a `command`. Those of the command line win over those of
// the script (-D and --define lines).
using Defines = std::map<std::string, std::string>;

// `path` is for messages. INVALID_ARGUMENT with file and line.
absl::StatusOr<Script> ParseScript(std::string_view text, std::string path,
                                   const Defines& defines = {},
                                   std::string_view platform = "linux");

}  // namespace conformance

#endif  // CONFORMANCE_PARSER_H_
