// FlowBook: which connection a script means. It names one socket under test at
// a time: the last that socket() opened, a SYN to a listener began, or accept
// returned. Ports the script does not give are chosen here; the host's own is
// learnt from its SYN.
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
  void OnSocket();
  void OnBind(const tcpip::IpEndpoint& local);
  void OnListen();
  void OnConnect(const tcpip::IpEndpoint& remote);
  void OnAccept(const tcpip::IpEndpoint& peer);

  // The flow under test. A SYN to a listener begins one.
  const FlowMap& OnInbound(const PacketSpec& packet);
  // Takes from an outbound packet what `expected` says its numbers stand for.
  // The flow under test becomes the one of these ports, where there is one.
  const FlowMap& OnOutbound(const PacketSpec& expected, tcpip::ByteSpan packet);

  const FlowMap& current() const { return flows_[current_]; }
  // Whether a packet of `flow` belongs to the one under test.
  bool IsCurrent(const tcpip::FourTuple& flow) const;

 private:
  FlowMap& flow() { return flows_[current_]; }
  void Begin(const tcpip::IpEndpoint& local, uint16_t remote_port);
  void LearnSequence(const PacketSpec& expected, bool syn, uint32_t live);

  FlowBookOptions options_;
  std::vector<FlowMap> flows_;  // never empty
  size_t current_ = 0;
  bool listening_ = false;   // the socket under test is a listener
  bool connecting_ = false;  // and its port is not known yet
  uint16_t listen_port_ = 0;
  uint16_t next_remote_port_ = 49152;
};

}  // namespace conformance

#endif  // CONFORMANCE_FLOW_BOOK_H_
