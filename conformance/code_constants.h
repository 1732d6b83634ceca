// The constants that code in "%{ }%" may name. Connection states have Linux's
// numbers under Linux's names and FreeBSD's alike, since a connection's fields
// come with Linux's numbers. Used by the evaluator.
#ifndef CONFORMANCE_CODE_CONSTANTS_H_
#define CONFORMANCE_CODE_CONSTANTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace conformance {

// TCP_ESTABLISHED, TCPS_FIN_WAIT_1, TCP_CA_Loss, TCPI_OPT_SACK.
std::optional<int64_t> FindCodeConstant(std::string_view name);

}  // namespace conformance

#endif  // CONFORMANCE_CODE_CONSTANTS_H_
