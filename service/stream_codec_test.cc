#include "service/stream_codec.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace netstack::service {
namespace {

using Kind = v1::StreamRequest::MessageCase;

// `bytes` in slices of `each` bytes.
grpc::ByteBuffer Buffer(const std::string& bytes, size_t each = SIZE_MAX) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += slices.back().size()) {
    slices.emplace_back(bytes.substr(at, each));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string Text(const tcpip::OwnedBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.span().data()), bytes.size()};
}

std::string Joined(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string all;
  for (const grpc::Slice& s : slices) {
    all.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  return all;
}

// One of each kind.
std::vector<v1::StreamRequest> Samples() {
  std::vector<v1::StreamRequest> all(7);
  all[0].mutable_open()->mutable_dial()->set_remote("10.0.0.1:80");
  all[1].mutable_open()->mutable_claim()->set_token(std::string(16, '\0'));
  all[1].mutable_open()->mutable_options()->set_no_delay(true);
  all[2].set_data("some bytes");
  all[3].set_data(std::string(300, 'x'));
  all[4].mutable_eof();
  all[5].mutable_reset()->set_reason(v1::Reset::ABORTED);
  all[6].mutable_set_options()->set_keepalive_idle_ms(5000);
  return all;
}

void ExpectSame(const DecodedRequest& decoded, const v1::StreamRequest& want) {
  EXPECT_EQ(decoded.kind, want.message_case());
  if (want.has_data()) {
    EXPECT_EQ(Text(decoded.data), want.data());
    return;
  }
  EXPECT_EQ(decoded.data.size(), 0u);
  EXPECT_EQ(decoded.message.SerializeAsString(), want.SerializeAsString());
}

TEST(StreamCodec, DecodesWhatGeneratedClassesWriteInAnySlices) {
  for (const v1::StreamRequest& sample : Samples()) {
    for (size_t each : {size_t{1}, size_t{2}, size_t{7}, SIZE_MAX}) {
      const auto decoded =
          DecodeStreamRequest(Buffer(sample.SerializeAsString(), each));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      ExpectSame(*decoded, sample);
    }
  }
}

TEST(StreamCodec, DataInOneSliceIsReferencedNotCopied) {
  v1::StreamRequest request;
  request.set_data(std::string(4096, 'x'));
  const grpc::Slice slice(request.SerializeAsString());
  const auto decoded = DecodeStreamRequest(grpc::ByteBuffer(&slice, 1));
  ASSERT_TRUE(decoded.ok());
  EXPECT_GE(decoded->data.span().data(), slice.begin());
  EXPECT_LT(decoded->data.span().data(), slice.end());
}

TEST(StreamCodec, NothingIsAMessageWithoutAMember) {
  const auto decoded = DecodeStreamRequest(Buffer(""));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->kind, Kind::MESSAGE_NOT_SET);
}

TEST(StreamCodec, OfSeveralMembersTheLastWins) {
  const std::vector<v1::StreamRequest> samples = Samples();
  for (const v1::StreamRequest& first : samples) {
    for (const v1::StreamRequest& second : samples) {
      const std::string bytes =
          first.SerializeAsString() + second.SerializeAsString();
      v1::StreamRequest want;
      ASSERT_TRUE(want.ParseFromString(bytes));
      const auto decoded = DecodeStreamRequest(Buffer(bytes, 3));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      ExpectSame(*decoded, want);
    }
  }
}

TEST(StreamCodec, UnknownFieldsAreSkipped) {
  const std::string unknown[] = {
      std::string("\x78\x96\x01", 3),                // field 15, varint
      std::string("\x79", 1) + std::string(8, 'a'),  // fixed 64
      std::string("\x7a\x03xyz", 5),                 // bytes
      std::string("\x7d", 1) + std::string(4, 'a'),  // fixed 32
      std::string("\x10\x05", 2),                    // `data` as a varint
  };
  v1::StreamRequest request;
  request.set_data("payload");
  for (const std::string& field : unknown) {
    const auto decoded = DecodeStreamRequest(
        Buffer(absl::StrCat(field, request.SerializeAsString(), field), 1));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(Text(decoded->data), "payload");
  }
}

