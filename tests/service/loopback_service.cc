// A socket service without a device: serves its sockets, which reach each other
// at 127.0.0.1, on a Unix socket until the standard input ends.
//
//   loopback_service PATH
#include <cstdio>
#include <memory>
#include <utility>

#include "service/server.h"
#include "tcpip/link/loopback.h"
#include "tcpip/shard/shard.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: loopback_service PATH\n");
    return 2;
  }
  tcpip::ShardConfig config;
  config.interface.name = "test0";
  tcpip::Shard shard(config, std::make_unique<tcpip::Loopback>(), nullptr);
  netstack::service::ServerConfig service;
  service.unix_paths = {argv[1]};
  service.interface = config.interface.name;
  const auto server = netstack::service::Server::Start(service, shard);
  if (!server.ok()) {
    std::fprintf(stderr, "%s\n", server.status().ToString().c_str());
    return 1;
  }
  std::puts("serving");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
