// Every constant and knob of TCP, with unit and source. One TcpConfig per
// stack; SocketSettings are what a socket may override.
#ifndef TCPIP_TRANSPORT_TCP_CONFIG_H_
#define TCPIP_TRANSPORT_TCP_CONFIG_H_

#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip::tcp {

inline constexpr Duration kMsl = Duration::Seconds(30);  // TIME-WAIT is 2 MSL
inline constexpr uint16_t kDefaultMssIpv4 = 536;   // [RFC 9293 3.7.1 MUST-15]
inline constexpr uint16_t kDefaultMssIpv6 = 1220;  // [RFC 9293 3.7.1 MUST-15]
inline constexpr uint16_t kMinMss = 48;            // [fault X14]
inline constexpr uint32_t kDupThresh = 3;          // [RFC 6675 2]
inline constexpr uint32_t kMaxWindow = uint32_t{1} << 30;  // [RFC 7323 2.3]

enum class CongestionAlgorithm : uint8_t { kReno };

// Who may use ECN. [RFC 3168 6.1.1]
enum class EcnMode : uint8_t {
  kOff,
  kPassive,  // a peer that asks for it
  kActive,   // and we ask for it, too
};

struct TcpConfig {
  // Retransmission timer. [RFC 6298 2] with Linux's bounds.
  Duration initial_rto = Duration::Seconds(1);
  Duration min_rto = Duration::Milliseconds(200);
  Duration max_rto = Duration::Seconds(120);
  // Timer granularity G and the clock's resolution.
  Duration clock_granularity = Duration::Milliseconds(1);

  // Unanswered transmissions before giving up.
  uint8_t syn_retries = 6;     // 127 s
  uint8_t synack_retries = 5;  // 63 s
  // Of a listener that is half full of half-open connections. [fault X30]
  uint8_t synack_retries_under_pressure = 2;  // 7 s
  uint8_t data_retries = 15;                  // about 15 minutes

  uint32_t initial_window_segments = 10;  // [RFC 6928 2]
  CongestionAlgorithm congestion = CongestionAlgorithm::kReno;
  // Segments that may leave in one event without pacing.
  uint32_t max_burst_segments = 32;

  // Acknowledging. [req A-38]
  Duration delayed_ack = Duration::Milliseconds(5);
  uint16_t quick_ack_segments = 32;

  // Short writes: the longest a held write waits. [req A-33]
  Duration hold_limit = Duration::Milliseconds(40);

  // Zero-window probes back off from the RTO to this. [fault W01]
  Duration max_persist = Duration::Seconds(60);

  Duration time_wait = kMsl * 2;
  uint32_t max_time_wait = 65536;              // oldest evicted
  Duration fin_wait2 = Duration::Seconds(60);  // orphans only [fault C16]

  bool sack = true;
  bool timestamps = true;
  bool window_scaling = true;
  EcnMode ecn = EcnMode::kPassive;

  uint32_t max_half_open = 4096;  // per listener
};

struct SocketSettings {
  uint32_t send_buffer_bytes = uint32_t{4} << 20;
  uint32_t receive_buffer_bytes = uint32_t{4} << 20;
  bool no_delay = false;
  bool keepalive = false;
  uint8_t keepalive_count = 9;
  Duration keepalive_idle = Duration::Seconds(7200);
  Duration keepalive_interval = Duration::Seconds(75);
  Duration user_timeout = Duration::Zero();  // zero: retries decide
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONFIG_H_
