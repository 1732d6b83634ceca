// The words of a path: what each is called, what may follow it, and how that is
// read into a PathConfig and written again. path_spec splits texts into them
// and says what does not go together; docs/emulator.md lists them for people.
#ifndef EMULATOR_PATH_WORDS_H_
#define EMULATOR_PATH_WORDS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/string_view.h"
#include "emulator/path_model.h"

namespace emulator {

struct PathWord {
  absl::string_view name;
  absl::string_view example;  // what may follow the name
  absl::string_view range;    // what that may be, where the example leaves open
  size_t least;               // values
  size_t most;
  // False when the values, as many as may be, are not what the word wants.
  bool (*read)(std::span<const absl::string_view> values, PathConfig& to);
  // The values; nullopt when the config does not say the word.
  std::optional<std::string> (*write)(const PathConfig& config);
};

// In the order in which they are written.
std::span<const PathWord> PathWords();

}  // namespace emulator

#endif  // EMULATOR_PATH_WORDS_H_
