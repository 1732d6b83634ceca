// A stack with a listener, an established connection and a UDP socket, stepped
// by what the input says: packets that are right, nearly right or garbage, user
// calls, time. After every step the stack's invariants must hold and what it
// sends must keep the rules of the wire.
//
// The input is a list of steps: a byte that chooses one, then its parameters;
// when the input ends, parameters read as zero.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/capture.h"
#include "tcpip/stack/packet_tap.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/virtual_clock.h"
#include "tcpip/testing/wire_checks.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"
#include "tests/fuzz/input.h"

namespace tcpip::sim {
namespace {

using fuzz::Check;
using fuzz::Input;

constexpr int kMaxSteps = 200;
constexpr uint16_t kPeerPort = 4000;
constexpr uint32_t kMtu = 1500;

class World {
 public:
  explicit World(PacketTap* tap) : stack_({}, pool_, rng_, clock_.now()) {
    interface_ = stack_.AddInterface({.name = "fuzz0"});
    stack_.SetTap(tap);
    for (const char* address : {"10.0.0.1/24", "2001:db8::1/64"}) {
      Check(stack_.AddAddress(interface_, *Cidr::Parse(address)).ok(),
            "address");
    }
    here_ = *IpEndpoint::Parse("10.0.0.1:80");
    peer_ = {*IpAddress::Parse("10.0.0.2"), kPeerPort};
    listener_ = *stack_.TcpListen({.local = here_});
    udp_ = *stack_.UdpOpen({.local = {here_.address, 53}});
    Establish();
  }

  void Step(Input& input) {
    switch (input.Byte() % 10) {
      case 0:
      case 1:
      case 2:
        ReceiveSegment(input);
        break;
      case 3:
        ReceiveRaw(input);
        break;
      case 4:
        ReceiveSyn(input);
        break;
      case 5:
        ReceiveOther(input);
        break;
      case 6:
      case 7:
        CallUser(input);
        break;
      case 8:
        clock_.Advance(Duration::Microseconds(int64_t{1} << input.Byte() % 28));
        stack_.OnTimers(clock_.now());
        break;
      case 9:
        draining_ = !draining_;
        break;
    }
    AfterStep();
  }

 private:
  void Establish() {
    wire::TcpOptions options;
    options.mss = 1460;
    options.window_scale = 7;
    options.sack_permitted = true;
    Receive(Build(TcpPacket{.from = peer_,
                            .to = here_,
                            .seq = 999,
                            .flags = wire::TcpFlags::kSyn,
                            .options = options}),
            /*is_ours=*/true);
    AfterStep();
    Receive(Build(TcpPacket{.from = peer_,
                            .to = here_,
                            .seq = 1000,
                            .ack = snd_nxt_,
                            .flags = wire::TcpFlags::kAck,
                            .window = 1000}),
            /*is_ours=*/true);
    AfterStep();
    const auto accepted = stack_.TcpAccept(listener_);
    Check(accepted.ok(), "no connection to begin with");
    socket_ = *accepted;
  }

  // `is_ours`: the peer's first words, which the wire checks must have heard.
  void Receive(ByteSpan bytes, bool is_ours = false) {
    if (is_ours) Check(checks_.OnSent(bytes).empty(), "a bad start");
    checks_.OnDelivered(bytes);
    Packet packet = Packet::Copy(pool_, bytes);
    packet.set_ingress(clock_.now());
    stack_.OnPackets(interface_, {&packet, 1}, clock_.now());
  }

  // For the established connection: checksum right, everything else may be
  // wrong.
  void ReceiveSegment(Input& input) {
    TcpPacket packet = {.from = peer_,
                        .to = here_,
                        .seq = rcv_nxt_ + input.Offset(),
                        .ack = snd_nxt_ + input.Offset(),
                        .flags = input.Byte() | wire::TcpFlags::kAck,
                        .window = input.Word()};
    const uint8_t shape = input.Byte();
    if (shape % 4 == 0) packet.flags = packet.flags.bits() ^ 0x10;
    if (shape % 4 == 1) {
      packet.options = wire::ParseTcpOptions(input.Take(shape / 4 % 41));
    }
    packet.payload.resize(input.Word() % 1461);
    Receive(Build(packet));
  }

  void ReceiveRaw(Input& input) {
    const size_t size = input.Byte();
    Receive(input.Take(size));
  }

  void ReceiveSyn(Input& input) {
    IpEndpoint from = peer_;
    from.port = static_cast<uint16_t>(kPeerPort + 1 + input.Byte() % 8);
    TcpPacket packet = {.from = from,
                        .to = here_,
                        .seq = input.Offset(),
                        .ack = snd_nxt_ + input.Offset(),
                        .flags = wire::TcpFlags::kSyn};
    const uint8_t shape = input.Byte();
    if (shape % 4 == 0) packet.flags = wire::TcpFlags::kAck;
    if (shape % 4 == 1) packet.flags = packet.flags.With(shape >> 2);
    packet.options = wire::ParseTcpOptions(input.Take(shape % 41));
    Receive(Build(packet));
  }

