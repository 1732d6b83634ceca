#include "tcpip/tun/tun_offload.h"

#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/tun/tun_attach.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

// A super-segment whose last piece is one byte, which some kernels refuse
// [fault L01]. Were it delivered, IP would drop it: the length in its header is
// wrong.
std::vector<uint8_t> ShortTail(bool ipv4) {
  constexpr uint16_t kGsoSize = 1000;
  const uint16_t ip_header =
      ipv4 ? wire::kIpv4HeaderSize : wire::kIpv6HeaderSize;
  const wire::VirtioNetHeader vnet = {
      .flags = wire::VirtioNetHeader::kNeedsCsum,
      .gso_type = ipv4 ? wire::VirtioNetHeader::kGsoTcp4
                       : wire::VirtioNetHeader::kGsoTcp6,
      .hdr_len = static_cast<uint16_t>(ip_header + wire::kTcpHeaderSize),
      .gso_size = kGsoSize,
      .csum_start = ip_header,
      .csum_offset = wire::kTcpChecksumOffset};
  std::vector<uint8_t> frame(wire::kVirtioNetHeaderSize + vnet.hdr_len +
                             kGsoSize + 1);
  wire::StoreVirtioNet(vnet, frame.data());
  const MutableByteSpan packet =
      MutableByteSpan(frame).subspan(wire::kVirtioNetHeaderSize);
  if (ipv4) {
    wire::EmitIpv4({.protocol = wire::kTcp,
                    .source = IpAddress::Any(IpFamily::kIpv4),
                    .destination = IpAddress::Any(IpFamily::kIpv4),
                    .options = {}},
                   packet);
  } else {
    wire::EmitIpv6({.payload_length = 0xffff,
                    .next_header = wire::kTcp,
                    .source = {},
                    .destination = {}},
                   packet);
  }
  wire::EmitTcp({.flags = {}, .options = {}}, packet.subspan(ip_header));
  return frame;
}

bool Takes(TunIo& io, std::vector<uint8_t> frame) {
  const iovec all = {frame.data(), frame.size()};
  return io.Write({&all, 1}) != -EINVAL;
}

}  // namespace

absl::Status CheckOffloads(const LinkOffloads& offloads) {
  if (offloads.checksum || !(offloads.tso4 || offloads.tso6)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "segmentation offload needs checksum offload");
}

bool SetReceiveOffloads(TunIo& io, const LinkOffloads& rx) {
  const uintptr_t flags = (rx.checksum ? TUN_F_CSUM : 0u) |
                          (rx.tso4 ? TUN_F_TSO4 : 0u) |
                          (rx.tso6 ? TUN_F_TSO6 : 0u);
  // The argument is the value itself, not a pointer to it.
  return io.TunIoctl(TUNSETOFFLOAD, reinterpret_cast<void*>(flags)) == 0;
}

int SetVnetHeader(TunIo& io) {
  int size = wire::kVirtioNetHeaderSize;
  if (int r = io.TunIoctl(TUNSETVNETHDRSZ, &size); r < 0) return r;
  int on = 1;
  const int r = io.TunIoctl(TUNSETVNETLE, &on);
  // [fault L09] without the switch words are in the order of the host
  return std::endian::native == std::endian::little ? 0 : r;
}

LinkOffloads ProbeTransmitOffloads(TunIo& io, const std::string& name,
                                   LinkOffloads tx) {
  if (!(tx.tso4 || tx.tso6) || IsInterfaceUp(io, name) != false) return tx;
  tx.tso4 = tx.tso4 && Takes(io, ShortTail(/*ipv4=*/true));
  tx.tso6 = tx.tso6 && Takes(io, ShortTail(/*ipv4=*/false));
  return tx;
}

std::string ToString(const LinkOffloads& offloads) {
  std::string text;
  const auto add = [&text](bool on, const char* name) {
    if (on) text += (text.empty() ? "" : ",") + std::string(name);
  };
  add(offloads.checksum, "checksum");
  add(offloads.tso4, "tso4");
  add(offloads.tso6, "tso6");
  return text.empty() ? "none" : text;
}

}  // namespace tcpip
