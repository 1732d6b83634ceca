#include "tests/tun/transfer.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "bench/port_services.h"
#include "tcpip/base/bytes.h"
#include "tests/tun/kernel_net.h"
#include "tests/tun/sha256.h"

namespace tcpip {
namespace {

constexpr uint64_t kBlock = uint64_t{256} << 10;

// Enough of the pattern to compare any block at once.
const std::vector<uint8_t>& LongPattern() {
  static const std::vector<uint8_t> pattern = [] {
    std::vector<uint8_t> bytes(bench::kPatternPeriod + kBlock);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = bench::PatternByte(i);
    }
    return bytes;
  }();
  return pattern;
}

// The n bytes (at most kBlock) of the pattern from `position` on.
ByteSpan PatternAt(uint64_t position, uint64_t n) {
  return ByteSpan(LongPattern()).subspan(position % bench::kPatternPeriod, n);
}

std::string RecvSha256(KernelSocket& socket) {
  Sha256 sha256;
  std::vector<uint8_t> block(kBlock);
  for (ssize_t n; (n = socket.Recv(block)) > 0;) {
    sha256.Update({block.data(), static_cast<size_t>(n)});
  }
  return sha256.HexDigest();
}

// What `receive` returns while the first n bytes and EOF are sent beside it.
template <typename Receive>
auto WhileSending(KernelSocket& socket, uint64_t n, Receive receive) {
  std::thread sender([&] {
    SendPattern(socket, n);
    socket.ShutdownWrite();
  });
  auto received = receive();
  sender.join();
  return received;
}

}  // namespace

bool IsPattern(ByteSpan bytes, uint64_t position) {
  const ByteSpan pattern = PatternAt(position, bytes.size());
  return std::equal(bytes.begin(), bytes.end(), pattern.begin());
}

bool SendPattern(KernelSocket& socket, uint64_t n) {
  for (uint64_t sent = 0; sent < n;) {
    const uint64_t part = std::min(n - sent, kBlock);
    if (!socket.SendAll(PatternAt(sent, part))) return false;
    sent += part;
  }
  return true;
}

bool RequestPattern(KernelSocket& socket, uint64_t n) {
  uint8_t request[8];
  StoreBe32(request, static_cast<uint32_t>(n >> 32));
  StoreBe32(request + 4, static_cast<uint32_t>(n));
  return socket.SendAll(request);
}

uint64_t RecvPattern(KernelSocket& socket, uint64_t max) {
  std::vector<uint8_t> block(kBlock);
  uint64_t got = 0;
  while (got <= max) {
    const ssize_t n = socket.Recv(block);
    if (n <= 0) return got;
    const ByteSpan bytes(block.data(), static_cast<size_t>(n));
    if (!IsPattern(bytes, got)) return got;
    got += bytes.size();
  }
  return max + 1;
}

uint64_t FetchPattern(KernelSocket& socket, uint64_t n) {
  return RequestPattern(socket, n) ? RecvPattern(socket, n) : 0;
}

uint64_t EchoPattern(KernelSocket& socket, uint64_t n) {
  return WhileSending(socket, n, [&] { return RecvPattern(socket, n); });
}

std::string PatternSha256(uint64_t n) {
  Sha256 sha256;
  for (uint64_t done = 0; done < n;) {
    const uint64_t part = std::min(n - done, kBlock);
    sha256.Update(PatternAt(done, part));
    done += part;
  }
  return sha256.HexDigest();
}

std::string FetchSha256(KernelSocket& socket, uint64_t n) {
  return RequestPattern(socket, n) ? RecvSha256(socket) : "";
}

std::string EchoSha256(KernelSocket& socket, uint64_t n) {
  return WhileSending(socket, n, [&] { return RecvSha256(socket); });
}

}  // namespace tcpip
