#include "tcpip/timer/timer_heap.h"

#include <utility>

namespace tcpip {

void TimerHeap::Insert(TimerNode& node, TimerKey key) {
  node.filed_ = key;
  root_ = root_ == nullptr ? &node : Link(root_, &node);
}

void TimerHeap::Remove(TimerNode& node) {
  TimerNode* below = LinkSiblings(std::exchange(node.child_, nullptr));
  if (&node == root_) {
    root_ = below;
    return;
  }
  TimerNode*& from_prev =
      node.prev_->child_ == &node ? node.prev_->child_ : node.prev_->next_;
  from_prev = node.next_;
  if (node.next_ != nullptr) node.next_->prev_ = node.prev_;
  node.next_ = node.prev_ = nullptr;
  if (below != nullptr) root_ = Link(root_, below);
}

// Puts the later of two trees under the earlier and returns that.
TimerNode* TimerHeap::Link(TimerNode* a, TimerNode* b) {
  if (b->filed_ < a->filed_) std::swap(a, b);
  b->prev_ = a;
  b->next_ = a->child_;
  if (b->next_ != nullptr) b->next_->prev_ = b;
  a->child_ = b;
  return a;
}

// Makes one tree of a list of siblings: pairs from the left, then all pairs
// from the right. The two passes give the logarithmic bound.
TimerNode* TimerHeap::LinkSiblings(TimerNode* first) {
  TimerNode* pairs = nullptr;  // linked by next_, the last pair first
  while (first != nullptr) {
    TimerNode* a = first;
    TimerNode* b = a->next_;
    first = b == nullptr ? nullptr : b->next_;
    TimerNode* pair = b == nullptr ? a : Link(a, b);
    pair->next_ = std::exchange(pairs, pair);
  }
  TimerNode* root = nullptr;
  while (pairs != nullptr) {
    TimerNode* pair = std::exchange(pairs, pairs->next_);
    root = root == nullptr ? pair : Link(root, pair);
  }
  if (root != nullptr) root->next_ = root->prev_ = nullptr;
  return root;
}

}  // namespace tcpip
