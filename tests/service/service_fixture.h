// ServiceTest: a whole socket service in this process. A shard without a
// device, whose sockets reach each other at 127.0.0.1; a server on a Unix
// socket in a directory of its own; a client.
#ifndef TESTS_SERVICE_SERVICE_FIXTURE_H_
#define TESTS_SERVICE_SERVICE_FIXTURE_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/client.h"
#include "gtest/gtest.h"
#include "service/server.h"
#include "tcpip/shard/shard.h"

namespace netstack {

// Both ends of a connection.
struct Pair {
  Stream near;  // dialled
  Stream far;   // accepted
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest();
  ~ServiceTest() override;

  void SetUp() override { StartServer({}); }
  void StartServer(service::ServerConfig config);
  void StopServer();

  // A channel of its own, for tests that speak gRPC themselves.
  std::shared_ptr<grpc::Channel> NewChannel() const;

  // A connection through `client_`. Listens when nothing does.
  Pair Connect();
  void Listen();

  // Waits until `done`; fails after some seconds.
  static void Eventually(const char* what, const std::function<bool()>& done);

  static std::vector<uint8_t> Pattern(size_t size);
  static absl::Status WriteText(Stream& stream, const std::string& text) {
    return stream.Write(text, kPatience);
  }
  // Up to the peer's end of data, which must come.
  static std::vector<uint8_t> ReadAll(Stream& stream);
  static std::string ReadText(Stream& stream, size_t size);
  // What ends the reading.
  static absl::Status ReadError(Stream& stream);
  // Ends both directions in good order.
  static void CloseBoth(Pair& pair);

  static constexpr tcpip::Duration kPatience = tcpip::Duration::Seconds(60);

  std::string directory_;
  std::string path_;
  std::unique_ptr<tcpip::Shard> shard_;
  std::unique_ptr<service::Server> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace netstack

#endif  // TESTS_SERVICE_SERVICE_FIXTURE_H_
