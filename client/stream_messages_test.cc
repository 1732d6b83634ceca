#include "client/stream_messages.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace netstack {
namespace {

std::string Joined(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string all;
  for (const grpc::Slice& s : slices) {
    all.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  return all;
}

// `bytes` in slices of `each` bytes.
grpc::ByteBuffer Buffer(const std::string& bytes, size_t each) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += each) {
    slices.emplace_back(bytes.substr(at, each));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

// Reads everything, `each` bytes at a time.
std::string ReadAll(Payload& payload, size_t each) {
  std::string all;
  std::vector<uint8_t> buffer(each);
  while (!payload.empty()) {
    const size_t n = payload.Read(buffer);
    all.append(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(n));
  }
  return all;
}

TEST(StreamMessages, DataComesBackWholeFromAnySlices) {
  for (size_t size : {0, 1, 127, 128, 20000}) {
    v1::StreamResponse response;
    for (size_t i = 0; i < size; ++i) {
      response.mutable_data()->push_back(static_cast<char>(i * 7));
    }
    if (size == 0) response.set_data("");
    const std::string bytes = response.SerializeAsString();
    for (size_t each : {size_t{1}, size_t{3}, size_t{1000}, bytes.size()}) {
      auto decoded = DecodeResponse(Buffer(bytes, each));
      ASSERT_TRUE(decoded.has_value());
      EXPECT_EQ(decoded->message.message_case(),
                v1::StreamResponse::MESSAGE_NOT_SET);
      EXPECT_EQ(decoded->payload.empty(), size == 0);
      EXPECT_EQ(ReadAll(decoded->payload, 501), response.data());
    }
  }
}

TEST(StreamMessages, OtherResponsesAreMessages) {
  v1::StreamResponse response;
  response.mutable_reset()->set_reason(v1::Reset::TIMED_OUT);
  const auto decoded = DecodeResponse(Buffer(response.SerializeAsString(), 1));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->message.reset().reason(), v1::Reset::TIMED_OUT);
  EXPECT_TRUE(decoded->payload.empty());
}

TEST(StreamMessages, PayloadsAreReadOneAfterTheOther) {
  Payload all;
  for (const char* text : {"one ", "", "two ", "three"}) {
    all.Append(Payload({grpc::Slice("skipped"), grpc::Slice(text)}, 7));
  }
  EXPECT_EQ(ReadAll(all, 3), "one two three");
  Payload begun({grpc::Slice("begun"), grpc::Slice("!")}, 0);
  std::vector<uint8_t> two(2);
  begun.Read(two);
  all.Append(Payload({grpc::Slice("x")}, 0));
  all.Append(std::move(begun));
  EXPECT_EQ(ReadAll(all, 3), "xgun!");
}

// A daemon of another version may add fields, or order them otherwise.
TEST(StreamMessages, DataAmongOtherFieldsIsFound) {
  v1::StreamResponse response;
  response.set_data("payload");
  const std::string unknown("\x78\x01", 2);
  for (const std::string& bytes : {response.SerializeAsString() + unknown,
                                   unknown + response.SerializeAsString()}) {
    auto decoded = DecodeResponse(Buffer(bytes, 100));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(ReadAll(decoded->payload, 2), "payload");
  }
}

TEST(StreamMessages, NonsenseIsNothing) {
  EXPECT_FALSE(DecodeResponse(Buffer("\x12\x7f", 2)).has_value());
  EXPECT_FALSE(DecodeResponse(Buffer("\xff\xff", 1)).has_value());
}

TEST(StreamMessages, RequestsAreWhatGeneratedClassesRead) {
  for (size_t size : {1, 127, 128, 16384, 256 * 1024}) {
    const std::vector<uint8_t> data(size, 'x');
    v1::StreamRequest request;
    ASSERT_TRUE(request.ParseFromString(Joined(EncodeDataRequest(data))));
    EXPECT_EQ(request.data(), std::string(size, 'x'));
  }
  v1::StreamRequest eof;
  eof.mutable_eof();
  EXPECT_EQ(Joined(EncodeRequest(eof)), eof.SerializeAsString());
}

}  // namespace
}  // namespace netstack
