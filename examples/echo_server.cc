// echo_server: sends back what it gets, and closes when the peer has closed.
//
//   echo_server [ADDRESS:PORT] [--socket PATH]
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "client/client.h"
#include "examples/arguments.h"

namespace {

void Echo(netstack::Stream stream) {
  std::vector<uint8_t> buffer(64 * 1024);
  for (;;) {
    const auto n = stream.Read(buffer);
    if (!n.ok()) return;
    if (*n == 0) break;
    // Waits while the peer does not read: a full queue is not an error.
    if (!stream.Write({buffer.data(), *n}).ok()) return;
  }
  if (stream.CloseWrite().ok()) {
    stream.Finish(tcpip::Duration::Seconds(10)).IgnoreError();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv, "echo_server [ADDRESS:PORT]", 0, 1);
  const std::string local =
      arguments.words.empty() ? "[::]:7" : arguments.words.back();
  auto client = netstack::Client::Connect(arguments.target);
  auto listener = client.ok() ? (*client)->Listen(local) : client.status();
  if (!listener.ok()) {
    std::fprintf(stderr, "echo_server: %s\n",
                 std::string(listener.status().message()).c_str());
    return 1;
  }
  std::printf("echoing on %s\n", (*listener)->local().c_str());
  std::fflush(stdout);
  for (;;) {
    auto stream = (*listener)->Accept();
    // At the daemon's limit of streams; this peer is reset, others will come.
    if (absl::IsResourceExhausted(stream.status())) continue;
    if (!stream.ok()) {
      std::fprintf(stderr, "echo_server: %s\n",
                   std::string(stream.status().message()).c_str());
      return 1;
    }
    std::thread(Echo, *std::move(stream)).detach();
  }
}
