#include "tcpip/stack/capture.h"

#include <string_view>
#include <utility>

namespace tcpip {

using Direction = pcapng::Record::Direction;

Capture::Capture(const CaptureConfig& config) : config_(config) {
  pcapng::AppendSectionHeader(bytes_, config_.program);
  for (const std::string& name : config_.interfaces) {
    pcapng::AppendInterface(bytes_, name, config_.snap_length);
  }
}

pcapng::Record Capture::RecordOf(InterfaceId interface, Instant now,
                                 Direction direction) const {
  return {.interface = interface,
          .direction = direction,
          .unix_nanoseconds = config_.unix_nanoseconds_at_zero +
                              static_cast<uint64_t>(now.nanoseconds()),
          .snap_length = config_.snap_length};
}

void Capture::Append(const pcapng::Record& record, const Packet& packet) {
  last_in_.reset();
  if (bytes_.size() >= config_.buffer_bytes) {
    ++left_out_;
    return;
  }
  if (record.direction == Direction::kIn) last_in_ = bytes_.size();
  pcapng::AppendPacket(bytes_, record, packet);
}

void Capture::OnPacketIn(InterfaceId interface, const Packet& packet,
                         Instant now) {
  reasons_.clear();
  Append(RecordOf(interface, now, Direction::kIn), packet);
}

void Capture::OnPacketOut(InterfaceId interface, const Packet& packet,
                          Instant now) {
  Append(RecordOf(interface, now, Direction::kOut), packet);
}

// Its record is the last: it is written again, with the comment.
void Capture::OnDrop(InterfaceId interface, const Packet& packet,
                     DropReason reason, Instant now) {
  if (!last_in_) return;  // left out
  reasons_ += reasons_.empty() ? "dropped: " : ", ";
  reasons_ += ToString(reason);
  bytes_.resize(*last_in_);
  pcapng::Record record = RecordOf(interface, now, Direction::kIn);
  record.comment = reasons_;
  pcapng::AppendPacket(bytes_, record, packet);
}

std::vector<uint8_t> Capture::Take() {
  last_in_.reset();
  return std::exchange(bytes_, {});
}

}  // namespace tcpip
