#include "tests/service/service_fixture.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "tcpip/link/loopback.h"

namespace netstack {

ServiceTest::ServiceTest() {
  char name[] = "/tmp/service_XXXXXX";
  directory_ = mkdtemp(name);
  path_ = directory_ + "/netstack.sock";
}

ServiceTest::~ServiceTest() {
  listener_.reset();
  client_.reset();
  StopServer();
  rmdir(directory_.c_str());
}

void ServiceTest::StartServer(service::ServerConfig config) {
  listener_.reset();
  client_.reset();
  StopServer();
  tcpip::ShardConfig shard;
  shard.interface.name = "test0";
  shard_ = std::make_unique<tcpip::Shard>(
      shard, std::make_unique<tcpip::Loopback>(), nullptr);
  config.unix_paths = {path_};
  config.interface = shard.interface.name;
  auto server = service::Server::Start(config, *shard_);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  auto client = Client::Connect("unix://" + path_);
  ASSERT_TRUE(client.ok()) << client.status();
  client_ = *std::move(client);
}

void ServiceTest::StopServer() {
  server_.reset();
  shard_.reset();
}

std::shared_ptr<grpc::Channel> ServiceTest::NewChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  return grpc::CreateCustomChannel(
      "unix://" + path_, grpc::InsecureChannelCredentials(), arguments);
}

void ServiceTest::Listen() {
  auto listener = client_->Listen("127.0.0.1:0");
  ASSERT_TRUE(listener.ok()) << listener.status();
  listener_ = *std::move(listener);
}

Pair ServiceTest::Connect() {
  if (listener_ == nullptr) Listen();
  auto near = client_->Dial(listener_->local(), {}, kPatience);
  EXPECT_TRUE(near.ok()) << near.status();
  auto far = listener_->Accept(kPatience);
  EXPECT_TRUE(far.ok()) << far.status();
  return {*std::move(near), *std::move(far)};
}

void ServiceTest::Eventually(const char* what,
                             const std::function<bool()>& done) {
  for (int i = 0; i < 20000; ++i) {
    if (done()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "never: " << what;
}

std::vector<uint8_t> ServiceTest::Pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(i ^ (i >> 8) ^ (i >> 16));
  }
  return bytes;
}

std::vector<uint8_t> ServiceTest::ReadAll(Stream& stream) {
  std::vector<uint8_t> all;
  std::vector<uint8_t> buffer(100'000);
  for (;;) {
    const auto n = stream.Read(buffer, kPatience);
    EXPECT_TRUE(n.ok()) << n.status() << " after " << all.size() << " bytes";
    if (!n.ok() || *n == 0) return all;
    all.insert(all.end(), buffer.begin(),
               buffer.begin() + static_cast<ptrdiff_t>(*n));
  }
}

std::string ServiceTest::ReadText(Stream& stream, size_t size) {
  std::string text;
  std::vector<uint8_t> buffer(size);
  while (text.size() < size) {
    const auto n =
        stream.Read(std::span(buffer).first(size - text.size()), kPatience);
    EXPECT_TRUE(n.ok()) << n.status();
    if (!n.ok() || *n == 0) break;
    text.append(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(*n));
  }
  return text;
}

absl::Status ServiceTest::ReadError(Stream& stream) {
  std::vector<uint8_t> buffer(100'000);
  for (;;) {
    const auto n = stream.Read(buffer, kPatience);
    if (!n.ok()) return n.status();
    if (*n == 0) return absl::OkStatus();
  }
}

void ServiceTest::CloseBoth(Pair& pair) {
  EXPECT_TRUE(pair.near.CloseWrite().ok());
  EXPECT_TRUE(pair.far.CloseWrite().ok());
  EXPECT_EQ(pair.near.Finish(kPatience), absl::OkStatus());
  EXPECT_EQ(pair.far.Finish(kPatience), absl::OkStatus());
}

}  // namespace netstack
