// The calls that are not streams: lists, statistics, ping, network, datagrams.
#include <grpcpp/client_context.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/netstack.grpc.pb.h"
#include "tests/service/service_fixture.h"

namespace netstack {
namespace {

using CallsTest = ServiceTest;

TEST_F(CallsTest, ConnectionsAreListedWithTheirFacts) {
  Pair pair = Connect();
  const auto connections = client_->Connections(/*with_info=*/true);
  ASSERT_TRUE(connections.ok()) << connections.status();
  ASSERT_EQ(connections->size(), 3u);
  const auto find = [&](const std::string& state, const std::string& local) {
    return std::find_if(connections->begin(), connections->end(),
                        [&](const v1::Connection& c) {
                          return c.state() == state && c.local() == local;
                        });
  };
  EXPECT_NE(find("LISTEN", listener_->local()), connections->end());
  const auto near = find("ESTAB", pair.near.local());
  ASSERT_NE(near, connections->end());
  EXPECT_EQ(near->remote(), listener_->local());
  EXPECT_GT(near->info().smss(), 0u);
}

TEST_F(CallsTest, ListStopsAtItsLimit) {
  Pair pair = Connect();
  const auto stub = v1::Sockets::NewStub(NewChannel());
  grpc::ClientContext context;
  v1::ListConnectionsRequest request;
  request.set_limit(2);
  const auto reader = stub->ListConnections(&context, request);
  int count = 0;
  for (v1::Connection c; reader->Read(&c);) ++count;
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(count, 2);
}

TEST_F(CallsTest, StatsCountWhatHappened) {
  Pair pair = Connect();
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->counters().at("tcp_active_opens"), 1u);
  EXPECT_EQ(stats->counters().at("tcp_passive_opens"), 1u);
}

TEST_F(CallsTest, PingIsAnsweredOrSaysWhyNot) {
  v1::PingRequest request;
  request.set_remote("127.0.0.1");
  request.set_seq(7);
  const auto reply = client_->Ping(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->remote(), "127.0.0.1");
  EXPECT_EQ(reply->seq(), 7u);
  EXPECT_EQ(reply->payload_bytes(), 56u);
  request.set_remote("nonsense");
  EXPECT_EQ(client_->Ping(request).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// A request without an interface means the daemon's own.
TEST_F(CallsTest, AddressesAndRoutesComeAndGo) {
  auto state = client_->AddAddress("10.9.0.2/24");
  ASSERT_TRUE(state.ok()) << state.status();
  const auto addresses = [&] {
    std::vector<std::string> all;
    for (const v1::Interface& i : state->interfaces()) {
      if (i.name() != "test0") continue;
      all.assign(i.addresses().begin(), i.addresses().end());
    }
    return all;
  };
  EXPECT_EQ(addresses(), std::vector<std::string>{"10.9.0.2/24"});
  const auto has_route = [&] {
    return std::any_of(
        state->routes().begin(), state->routes().end(), [](const v1::Route& r) {
          return r.destination() == "10.8.0.0/16" && r.interface() == "test0";
        });
  };
  state = client_->AddRoute("10.8.1.1/16");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(has_route());
  state = client_->RemoveRoute("10.8.1.1/16");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_FALSE(has_route());
  // As ip(8) takes it, with its prefix length.
  state = client_->RemoveAddress("10.9.0.2/24");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(addresses().empty());
  EXPECT_EQ(client_->AddAddress("nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
}

// The codes that netstack.proto names.
TEST_F(CallsTest, EachRefusalHasItsCode) {
  ASSERT_TRUE(client_->AddAddress("10.9.0.2/24").ok());
  ASSERT_TRUE(client_->AddRoute("10.8.0.0/16").ok());
  Listen();
  const auto dial = [&](const char* remote) {
    return client_->Dial(remote, {}, kPatience).status();
  };
  const auto listen = [&](const std::string& local) {
    return client_->Listen(local).status();
  };
  const auto ping = [&](const char* remote, uint32_t bytes) {
    v1::PingRequest request;
    request.set_remote(remote);
    request.set_payload_bytes(bytes);
    request.set_timeout_ms(20);
    return client_->Ping(request).status();
  };
  const struct {
    absl::StatusCode code;
    absl::Status status;
  } cases[] = {
      {absl::StatusCode::kInvalidArgument, dial("224.0.0.1:80")},
      {absl::StatusCode::kUnavailable, dial("127.0.0.1:1")},
      {absl::StatusCode::kUnavailable, dial("192.0.2.1:80")},
      {absl::StatusCode::kInvalidArgument, listen("192.0.2.1:80")},
      {absl::StatusCode::kAlreadyExists, listen(listener_->local())},
      {absl::StatusCode::kDeadlineExceeded, ping("10.9.0.9", 0)},
      {absl::StatusCode::kUnavailable, ping("192.0.2.1", 0)},
      {absl::StatusCode::kInvalidArgument, ping("10.9.0.9", 65508)},
      {absl::StatusCode::kAlreadyExists,
       client_->AddAddress("10.9.0.2/24").status()},
      {absl::StatusCode::kInvalidArgument,
       client_->AddAddress("224.0.0.1/24").status()},
      {absl::StatusCode::kNotFound,
       client_->RemoveAddress("10.9.0.3").status()},
      {absl::StatusCode::kAlreadyExists,
       client_->AddRoute("10.8.0.0/16").status()},
      {absl::StatusCode::kNotFound,
       client_->RemoveRoute("10.7.0.0/16").status()},
      // [fault L02] asked of the link, which is a loopback here
      {absl::StatusCode::kFailedPrecondition,
       client_->SetOffloads({}).status()},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(cases[i].status.code(), cases[i].code)
        << i << ": " << cases[i].status;
  }
}

// One UDP socket.
class Udp {
 public:
  Udp(v1::Sockets::Stub& stub, const v1::DatagramOpen& open)
      : call_(stub.Datagrams(&context_)) {
    v1::DatagramRequest request;
    *request.mutable_open() = open;
    call_->Write(request);
    local = Next().opened().local();
  }
  ~Udp() {
    context_.TryCancel();
    call_->Finish();
  }
  void Send(const std::string& peer, const std::string& payload) {
    v1::DatagramRequest request;
    request.mutable_datagram()->set_peer(peer);
    request.mutable_datagram()->set_payload(payload);
    EXPECT_TRUE(call_->Write(request));
  }
  v1::DatagramResponse Next() {
    v1::DatagramResponse response;
    EXPECT_TRUE(call_->Read(&response));
    return response;
  }

  std::string local;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::DatagramRequest, v1::DatagramResponse>>
      call_;
};

v1::DatagramOpen OnLoopback() {
  v1::DatagramOpen open;
  open.set_local("127.0.0.1:0");
  return open;
}

TEST_F(CallsTest, DatagramNonsenseIsNamed) {
  v1::DatagramRequest open;
  open.mutable_open()->set_local("127.0.0.1:0");
  v1::DatagramRequest datagram;
  datagram.mutable_datagram()->set_payload("x");
  const struct {
    std::vector<v1::DatagramRequest> requests;
    const char* says;
  } cases[] = {
      {{}, "before `open`"},
      {{datagram}, "must be `open`"},
      {{v1::DatagramRequest()}, "without any known member"},
      {{open, open}, "a second `open`"},
  };
  const auto stub = v1::Sockets::NewStub(NewChannel());
  for (const auto& c : cases) {
    grpc::ClientContext context;
    const auto call = stub->Datagrams(&context);
    for (const v1::DatagramRequest& request : c.requests) call->Write(request);
    call->WritesDone();
    for (v1::DatagramResponse ignored; call->Read(&ignored);) {
    }
    const grpc::Status status = call->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(status.error_message().find(c.says), std::string::npos)
        << status.error_message();
  }
}

// As ECONNREFUSED: told once, and the call goes on.
TEST_F(CallsTest, ARefusedDatagramIsAnErrorAndNotTheEnd) {
  const auto stub = v1::Sockets::NewStub(NewChannel());
  std::string peer;
  {
    Udp gone(*stub, OnLoopback());
    peer = gone.local;
  }
  v1::DatagramOpen open = OnLoopback();
  open.set_remote(peer);
  Udp socket(*stub, open);
  for (int i = 0; i < 2; ++i) {
    socket.Send("", "anybody?");
    const v1::DatagramResponse response = socket.Next();
    ASSERT_TRUE(response.has_error());
    EXPECT_NE(response.error().message().find("refused"), std::string::npos);
  }
}

TEST_F(CallsTest, DatagramsKeepTheirBoundariesEmptyOnesToo) {
  const auto stub = v1::Sockets::NewStub(NewChannel());
  Udp a(*stub, OnLoopback());
  Udp b(*stub, OnLoopback());
  for (const std::string& payload :
       {std::string("one"), std::string(), std::string(1400, 'x')}) {
    a.Send(b.local, payload);
    const v1::DatagramResponse response = b.Next();
    ASSERT_TRUE(response.has_datagram());
    EXPECT_EQ(response.datagram().payload(), payload);
    EXPECT_EQ(response.datagram().peer(), a.local);
  }
}

TEST_F(CallsTest, EachDatagramThatCannotBeSentIsAnErrorAndTheCallGoesOn) {
  const auto stub = v1::Sockets::NewStub(NewChannel());
  Udp a(*stub, OnLoopback());
  Udp b(*stub, OnLoopback());
  a.Send("nonsense", "x");
  a.Send(b.local, std::string(70000, 'x'));
  a.Send("", "x");  // neither connected nor addressed
  a.Send(b.local, "good");
  for (int i = 0; i < 3; ++i) {
    const v1::DatagramResponse response = a.Next();
    ASSERT_TRUE(response.has_error()) << i;
    EXPECT_NE(response.error().message(), "");
  }
  EXPECT_EQ(b.Next().datagram().payload(), "good");
}

TEST_F(CallsTest, DatagramSocketIsGoneWithItsCall) {
  const auto stub = v1::Sockets::NewStub(NewChannel());
  { const Udp a(*stub, OnLoopback()); }
  Eventually("no call left", [&] { return server_->streams() == 0; });
  Eventually("no socket left", [&] {
    const auto stats = client_->Stats();
    return stats.ok() && stats->counters().at("sockets") == 0;
  });
}

}  // namespace
}  // namespace netstack
