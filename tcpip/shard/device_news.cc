#include "tcpip/shard/device_news.h"

namespace tcpip {
namespace {

LinkOffloads operator|(const LinkOffloads& a, const LinkOffloads& b) {
  return {.checksum = a.checksum || b.checksum,
          .tso4 = a.tso4 || b.tso4,
          .tso6 = a.tso6 || b.tso6};
}

}  // namespace

void DeviceNews::OnQueueLost() {
  std::lock_guard lock(mutex_);
  if (lost_++ > 0) return;
  unusable_ = absl::OkStatus();
  if (observer_ != nullptr) observer_->OnLinkLost();
}

void DeviceNews::OnQueueBack() {
  std::lock_guard lock(mutex_);
  if (--lost_ == 0 && observer_ != nullptr) observer_->OnLinkBack();
}

void DeviceNews::OnQueueUnusable(const absl::Status& why) {
  std::lock_guard lock(mutex_);
  if (unusable_ == why) return;
  unusable_ = why;
  if (observer_ != nullptr) observer_->OnLinkUnusable(why);
}

void DeviceNews::OnRefused(size_t queue, const LinkOffloads& refused) {
  std::lock_guard lock(mutex_);
  refused_[queue] = refused;
  if (refused == LinkOffloads{}) {
    told_ = {};
    return;
  }
  LinkOffloads all;
  for (const LinkOffloads& each : refused_) all = all | each;
  if ((told_ | all) == told_) return;
  told_ = all;
  if (observer_ != nullptr) observer_->OnOffloadsRefused(all);
}

}  // namespace tcpip
