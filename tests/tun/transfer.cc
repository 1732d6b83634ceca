#include "tests/tun/transfer.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "bench/port_services.h"

namespace tcpip {
namespace {

constexpr uint64_t kBlock = uint64_t{256} << 10;

// Enough of the pattern to compare any block with one memcmp.
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

}  // namespace

bool IsPattern(ByteSpan bytes, uint64_t position) {
  return std::memcmp(bytes.data(),
                     LongPattern().data() + position % bench::kPatternPeriod,
                     bytes.size()) == 0;
}

bool SendPattern(KernelSocket& socket, uint64_t n) {
  for (uint64_t sent = 0; sent < n;) {
    const uint64_t part = std::min(n - sent, kBlock);
    const ByteSpan all(LongPattern());
    if (!socket.SendAll(all.subspan(sent % bench::kPatternPeriod, part))) {
      return false;
    }
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
  std::thread sender([&] {
    SendPattern(socket, n);
    socket.ShutdownWrite();
  });
  const uint64_t got = RecvPattern(socket, n);
  sender.join();
  return got;
}

}  // namespace tcpip