TEST(StreamCodec, DamagedBytesAreAnInvalidArgument) {
  const std::string damaged[] = {
      std::string("\x12", 1),                          // a tag without a length
      std::string("\x12\x05xy", 4),                    // shorter than it says
      std::string("\x12\xff", 2),                      // length cut off
      std::string("\x80", 1),                          // tag cut off
      std::string("\x92\x80\x80\x80\x80\x00\x00", 7),  // tag of six bytes
      std::string("\x12\x80\x80\x80\x80\x80\x00", 7),  // length of six
      std::string("\x7a\x80\x80\x80\x80\x80\x00", 7),  // and unknown
      std::string(11, '\xff'),             // a varint without an end
      std::string("\x00\x01", 2),          // field number 0
      std::string("\x7b", 1),              // a group
      std::string("\x79\x01", 2),          // fixed 64 cut off
      std::string("\x0a\x02\x0a\x7f", 4),  // `open` damaged inside
      std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
  };
  for (const std::string& bytes : damaged) {
    EXPECT_EQ(DecodeStreamRequest(Buffer(bytes)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << testing::PrintToString(bytes);
  }
}

TEST(StreamCodec, TooMuchDataSaysWhatIsTaken) {
  v1::StreamRequest request;
  request.set_data(std::string(kMaxDataBytes, 'x'));
  EXPECT_TRUE(DecodeStreamRequest(Buffer(request.SerializeAsString())).ok());
  request.mutable_data()->push_back('x');
  const absl::Status status =
      DecodeStreamRequest(Buffer(request.SerializeAsString())).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find(absl::StrCat(kMaxDataBytes)),
            absl::string_view::npos);
}

// What protobuf takes we take, with the same meaning, and nothing else.
TEST(StreamCodec, AgreesWithGeneratedClassesOnDamagedMessages) {
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    tcpip::SeededRng rng(seed);
    const std::vector<v1::StreamRequest> samples = Samples();
    std::string bytes;
    for (uint64_t n = rng.Next() % 3 + 1; n > 0; --n) {
      bytes += samples[rng.Next() % samples.size()].SerializeAsString();
    }
    for (uint64_t n = rng.Next() % 4; n > 0; --n) {
      bytes[rng.Next() % bytes.size()] = static_cast<char>(rng.Next());
    }
    bytes.resize(bytes.size() - rng.Next() % 2);
    v1::StreamRequest want;
    const bool good = want.ParseFromString(bytes);
    const auto decoded = DecodeStreamRequest(
        Buffer(bytes, static_cast<size_t>(rng.Next() % 8 + 1)));
    // Groups have no place in proto3, but protobuf skips well-formed ones.
    if (good && !decoded.ok()) continue;
    ASSERT_EQ(decoded.ok(), good) << "seed " << seed;
    if (!good) continue;
    ASSERT_EQ(decoded->kind, want.message_case()) << "seed " << seed;
    if (want.has_data()) {
      ASSERT_EQ(Text(decoded->data), want.data()) << "seed " << seed;
    }
  }
}

TEST(StreamCodec, EncodedDataIsWhatGeneratedClassesRead) {
  for (size_t size : {1, 127, 128, 16383, 16384, 1 << 20}) {
    tcpip::OwnedBytes data = tcpip::OwnedBytes::Allocate(size);
    std::memset(data.mutable_data(), 'x', size);
    v1::StreamResponse response;
    ASSERT_TRUE(response.ParseFromString(Joined(EncodeData(std::move(data)))));
    EXPECT_EQ(response.data(), std::string(size, 'x'));
  }
}

TEST(StreamCodec, EncodedDataIsReferencedUntilTheBufferGoes) {
  const auto owner = std::make_shared<std::string>(4096, 'x');
  {
    const grpc::ByteBuffer buffer = EncodeData(tcpip::OwnedBytes(
        reinterpret_cast<const uint8_t*>(owner->data()), owner->size(), owner));
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(StreamCodec, OtherResponsesGoThroughTheGeneratedClass) {
  v1::StreamResponse response;
  response.mutable_opened()->set_local("10.0.0.2:1");
  EXPECT_EQ(Joined(EncodeResponse(response)), response.SerializeAsString());
}

}  // namespace
}  // namespace netstack::service
