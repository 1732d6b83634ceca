// FakeHost: a host that does what a test says, for the tests of what runs
// scripts: packets that leave at given times, results of calls that come after
// given times. Remembers what was asked of it.
#ifndef CONFORMANCE_FAKE_HOST_H_
#define CONFORMANCE_FAKE_HOST_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/call.h"
#include "conformance/host.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"

namespace conformance {

class FakeHost final : public Host {
 public:
  // --- What it does. Packets in the order of their times.
  void Sends(tcpip::Duration at, std::vector<uint8_t> packet) {
    to_send_.push_back({at, std::move(packet)});
  }
  // The next call that starts, and so on; one without an answer blocks.
  void Answers(CallResult result, tcpip::Duration after = {}) {
    answers_.emplace_back(after, std::move(result));
  }
  void Has(std::vector<std::string> states) { states_ = std::move(states); }

  // --- What was asked of it.
  const std::vector<std::vector<uint8_t>>& injected() const {
    return injected_;
  }
  const std::vector<Call>& calls() const { return calls_; }
  int drops() const { return drops_; }

  // --- Host.
  tcpip::Duration now() const override { return now_; }
  void AdvanceTo(tcpip::Duration when) override { now_ = std::max(now_, when); }
  void Inject(tcpip::ByteSpan packet) override {
    injected_.emplace_back(packet.begin(), packet.end());
  }
  std::optional<SentPacket> NextPacket(tcpip::Duration until) override {
    if (to_send_.empty() || to_send_.front().at > std::max(now_, until)) {
      AdvanceTo(until);
      return std::nullopt;
    }
    SentPacket packet = std::move(to_send_.front());
    to_send_.pop_front();
    AdvanceTo(packet.at);
    return packet;
  }
  CallId StartCall(const Call& call) override {
    calls_.push_back(call);
    if (!answers_.empty()) {
      auto& [after, result] = answers_.front();
      results_[calls_.size()] = {now_ + after, std::move(result)};
      answers_.pop_front();
    }
    return calls_.size();
  }
  std::optional<Finished> FinishCall(CallId id,
                                     tcpip::Duration until) override {
    const auto it = results_.find(id);
    if (it == results_.end() || it->second.at > std::max(now_, until)) {
      AdvanceTo(until);
      return std::nullopt;
    }
    AdvanceTo(it->second.at);
    return std::move(results_.extract(it).mapped());
  }
  std::vector<std::string> TcpStates() override { return states_; }
  void DropConnections() override { ++drops_; }

 private:
  tcpip::Duration now_;
  std::deque<SentPacket> to_send_;
  std::deque<std::pair<tcpip::Duration, CallResult>> answers_;
  std::map<CallId, Finished> results_;
  std::vector<std::string> states_;
  std::vector<std::vector<uint8_t>> injected_;
  std::vector<Call> calls_;
  int drops_ = 0;
};

}  // namespace conformance

#endif  // CONFORMANCE_FAKE_HOST_H_