  void ReceiveOther(Input& input) {
    const uint8_t shape = input.Byte();
    const ByteSpan taken = input.Take(input.Byte());
    const Bytes payload(taken.begin(), taken.end());
    if (shape % 2 == 0) {
      Receive(Build(
          UdpPacket{.from = peer_,
                    .to = {here_.address,
                           static_cast<uint16_t>(shape % 4 == 0 ? 53 : shape)},
                    .payload = payload}));
    } else {
      Receive(Build(IcmpPacket{.from = peer_.address,
                               .to = here_.address,
                               .type = static_cast<uint8_t>(shape / 2 % 20),
                               .code = static_cast<uint8_t>(shape / 40),
                               .word = input.Offset(),
                               .payload = payload}));
    }
  }

  void CallUser(Input& input) {
    const Instant now = clock_.now();
    switch (input.Byte() % 8) {
      case 0:
      case 1:
      case 2:
        stack_.TcpSendCopy(socket_, ByteSpan(kData).first(input.Word()), now)
            .IgnoreError();
        break;
      case 3:
      case 4:
        stack_.TcpRecv(socket_, input.Word(), now).IgnoreError();
        break;
      case 5:
        stack_.TcpCloseWrite(socket_, now).IgnoreError();
        break;
      case 6:
        (input.Byte() % 2 == 0 ? stack_.Close(socket_, now)
                               : stack_.Abort(socket_, now))
            .IgnoreError();
        break;
      case 7:
        if (const auto accepted = stack_.TcpAccept(listener_); accepted.ok()) {
          stack_.Close(socket_, now).IgnoreError();
          socket_ = *accepted;
        } else {
          UseUdp(input);
        }
        break;
    }
  }

  void UseUdp(Input& input) {
    switch (input.Byte() % 4) {
      case 0:
        stack_.UdpRecv(udp_, {.max_bytes = input.Byte()}).IgnoreError();
        break;
      case 1:
        stack_.UdpRecv(udp_, {.peek = true}).IgnoreError();
        break;
      case 2:
        stack_
            .UdpSend(udp_, peer_, ByteSpan(kData).first(input.Word()),
                     {.ttl = input.Byte(), .tos = input.Byte()})
            .IgnoreError();
        break;
      case 3:
        stack_
            .UdpConnect(udp_, input.Byte() % 2 == 0 ? std::optional(peer_)
                                                    : std::nullopt)
            .IgnoreError();
        break;
    }
  }

  void AfterStep() {
    while (stack_.NextReady()) {
    }
    PacketBatch batch;
    if (draining_) stack_.DrainOutput(interface_, batch, 100, clock_.now());
    for (const Packet& packet : batch) OnPacketOut(Flatten(packet));
    // While the link is full, senders have not been asked and set no timers.
    if (!stack_.HasOutput(interface_)) stack_.CheckInvariants();
  }

  void OnPacketOut(const Bytes& bytes) {
    const auto read = Read(bytes);
    const bool to_peer = read && read->tcp && read->flow().remote == peer_;
    // A second connection on the ports may have agreed on anything.
    if (to_peer && read->tcp->header.flags.syn() && socket_.IsValid()) {
      peer_is_known_ = false;
    }
    WireChecks stateless(kMtu);
    WireChecks& checks = to_peer && peer_is_known_ ? checks_ : stateless;
    const std::string wrong = checks.OnSent(bytes);
    Check(wrong.empty(), wrong.c_str());
    if (to_peer && !read->tcp->header.flags.rst()) {
      // The peer knows what we say of the connection, and lies on purpose.
      snd_nxt_ = read->tcp->header.seq + read->tcp->len();
      rcv_nxt_ = read->tcp->header.ack;
    }
  }

  static constexpr uint8_t kData[1 << 16] = {};

  VirtualClock clock_;
  SlabPool pool_{0};  // blocks go back at once: sanitizers see stale uses
  SeededRng rng_{1};
  Stack stack_;
  InterfaceId interface_ = 0;
  IpEndpoint here_;
  IpEndpoint peer_;
  SocketId listener_;
  SocketId udp_;
  SocketId socket_;
  WireChecks checks_{kMtu};  // of the connection with the peer
  bool peer_is_known_ = true;
  bool draining_ = true;
  // Of the stack's connection, as last seen on the wire.
  uint32_t snd_nxt_ = 0;
  uint32_t rcv_nxt_ = 1000;
};

}  // namespace
}  // namespace tcpip::sim

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // [fault X39] half of the runs are captured, which must change nothing
  tcpip::Capture capture({.interfaces = {"fuzz0"}, .buffer_bytes = 1 << 16});
  tcpip::sim::World world(size % 2 == 0 ? &capture : nullptr);
  tcpip::fuzz::Input input(data, size);
  for (int i = 0; i < tcpip::sim::kMaxSteps && !input.empty(); ++i) {
    world.Step(input);
  }
  return 0;
}
