#include "tests/shards/group_pair.h"

namespace tcpip {

GroupPair::GroupPair(const std::array<size_t, 2>& queues, Queueing queueing,
                     const LinkCapabilities& capabilities)
    : switch_(queues, queueing, capabilities, /*seed=*/1) {
  constexpr const char* kAddresses[2][2] = {{"10.1.0.1/24", "2001:db8::1/64"},
                                            {"10.1.0.2/24", "2001:db8::2/64"}};
  ShardConfig config;
  config.interface.name = "wire";
  for (size_t host = 0; host < 2; ++host) {
    groups_[host] =
        std::make_unique<ShardGroup>(config, switch_.TakeLinks(host));
    clients_[host] = std::make_unique<WaitingClient>(*groups_[host]);
    for (const char* address : kAddresses[host]) {
      client(host).Call<reply::Done>(
          command::AddAddress{"wire", *Cidr::Parse(address)});
    }
    client(host).Call<reply::Done>(
        command::AddRoute{*Cidr::Parse("0.0.0.0/0"), "wire"});
  }
}

StackStats GroupPair::StatsOf(size_t host) {
  return client(host).Call<reply::Stats>(command::GetStats{}).stack;
}

}  // namespace tcpip
