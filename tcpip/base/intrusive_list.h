// A doubly linked list whose links live in the elements, so that insertion and
// removal never allocate and an element can leave in O(1) knowing only itself.
//
//   struct Timer : ListNode<Timer> { ... };
//   IntrusiveList<Timer> due;
//
// An element is in at most one list per Tag. The list does not own its
// elements; an element must be unlinked before it is destroyed (checked in
// debug builds).
#ifndef TCPIP_BASE_INTRUSIVE_LIST_H_
#define TCPIP_BASE_INTRUSIVE_LIST_H_

#include <cassert>

namespace tcpip {

template <typename T, typename Tag = void>
class IntrusiveList;

template <typename T, typename Tag = void>
class ListNode {
 public:
  ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  ~ListNode() { assert(!IsLinked()); }

  bool IsLinked() const { return next_ != nullptr; }

  // Leaves whatever list this is in; nothing happens when in none.
  void Unlink() {
    if (!IsLinked()) return;
    prev_->next_ = next_;
    next_->prev_ = prev_;
    prev_ = next_ = nullptr;
  }

 private:
  friend class IntrusiveList<T, Tag>;
  ListNode* prev_ = nullptr;
  ListNode* next_ = nullptr;
};

template <typename T, typename Tag>
class IntrusiveList {
 public:
  IntrusiveList() { root_.prev_ = root_.next_ = &root_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() {
    Clear();
    root_.prev_ = root_.next_ = nullptr;
  }

  bool empty() const { return root_.next_ == &root_; }
  T& front() { return *Element(root_.next_); }
  const T& front() const { return *static_cast<const T*>(root_.next_); }

  void PushBack(T& element) {
    Node& node = element;
    assert(!node.IsLinked());
    node.prev_ = root_.prev_;
    node.next_ = &root_;
    root_.prev_->next_ = &node;
    root_.prev_ = &node;
  }

  void PushFront(T& element) {
    Node& node = element;
    assert(!node.IsLinked());
    node.prev_ = &root_;
    node.next_ = root_.next_;
    root_.next_->prev_ = &node;
    root_.next_ = &node;
  }

  // Removes and returns the first element. The list must not be empty.
  T& PopFront() {
    T& element = front();
    static_cast<ListNode<T, Tag>&>(element).Unlink();
    return element;
  }

  void Clear() {
    while (!empty()) root_.next_->Unlink();
  }

 private:
  using Node = ListNode<T, Tag>;
  static T* Element(Node* n) { return static_cast<T*>(n); }
  Node root_;
};

}  // namespace tcpip

#endif  // TCPIP_BASE_INTRUSIVE_LIST_H_
