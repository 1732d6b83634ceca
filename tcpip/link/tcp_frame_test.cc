#include "tcpip/link/tcp_frame.h"

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

sim::Bytes Packet(const char* from, const char* to) {
  wire::TcpOptions options;
  options.timestamps = wire::TcpTimestamps{1, 2};
  return sim::Build(sim::TcpPacket{.from = *IpEndpoint::Parse(from),
                                   .to = *IpEndpoint::Parse(to),
                                   .seq = 77,
                                   .flags = wire::TcpFlags::kAck,
                                   .options = options,
                                   .payload = {1, 2, 3}});
}

const sim::Bytes kV4 = Packet("10.0.0.1:1", "10.0.0.2:2");
const sim::Bytes kV6 = Packet("[2001:db8::1]:1", "[2001:db8::2]:2");

TEST(TcpFrame, FindsTheHeaders) {
  for (const sim::Bytes& bytes : {kV4, kV6}) {
    const TcpFrame frame(bytes.data());
    EXPECT_EQ(frame.IsIpv4(), bytes == kV4);
    EXPECT_EQ(frame.ip_header_size(), bytes == kV4 ? 20u : 40u);
    EXPECT_EQ(frame.tcp_header_size(), 32u);
    EXPECT_EQ(frame.header_size(), bytes.size() - 3);
    EXPECT_EQ(frame.seq(), 77u);
    EXPECT_TRUE(frame.flags().ack());
  }
}

TEST(TcpFrame, PseudoHeaderMakesTheSumWhole) {
  for (const sim::Bytes& bytes : {kV4, kV6}) {
    const TcpFrame frame(bytes.data());
    const ByteSpan tcp = ByteSpan(bytes).subspan(frame.ip_header_size());
    PartialSum sum = frame.PseudoHeader(static_cast<uint32_t>(tcp.size()));
    EXPECT_TRUE(sum.Combine(SumBytes(tcp), 0).IsValid());
  }
}

// [RFC 6864 4.1] only an atomic packet's ID means nothing
TEST(TcpFrame, IdIsConstantWhereItIsZeroAndMeansNothing) {
  sim::Bytes bytes = kV4;
  EXPECT_TRUE(TcpFrame(bytes.data()).HasConstantId());
  bytes[5] = 1;
  EXPECT_FALSE(TcpFrame(bytes.data()).HasConstantId());
  bytes[5] = 0;
  bytes[6] = 0;  // may be fragmented
  EXPECT_FALSE(TcpFrame(bytes.data()).HasConstantId());
}

TEST(SealIp, MakesLengthAndHeaderChecksumTrue) {
  for (sim::Bytes bytes : {kV4, kV6}) {
    const sim::Bytes want = bytes;
    StoreBe16(&bytes[bytes == kV4 ? 2 : 4], 9);
    SealIp(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, want);
  }
}

}  // namespace
}  // namespace tcpip
