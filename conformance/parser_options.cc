#include "conformance/parser_options.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/ascii.h"
#include "conformance/option_codec.h"

namespace conformance {
namespace {

using Kind = Token::Kind;

constexpr size_t kMaxOptionBytes = 40;
constexpr size_t kMd5DigestSize = 16;
constexpr uint64_t kMaxCounter = 0xffffff;

// A cookie or digest: digits and letters may come as any of these.
bool AtHex(const Cursor& cursor) {
  return cursor.At(Kind::kInteger) || cursor.At(Kind::kWord) ||
         cursor.At(Kind::kBytes) || cursor.At(Kind::kString);
}

bool ParseHex(Cursor& cursor, std::vector<uint8_t>& bytes) {
  const std::string_view digits = cursor.token().text;
  if (!AtHex(cursor) || digits.size() % 2 != 0 ||
      digits.size() > 2 * kMaxOptionBytes ||
      LengthOf(IsHexDigit, digits) != digits.size()) {
    return cursor.Fail("pairs of hexadecimal digits");
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    std::from_chars(&digits[i], &digits[i] + 2, bytes.emplace_back(), 16);
  }
  cursor.Take();
  return true;
}

// [RFC 2018 3]
bool ParseSack(Cursor& cursor, option::Sack& sack) {
  do {
    auto& [left, right] = sack.blocks.emplace_back();
    if (!cursor.Number(left) || !cursor.Expect(':') || !cursor.Number(right)) {
      return false;
    }
  } while (cursor.At(Kind::kInteger));
  return true;
}

bool ParseFastOpen(Cursor& cursor, option::FastOpen& fast_open) {
  return !AtHex(cursor) || ParseHex(cursor, fast_open.cookie);
}

bool ParseMd5(Cursor& cursor, option::Md5& md5) {
  const int line = cursor.token().line;
  if (!ParseHex(cursor, md5.digest)) return false;
  return md5.digest.size() == kMd5DigestSize ||
         cursor.FailAt(line, "a digest of 16 bytes",
                       std::to_string(md5.digest.size()) + " bytes");
}

// [RFC 9768 3.2.3] any number of counters, the first ones of either order
bool ParseAccEcn(Cursor& cursor, option::AccEcn& acc_ecn) {
  constexpr std::string_view kNames[][3] = {{"e0b", "ceb", "e1b"},
                                            {"e1b", "ceb", "e0b"}};
  acc_ecn.order = cursor.AtWord("e1b") ? 1 : 0;
  for (const std::string_view name : kNames[acc_ecn.order]) {
    if (!cursor.AcceptWord(name)) break;
    uint64_t counter = 0;
    if (!cursor.Unsigned(kMaxCounter, counter)) return false;
    acc_ecn.counters.push_back(static_cast<uint32_t>(counter));
  }
  return true;
}

bool ParseTcpOption(Cursor& cursor, OptionSpec& spec) {
  if (cursor.AcceptWord("mss")) {
    return cursor.Number(spec.emplace<option::Mss>().bytes);
  }
  if (cursor.AcceptWord("wscale")) {
    return cursor.Number(spec.emplace<option::WindowScale>().shift);
  }
  if (cursor.AcceptWord("TS")) {
    auto& timestamps = spec.emplace<option::Timestamps>();
    return cursor.ExpectWord("val") && cursor.Number(timestamps.val) &&
           cursor.ExpectWord("ecr") && cursor.Number(timestamps.ecr);
  }
  if (cursor.AcceptWord("sack")) {
    return ParseSack(cursor, spec.emplace<option::Sack>());
  }
  if (cursor.AtWord("FO") || cursor.AtWord("FOEXP")) {
    auto& fast_open = spec.emplace<option::FastOpen>();
    fast_open.experimental = cursor.Take().text == "FOEXP";
    return ParseFastOpen(cursor, fast_open);
  }
  if (cursor.AcceptWord("md5")) {
    return ParseMd5(cursor, spec.emplace<option::Md5>());
  }
  if (cursor.AcceptWord("ECN")) {
    return ParseAccEcn(cursor, spec.emplace<option::AccEcn>());
  }
  if (cursor.AcceptWord("sackOK")) {
    spec = option::SackPermitted();
  } else if (cursor.AcceptWord("nop")) {
    spec = option::Nop();
  } else if (cursor.AcceptWord("eol")) {
    spec = option::Eol();
  } else {
    return cursor.Fail("a TCP option");
  }
  return true;
}

}  // namespace

bool ParseTcpOptionList(Cursor& cursor, std::vector<OptionSpec>& options) {
  const int line = cursor.token().line;
  do {
    if (!ParseTcpOption(cursor, options.emplace_back())) return false;
  } while (cursor.Accept(','));
  if (!cursor.Expect('>')) return false;
  const size_t size = EmitOptions(options).size();
  return (size % 4 == 0 && size <= kMaxOptionBytes) ||
         cursor.FailAt(line, "TCP options of a multiple of 4, at most 40 bytes",
                       std::to_string(size) + " bytes");
}

}  // namespace conformance
