#include "tcpip/stack/readiness.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr uint8_t kReadable = ReadyBits::kReadable;
constexpr uint8_t kWritable = ReadyBits::kWritable;

TEST(ReadyBits, EveryBitComesBack) {
  for (uint8_t bits = 0; bits < 32; ++bits) {
    EXPECT_EQ(ReadyBits::Pack(ReadyBits::Unpack(bits)), bits);
  }
}

TEST(ReadyList, ReportsNewsOnceInOrder) {
  Socket first;
  Socket second;
  ReadyList list;
  EXPECT_EQ(list.Next(), nullptr);
  list.Update(second, kReadable);
  list.Update(first, kWritable);
  list.Update(second, kReadable | kWritable);
  EXPECT_EQ(list.Next(), &second);
  EXPECT_EQ(list.Next(), &first);
  EXPECT_EQ(list.Next(), nullptr);
  list.Update(first, kWritable);
  EXPECT_EQ(list.Next(), nullptr);
}

TEST(ReadyList, LosingReadinessIsNoNewsButRegainingItIs) {
  Socket socket;
  ReadyList list;
  list.Update(socket, kReadable);
  EXPECT_EQ(list.Next(), &socket);
  list.Update(socket, 0);
  EXPECT_EQ(list.Next(), nullptr);
  list.Update(socket, kReadable);
  EXPECT_EQ(list.Next(), &socket);
}

TEST(ReadyList, WhatCameAndWentIsNotReported) {
  Socket socket;
  ReadyList list;
  list.Update(socket, kReadable);
  list.Update(socket, 0);
  EXPECT_EQ(list.Next(), nullptr);
  list.Update(socket, kReadable);
  EXPECT_EQ(list.Next(), &socket);
}

TEST(ReadyList, NoWakeUpIsLostBetweenReadAndArrival) {
  Socket socket;
  ReadyList list;
  list.Update(socket, kReadable);
  EXPECT_EQ(list.Next(), &socket);
  list.Update(socket, 0);          // the user reads all
  list.Update(socket, kReadable);  // and more arrives before it asks
  EXPECT_EQ(list.Next(), &socket);
}

TEST(ReadyList, KnownStateIsNoNews) {
  Socket socket;
  ReadyList list;
  ReadyList::SetKnown(socket, kWritable);
  list.Update(socket, kWritable);
  EXPECT_EQ(list.Next(), nullptr);
  list.Update(socket, kWritable | kReadable);
  EXPECT_EQ(list.Next(), &socket);
}

TEST(ReadyList, SocketsWithoutAUserAreKeptForLater) {
  Socket socket;
  ReadyList list;
  socket.owner = SocketOwner::kListener;
  list.Update(socket, kReadable);
  EXPECT_EQ(list.Next(), nullptr);
  socket.owner = SocketOwner::kUser;
  list.Update(socket, socket.ready_now);
  EXPECT_EQ(list.Next(), &socket);
}

}  // namespace
}  // namespace tcpip
