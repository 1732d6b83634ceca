// FlowBook: which connection a script means. It names one socket under test at
// a time: the last that socket() opened, a SYN to a listener began, or accept
// returned; or the one whose ports a packet gives. Ports the script does not
// give are chosen here; one the host chose is learnt from its first packet.
#ifndef CONFORMANCE_FLOW_BOOK_H_
#define CONFORMANCE_FLOW_BOOK_H_

#include <cstdint>
#include <vector>

#include "conformance/flow_map.h"
#include "conformance/script.h"
#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"

namespace conformance {

struct FlowBookOptions {
  tcpip::IpAddress local;
  tcpip::IpAddress remote;
  uint16_t bind_port = 8080;     // what "..." stands for in bind
  uint16_t connect_port = 8080;  // and in connect
  // Added to the ISN the script gives its own side, to see sequence numbers
  // wrap.
  uint32_t remote_isn_shift = 0;
  bool ticking_timestamps = true;  // see TimestampMap
};

class FlowBook {
 public:
  explicit FlowBook(const FlowBookOptions& options);

  // What calls did.
  void OnSocket(bool datagrams);
  void OnBind(const tcpip::IpEndpoint& local);
  void OnListen();
  void OnConnect(const tcpip::IpEndpoint& remote);
  // Of a socket of datagrams; those of streams stay with their peer.
  void OnSendTo(const tcpip::IpEndpoint& remote);
  void OnAccept(const tcpip::IpEndpoint& peer);

  // The flow under test. A SYN to a listener begins one, and so do ports that
  // no flow has.
  const FlowMap& OnInbound(const PacketSpec& packet);
  // Takes from an outbound packet what `expected` says its numbers stand for.
  // The flow under test becomes the one of the ports that `expected` gives,
  // where there is one.
  const FlowMap& OnOutbound(const PacketSpec& expected, tcpip::ByteSpan packet);

  const FlowMap& current() const { return flows_[current_]; }
  // Whether a packet of `flow` belongs to the one under test; one without ports
  // does when its addresses are that flow's.
  bool IsCurrent(const tcpip::FourTuple& flow) const;

 private:
  FlowMap& flow() { return flows_[current_]; }
  void Begin(const tcpip::IpEndpoint& local, uint16_t remote_port);
  // False when no flow has these ports.
  bool Select(uint16_t local_port, uint16_t remote_port);
  void LearnSequence(const PacketSpec& expected, bool syn, uint32_t live);

  FlowBookOptions options_;
  std::vector<FlowMap> flows_;  // never empty
  size_t current_ = 0;
  bool datagrams_ = false;   // the socket under test is of UDP
  bool listening_ = false;   // or a listener
  bool bound_ = false;       // the script gave its port
  bool connecting_ = false;  // its port is not known yet
  uint16_t listen_port_ = 0;
  uint16_t next_remote_port_ = 49152;
};

}  // namespace conformance

#endif  // CONFORMANCE_FLOW_BOOK_H_
