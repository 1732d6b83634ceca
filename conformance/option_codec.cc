#include "conformance/option_codec.h"

#include <optional>
#include <utility>
#include <variant>

namespace conformance {
namespace {

using tcpip::ByteSpan;
using tcpip::LoadBe16;
using tcpip::LoadBe32;

enum Kind : uint8_t {
  kEol = 0,
  kNop = 1,
  kMss = 2,
  kWindowScale = 3,
  kSackPermitted = 4,
  kSack = 5,
  kTimestamps = 8,
  kMd5 = 19,
  kFastOpen = 34,
  kAccEcn0 = 172,
  kAccEcn1 = 174,
  kExperimental = 254,
};
constexpr uint16_t kFastOpenMagic = 0xf989;  // Linux's, of FOEXP

class Writer {
 public:
  std::vector<uint8_t> Take() { return std::move(bytes_); }

  void operator()(const option::Mss& o) {
    Head(kMss, 2);
    Put16(o.bytes);
  }
  void operator()(const option::WindowScale& o) {
    Head(kWindowScale, 1);
    bytes_.push_back(o.shift);
  }
  void operator()(const option::SackPermitted&) { Head(kSackPermitted, 0); }
  void operator()(const option::Sack& o) {
    Head(kSack, 8 * o.blocks.size());
    for (const auto& [left, right] : o.blocks) {
      Put32(left);
      Put32(right);
    }
  }
  void operator()(const option::Timestamps& o) {
    Head(kTimestamps, 8);
    Put32(o.val);
    Put32(o.ecr);
  }
  void operator()(const option::Nop&) { bytes_.push_back(kNop); }
  void operator()(const option::Eol&) { bytes_.push_back(kEol); }
  void operator()(const option::FastOpen& o) {
    Head(o.experimental ? kExperimental : kFastOpen,
         o.cookie.size() + (o.experimental ? 2 : 0));
    if (o.experimental) Put16(kFastOpenMagic);
    Put(o.cookie);
  }
  void operator()(const option::Md5& o) {
    Head(kMd5, o.digest.size());
    Put(o.digest);
  }
  void operator()(const option::AccEcn& o) {
    Head(o.order == 0 ? kAccEcn0 : kAccEcn1, 3 * o.counters.size());
    for (const uint32_t counter : o.counters) {
      bytes_.push_back(static_cast<uint8_t>(counter >> 16));
      Put16(static_cast<uint16_t>(counter));
    }
  }
  void operator()(const option::Other& o) { Put(o.bytes); }

 private:
  void Head(uint8_t kind, size_t data) {
    bytes_.push_back(kind);
    bytes_.push_back(static_cast<uint8_t>(2 + data));
  }
  void Put16(uint16_t v) {
    bytes_.resize(bytes_.size() + 2);
    tcpip::StoreBe16(&bytes_[bytes_.size() - 2], v);
  }
  void Put32(uint32_t v) {
    bytes_.resize(bytes_.size() + 4);
    tcpip::StoreBe32(&bytes_[bytes_.size() - 4], v);
  }
  void Put(const std::vector<uint8_t>& data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }

  std::vector<uint8_t> bytes_;
};

std::vector<uint8_t> Copy(ByteSpan bytes) {
  return {bytes.begin(), bytes.end()};
}

option::Sack ReadSack(ByteSpan data) {
  option::Sack sack;
  for (size_t at = 0; at < data.size(); at += 8) {
    sack.blocks.emplace_back(LoadBe32(&data[at]), LoadBe32(&data[at + 4]));
  }
  return sack;
}

option::AccEcn ReadAccEcn(uint8_t kind, ByteSpan data) {
  option::AccEcn ecn{.order = uint8_t{kind == kAccEcn1}, .counters = {}};
  for (size_t at = 0; at < data.size(); at += 3) {
    ecn.counters.push_back(uint32_t{data[at]} << 16 | LoadBe16(&data[at + 1]));
  }
  return ecn;
}

// nullopt when the length is not one of the kind's.
std::optional<OptionSpec> ReadOption(uint8_t kind, ByteSpan data) {
  const size_t n = data.size();
  switch (kind) {
    case kMss:
      if (n == 2) return option::Mss{LoadBe16(data.data())};
      break;
    case kWindowScale:
      if (n == 1) return option::WindowScale{data[0]};
      break;
    case kSackPermitted:
      if (n == 0) return option::SackPermitted{};
      break;
    case kSack:
      if (n > 0 && n % 8 == 0) return ReadSack(data);
      break;
    case kTimestamps:
      if (n == 8) {
        return option::Timestamps{LoadBe32(data.data()), LoadBe32(&data[4])};
      }
      break;
    case kMd5:
      if (n == 16) return option::Md5{Copy(data)};
      break;
    case kFastOpen:
      return option::FastOpen{.cookie = Copy(data)};
    case kAccEcn0:
    case kAccEcn1:
      if (n % 3 == 0 && n <= 9) return ReadAccEcn(kind, data);
      break;
    case kExperimental:
      if (n >= 2 && LoadBe16(data.data()) == kFastOpenMagic) {
        return option::FastOpen{.experimental = true,
                                .cookie = Copy(data.subspan(2))};
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<uint8_t> EmitOptions(std::span<const OptionSpec> options) {
  Writer writer;
  for (const OptionSpec& option : options) std::visit(writer, option);
  return writer.Take();
}

std::vector<OptionSpec> ReadOptions(ByteSpan bytes) {
  std::vector<OptionSpec> options;
  while (!bytes.empty()) {
    const uint8_t kind = bytes[0];
    if (kind == kNop || kind == kEol) {
      if (kind == kNop) {
        options.emplace_back(option::Nop{});
      } else {
        options.emplace_back(option::Eol{});
      }
      bytes = bytes.subspan(1);
      continue;
    }
    const size_t size = bytes.size() > 1 ? bytes[1] : 0;
    if (size < 2 || size > bytes.size()) {
      options.emplace_back(option::Other{Copy(bytes)});
      break;
    }
    std::optional<OptionSpec> read =
        ReadOption(kind, bytes.subspan(2, size - 2));
    options.push_back(read ? *std::move(read)
                           : option::Other{Copy(bytes.first(size))});
    bytes = bytes.subspan(size);
  }
  return options;
}

}  // namespace conformance
