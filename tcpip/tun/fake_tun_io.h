// A kernel for tests of tun/: it answers what the test tells it to, records
// what it was asked, and has frames to read. No descriptor, no device.
#ifndef TCPIP_TUN_FAKE_TUN_IO_H_
#define TCPIP_TUN_FAKE_TUN_IO_H_

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tcpip/tun/tun_io.h"

namespace tcpip {

// Outlives the FakeTunIo that looks at it.
struct FakeKernel {
  int open_result = 0;
  int adopt_result = 0;
  // By request; a request without an answer succeeds.
  std::map<unsigned long, std::function<int(void*)>> tun_answers;
  std::map<unsigned long, std::function<int(ifreq&)>> interface_answers;
  std::vector<unsigned long> requests;

  // Read() takes from the front: a frame, or -errno.
  struct Readable {
    std::vector<uint8_t> frame;
    int error = 0;
  };
  std::deque<Readable> readable;
  // Write() takes from the front; success when empty.
  std::deque<int> write_results;
  std::vector<std::vector<uint8_t>> written;
  std::vector<size_t> iovec_counts;
  std::string holder;
  uint64_t drops = 0;
};

class FakeTunIo final : public TunIo {
 public:
  explicit FakeTunIo(FakeKernel& kernel) : kernel_(kernel) {}

  int Open() override { return kernel_.open_result; }
  int Adopt(int) override { return kernel_.adopt_result; }
  int TunIoctl(unsigned long request, void* argument) override {
    kernel_.requests.push_back(request);
    const auto it = kernel_.tun_answers.find(request);
    return it == kernel_.tun_answers.end() ? 0 : it->second(argument);
  }
  int InterfaceIoctl(unsigned long request, ifreq& request_data) override {
    kernel_.requests.push_back(request);
    const auto it = kernel_.interface_answers.find(request);
    return it == kernel_.interface_answers.end() ? 0 : it->second(request_data);
  }

  ssize_t Read(std::span<const iovec> to) override {
    if (kernel_.readable.empty()) return -EAGAIN;
    FakeKernel::Readable next = std::move(kernel_.readable.front());
    kernel_.readable.pop_front();
    if (next.error != 0) return -next.error;
    size_t done = 0;
    for (const iovec& part : to) {
      const size_t n = std::min(part.iov_len, next.frame.size() - done);
      std::copy_n(next.frame.data() + done, n,
                  static_cast<uint8_t*>(part.iov_base));
      done += n;
    }
    return static_cast<ssize_t>(done);
  }

  ssize_t Write(std::span<const iovec> from) override {
    if (!kernel_.write_results.empty()) {
      const int result = kernel_.write_results.front();
      kernel_.write_results.pop_front();
      if (result < 0) return result;
    }
    std::vector<uint8_t> frame;
    for (const iovec& part : from) {
      const auto* bytes = static_cast<const uint8_t*>(part.iov_base);
      frame.insert(frame.end(), bytes, bytes + part.iov_len);
    }
    kernel_.iovec_counts.push_back(from.size());
    kernel_.written.push_back(std::move(frame));
    return static_cast<ssize_t>(kernel_.written.back().size());
  }

  int fd() const override { return -1; }
  std::string Holder(const std::string&) override { return kernel_.holder; }
  uint64_t Drops(const std::string&) const override { return kernel_.drops; }

 private:
  FakeKernel& kernel_;
};

}  // namespace tcpip

#endif  // TCPIP_TUN_FAKE_TUN_IO_H_
