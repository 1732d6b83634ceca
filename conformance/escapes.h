// The inside of a quoted string, as written and as meant. A backslash stands
// before n, r, t, 0, a quote of either kind, itself, or xHH with two digits.
// Used for the strings of calls and for messages.
#ifndef CONFORMANCE_ESCAPES_H_
#define CONFORMANCE_ESCAPES_H_

#include <optional>
#include <string>
#include <string_view>

namespace conformance {

// Printable, and Unescape() of it is `text`.
std::string Escape(std::string_view text);
// nullopt for an escape that is none of those.
std::optional<std::string> Unescape(std::string_view text);

}  // namespace conformance

#endif  // CONFORMANCE_ESCAPES_H_
