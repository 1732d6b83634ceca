// Every wire parser on any bytes: none reads past the end, and what one makes
// of a header, its emitter turns back into the same bytes. The exceptions are
// bits that a sender has to leave alone, and ICMP codes we do not send.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"
#include "tcpip/wire/udp.h"
#include "tcpip/wire/virtio_net.h"
#include "tests/fuzz/input.h"

namespace tcpip::wire {
namespace {

using fuzz::Check;
using Bytes = std::vector<uint8_t>;

void CheckSame(const Bytes& emitted, ByteSpan input, const char* what) {
  Check(emitted.size() <= input.size() &&
            std::equal(emitted.begin(), emitted.end(), input.begin()),
        what);
}

void FuzzIpv4(ByteSpan input) {
  const ParsedIpv4 parsed = ParseIpv4(input, input.size());
  if (parsed.error != IpParseError::kNone) return;
  const Ipv4Header& header = parsed.header;
  Check(header.header_size() <= header.total_length &&
            header.total_length <= input.size(),
        "IPv4 lengths");
  Bytes emitted(header.header_size());
  EmitIpv4(header, emitted);
  Bytes expected(input.begin(), input.begin() + header.header_size());
  expected[6] &= 0x7f;  // reserved, must be zero [RFC 791 3.1]
  StoreBe16(&expected[10], 0);
  StoreBe16(&expected[10], SumBytes(expected).Checksum());
  CheckSame(emitted, expected, "IPv4 round trip");
}

// The parser wants a good checksum, which mutation rarely leaves.
void FuzzIpv4Repaired(ByteSpan input) {
  Bytes repaired(input.begin(), input.end());
  if (repaired.size() < kIpv4HeaderSize) return;
  const size_t size = std::min<size_t>(
      std::max<size_t>(repaired[0] % 16 * 4, kIpv4HeaderSize), repaired.size());
  StoreBe16(&repaired[10], 0);
  StoreBe16(&repaired[10], SumBytes(ByteSpan(repaired).first(size)).Checksum());
  FuzzIpv4(repaired);
}

void FuzzIpv6(ByteSpan input) {
  const ParsedIpv6 parsed = ParseIpv6(input, input.size());
  if (parsed.error != IpParseError::kNone) return;
  Check(kIpv6HeaderSize + parsed.header.payload_length <= input.size(),
        "IPv6 payload length");
  if (parsed.walk == Ipv6WalkResult::kTransport ||
      parsed.walk == Ipv6WalkResult::kLaterFragment) {
    Check(parsed.transport_offset >= kIpv6HeaderSize &&
              parsed.transport_offset <=
                  kIpv6HeaderSize + parsed.header.payload_length,
          "IPv6 transport offset");
  }
  Check(parsed.walk != Ipv6WalkResult::kLaterFragment ||
            parsed.fragment.has_value(),
        "IPv6 fragment header");
  if (parsed.fragment) {
    const ByteSpan header = input.subspan(parsed.fragment->offset);
    Bytes again(kIpv6FragmentHeaderSize);
    EmitIpv6Fragment(parsed.fragment->next_header, parsed.fragment->header,
                     again);
    Bytes expected(header.begin(), header.begin() + kIpv6FragmentHeaderSize);
    expected[1] = 0;      // reserved, must be zero [RFC 8200 4.5]
    expected[3] &= 0xf9;  // and so are these two bits
    CheckSame(again, expected, "IPv6 fragment header round trip");
  }
  Bytes emitted(kIpv6HeaderSize);
  EmitIpv6(parsed.header, emitted);
  CheckSame(emitted, input, "IPv6 round trip");
}

void FuzzTcp(ByteSpan input) {
  const std::optional<TcpHeader> header = ParseTcp(input);
  if (!header) return;
  Check(header->size() <= input.size(), "TCP header size");
  Bytes emitted(header->size());
  EmitTcp(*header, emitted);
  Bytes expected(input.begin(), input.begin() + header->size());
  expected[12] &= 0xf0;  // reserved, must be zero [RFC 9293 3.1]
  CheckSame(emitted, expected, "TCP round trip");
}

// Options are not kept in their order, so what is compared is their meaning.
void FuzzTcpOptions(ByteSpan input) {
  const TcpOptions options = ParseTcpOptions(input);
  Check(options.sack_block_count <= kMaxSackBlocks, "SACK block count");
  const uint32_t size = TcpOptionsSize(options);
  Check(size % 4 == 0 && size <= 40, "TCP options size");
  std::array<uint8_t, 40> emitted;
  Check(EmitTcpOptions(options, emitted) == size, "TCP options emitted");

  TcpOptions again = ParseTcpOptions(ByteSpan(emitted).first(size));
  Check(again.sack_block_count <= options.sack_block_count &&
            std::equal(again.sack_blocks.begin(),
                       again.sack_blocks.begin() + again.sack_block_count,
                       options.sack_blocks.begin()),
        "SACK blocks round trip");
  again.sack_blocks = options.sack_blocks;
  again.sack_block_count = options.sack_block_count;
  Check(again == options, "TCP options round trip");
}

void FuzzUdp(ByteSpan input) {
  const std::optional<UdpHeader> header = ParseUdp(input, input.size());
  if (!header) return;
  Check(header->length >= kUdpHeaderSize && header->length <= input.size(),
        "UDP length");
  Bytes emitted(kUdpHeaderSize);
  EmitUdp(*header, emitted);
  CheckSame(emitted, input, "UDP round trip");
}

void FuzzIcmp(IpFamily family, ByteSpan input) {
  const std::optional<IcmpMessage> message = ParseIcmp(family, input);
  if (!message || message->kind == IcmpKind::kOther) return;
  Bytes emitted(kIcmpHeaderSize);
  EmitIcmpHeader(family, *message, emitted);
  const std::optional<IcmpMessage> again = ParseIcmp(family, emitted);
  Check(again && again->kind == message->kind && again->mtu == message->mtu &&
            again->pointer == message->pointer &&
            again->echo_id == message->echo_id &&
            again->echo_seq == message->echo_seq,
        "ICMP round trip");
}

void FuzzVirtioNet(ByteSpan input) {
  if (input.size() < kVirtioNetHeaderSize) return;
  Bytes emitted(kVirtioNetHeaderSize);
  StoreVirtioNet(LoadVirtioNet(input.data()), emitted.data());
  CheckSame(emitted, input, "virtio-net round trip");
}

void FuzzAddress(ByteSpan input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()),
                              input.size());
  if (const auto address = IpAddress::Parse(text)) {
    Check(IpAddress::Parse(address->ToString()) == address, "address text");
  }
  if (const auto endpoint = IpEndpoint::Parse(text)) {
    Check(IpEndpoint::Parse(endpoint->ToString()) == endpoint, "endpoint text");
  }
  if (const auto cidr = Cidr::Parse(text)) {
    Check(Cidr::Parse(cidr->ToString()) == cidr, "prefix text");
  }
}

}  // namespace
}  // namespace tcpip::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tcpip::ByteSpan input(data, size);
  tcpip::wire::FuzzIpv4(input);
  tcpip::wire::FuzzIpv4Repaired(input);
  tcpip::wire::FuzzIpv6(input);
  tcpip::wire::FuzzTcp(input);
  tcpip::wire::FuzzTcpOptions(input);
  tcpip::wire::FuzzUdp(input);
  tcpip::wire::FuzzIcmp(tcpip::IpFamily::kIpv4, input);
  tcpip::wire::FuzzIcmp(tcpip::IpFamily::kIpv6, input);
  tcpip::wire::FuzzVirtioNet(input);
  tcpip::wire::FuzzAddress(input);
  return 0;
}
