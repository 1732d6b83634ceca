#include "client/listener.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <future>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace netstack {
namespace {

// Takes calls and says nothing until it is released.
class SilentSockets final : public v1::Sockets::Service {
 public:
  void Release() { released_.set_value(); }

  grpc::Status Listen(grpc::ServerContext*, const v1::ListenRequest*,
                      grpc::ServerWriter<v1::ListenEvent>*) override {
    released_.get_future().wait();
    return grpc::Status::OK;
  }

 private:
  std::promise<void> released_;
};

// With real daemons: tests/service/listen_test.
TEST(Listener, OpenGivesUpOnASilentDaemonInTime) {
  SilentSockets silent;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&silent);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto listener =
      Listener::Open(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                         grpc::InsecureChannelCredentials()),
                     {}, tcpip::Duration::Milliseconds(50));
  EXPECT_EQ(listener.status().code(), absl::StatusCode::kDeadlineExceeded)
      << listener.status();
  silent.Release();
}

}  // namespace
}  // namespace netstack
