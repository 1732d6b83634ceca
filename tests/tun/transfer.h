// The pattern of bench/port_services.h over a kernel socket, checked byte by
// byte at its position, or as a whole by its SHA-256.
#ifndef TESTS_TUN_TRANSFER_H_
#define TESTS_TUN_TRANSFER_H_

#include <cstdint>
#include <string>

#include "tcpip/base/bytes.h"
#include "tests/tun/kernel_net.h"

namespace tcpip {

// True when `bytes` are those of the pattern from `position` on.
bool IsPattern(ByteSpan bytes, uint64_t position);

// Sends the first n bytes of the pattern.
bool SendPattern(KernelSocket& socket, uint64_t n);

// Asks the source service for n bytes (0: endless).
bool RequestPattern(KernelSocket& socket, uint64_t n);

// Reads until EOF or a wrong byte; returns how many bytes were right, or
// max + 1 when there were more.
uint64_t RecvPattern(KernelSocket& socket, uint64_t max);

// RequestPattern, then RecvPattern.
uint64_t FetchPattern(KernelSocket& socket, uint64_t n);

// Sends n bytes and EOF to the echo service while reading them back.
uint64_t EchoPattern(KernelSocket& socket, uint64_t n);

// The same by digest: of the first n bytes of the pattern, and of all that the
// service sent until EOF.
std::string PatternSha256(uint64_t n);
std::string FetchSha256(KernelSocket& socket, uint64_t n);
std::string EchoSha256(KernelSocket& socket, uint64_t n);

}  // namespace tcpip

#endif  // TESTS_TUN_TRANSFER_H_
