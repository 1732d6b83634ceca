#include "tcpip/base/intrusive_list.h"

#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

struct ByAge;

struct Item : ListNode<Item>, ListNode<Item, ByAge> {
  explicit Item(int n) : value(n) {}
  using Plain = ListNode<Item>;
  using Aged = ListNode<Item, ByAge>;
  int value;
};

// Empties the list.
template <typename Tag>
std::vector<int> Drain(IntrusiveList<Item, Tag>& list) {
  std::vector<int> values;
  while (!list.empty()) values.push_back(list.PopFront().value);
  return values;
}

class IntrusiveListTest : public ::testing::Test {
 protected:
  Item one_{1}, two_{2}, three_{3};
  IntrusiveList<Item> list_;  // last, so that it lets go of the items first
};

TEST_F(IntrusiveListTest, StartsEmpty) {
  EXPECT_TRUE(list_.empty());
  EXPECT_FALSE(one_.Plain::IsLinked());
}

TEST_F(IntrusiveListTest, KeepsTheOrderOfInsertion) {
  list_.PushBack(two_);
  list_.PushBack(three_);
  list_.PushBack(one_);
  EXPECT_EQ(list_.front().value, 2);
  EXPECT_EQ(Drain(list_), (std::vector<int>{2, 3, 1}));
}

TEST_F(IntrusiveListTest, PushFrontGoesBeforeAllOthers) {
  list_.PushFront(two_);
  list_.PushBack(three_);
  list_.PushFront(one_);
  EXPECT_EQ(&list_.PopFront(), &one_);
  EXPECT_EQ(&list_.PopFront(), &two_);
  EXPECT_EQ(&list_.PopFront(), &three_);
}

TEST_F(IntrusiveListTest, AnElementLeavesKnowingOnlyItself) {
  list_.PushBack(one_);
  list_.PushBack(two_);
  list_.PushBack(three_);
  two_.Plain::Unlink();
  two_.Plain::Unlink();
  EXPECT_FALSE(two_.Plain::IsLinked());
  list_.PushBack(two_);
  EXPECT_EQ(Drain(list_), (std::vector<int>{1, 3, 2}));
}

TEST_F(IntrusiveListTest, PopFrontReturnsElementsInOrderAndUnlinksThem) {
  list_.PushBack(one_);
  list_.PushBack(two_);
  EXPECT_EQ(&list_.PopFront(), &one_);
  EXPECT_FALSE(one_.Plain::IsLinked());
  EXPECT_EQ(&list_.PopFront(), &two_);
  EXPECT_TRUE(list_.empty());
}

TEST_F(IntrusiveListTest, ListsWithDifferentTagsAreIndependent) {
  IntrusiveList<Item, ByAge> aged;
  list_.PushBack(one_);
  list_.PushBack(two_);
  aged.PushBack(two_);
  aged.PushBack(one_);
  one_.Plain::Unlink();
  EXPECT_EQ(Drain(list_), (std::vector<int>{2}));
  EXPECT_EQ(Drain(aged), (std::vector<int>{2, 1}));
}

TEST_F(IntrusiveListTest, DestructionLetsTheElementsGo) {
  {
    IntrusiveList<Item> scoped;
    scoped.PushBack(one_);
    scoped.PushBack(two_);
  }
  EXPECT_FALSE(one_.Plain::IsLinked());
  EXPECT_FALSE(two_.Plain::IsLinked());
}

}  // namespace
}  // namespace tcpip
