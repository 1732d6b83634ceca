// GoogleMock matchers for packets on the wire:
//
//   EXPECT_THAT(packet, TcpSegment(Flags("S."), Seq(1), Window(65535)));
//   EXPECT_THAT(packets, ElementsAre(TcpSegment(Flags("."), Ack(5), Len(0))));
//
// The packet is given as Bytes. A matcher says what the packet is when it is
// not what was asked for.
#ifndef TCPIP_TESTING_PACKET_MATCHERS_H_
#define TCPIP_TESTING_PACKET_MATCHERS_H_

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "tcpip/testing/packet_reader.h"

namespace tcpip::sim {

// Parts of a segment.
inline auto Flags(std::string_view letters) {
  return testing::ResultOf(
      "flags", [](const ReadTcp& t) { return t.header.flags.ToString(); },
      std::string(letters));
}
template <typename M>
auto Seq(M matcher) {
  return testing::ResultOf(
      "seq", [](const ReadTcp& t) { return t.header.seq; }, matcher);
}
template <typename M>
auto Ack(M matcher) {
  return testing::ResultOf(
      "ack", [](const ReadTcp& t) { return t.header.ack; }, matcher);
}
template <typename M>
auto Window(M matcher) {  // as on the wire
  return testing::ResultOf(
      "window", [](const ReadTcp& t) { return t.header.window; }, matcher);
}
template <typename M>
auto Len(M matcher) {  // payload bytes
  return testing::ResultOf(
      "len", [](const ReadTcp& t) { return t.payload.size(); }, matcher);
}
template <typename M>
auto Options(M matcher) {
  return testing::Field("options", &ReadTcp::options, matcher);
}

// A TCP packet with a good checksum whose segment matches.
class TcpSegmentMatcher {
 public:
  using is_gtest_matcher = void;

  explicit TcpSegmentMatcher(testing::Matcher<const ReadTcp&> segment)
      : segment_(std::move(segment)) {}

  bool MatchAndExplain(const Bytes& packet,
                       testing::MatchResultListener* listener) const {
    const std::optional<ReadPacket> read = Read(packet);
    if (!read || !read->tcp) {
      *listener << "which is no TCP packet";
      return false;
    }
    *listener << "which is " << read->ToString() << ", ";
    if (!read->checksum_valid) *listener << "with a bad checksum, ";
    return segment_.MatchAndExplain(*read->tcp, listener) &&
           read->checksum_valid;
  }
  void DescribeTo(std::ostream* os) const {
    *os << "is a TCP packet whose ";
    segment_.DescribeTo(os);
  }
  void DescribeNegationTo(std::ostream* os) const {
    *os << "is no TCP packet or its ";
    segment_.DescribeNegationTo(os);
  }

 private:
  testing::Matcher<const ReadTcp&> segment_;
};

template <typename... M>
TcpSegmentMatcher TcpSegment(M... parts) {
  return TcpSegmentMatcher(testing::SafeMatcherCast<const ReadTcp&>(
      testing::AllOf(testing::A<const ReadTcp&>(), parts...)));
}

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_PACKET_MATCHERS_H_
