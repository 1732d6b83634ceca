// netstackctl: look at a running netstackd and use its sockets from a shell.
#include <google/protobuf/util/json_util.h>
#include <grpc/grpc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "cmd/netstackctl/offload_list.h"
#include "cmd/netstackctl/pump.h"
#include "cmd/netstackctl/table.h"
#include "cmd/standard_descriptors.h"

namespace netstack {
namespace {

constexpr char kUsage[] =
    "netstackctl: look at a running netstackd and use its sockets\n"
    "\n"
    "  netstackctl dial HOST:PORT         connect stdin and stdout to a peer\n"
    "  netstackctl listen ADDRESS:PORT    wait for one peer, then the same\n"
    "  netstackctl conns [-i]             connections; -i adds a line of TCP "
    "facts\n"
    "  netstackctl stats [-a]             counters; -a shows zeros too\n"
    "  netstackctl ping ADDRESS [-c N]    ICMP echo, N times [4]\n"
    "  netstackctl addr [add CIDR | del ADDRESS]\n"
    "  netstackctl route [add CIDR | del CIDR]\n"
    "  netstackctl offload RECEIVE SEND   what kernel and stack leave to each "
    "other:\n"
    "                                     none, or some of "
    "checksum,tso4,tso6\n"
    "\n"
    "  --socket PATH   the daemon's socket [/run/netstack/netstack.sock]\n"
    "  --json          conns, stats, addr and route as JSON\n"
    "\n"
    "Exit: 0 done, 1 failed, 2 wrong words, 3 no daemon.\n";

enum ExitCode { kDone = 0, kFailed = 1, kBadUsage = 2, kNoDaemon = 3 };

struct Arguments {
  std::string socket = "/run/netstack/netstack.sock";
  bool json = false;
  bool detail = false;  // -i, -a
  uint32_t count = 4;   // -c
  std::vector<std::string> words;
};

int Complain(int code, const std::string& text) {
  std::fprintf(stderr, "netstackctl: %s\n", text.c_str());
  return code;
}

// Whether a word makes sense, the daemon knows.
int Complain(const absl::Status& status, const std::string& about = "") {
  const bool bad_word = status.code() == absl::StatusCode::kInvalidArgument;
  return Complain(bad_word ? kBadUsage : kFailed,
                  absl::StrCat(about, std::string(status.message())));
}

absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& args) {
  Arguments parsed;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const bool has_next = i + 1 < args.size();
    if (arg == "--json") {
      parsed.json = true;
    } else if (arg == "-i" || arg == "-a") {
      parsed.detail = true;
    } else if (arg == "--socket" && has_next) {
      parsed.socket = args[++i];
    } else if (arg.rfind("--socket=", 0) == 0) {
      parsed.socket = arg.substr(9);
    } else if (arg == "-c" && has_next) {
      if (!absl::SimpleAtoi(args[++i], &parsed.count) || parsed.count == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("-c: '", args[i], "' is not a positive number"));
      }
    } else if (arg.size() > 1 && arg[0] == '-') {
      return absl::InvalidArgumentError(absl::StrCat(
          arg, has_next ? ": unknown flag" : ": unknown flag, or no value",
          "; netstackctl help lists them"));
    } else {
      parsed.words.push_back(arg);
    }
  }
  return parsed;
}

// Prints a message as JSON, one object a line.
int PrintJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json, options)
           .ok()) {
    return Complain(kFailed, "cannot write the answer as JSON");
  }
  std::printf("%s\n", json.c_str());
  return kDone;
}

int Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return kDone;
}

int Dial(Client& client, const Arguments& args) {
  auto stream = client.Dial(args.words[1]);
  if (!stream.ok()) return Complain(stream.status(), args.words[1] + ": ");
  const absl::Status status = Pump(*stream, STDIN_FILENO, STDOUT_FILENO);
  return status.ok() ? kDone : Complain(status);
}

int Listen(Client& client, const Arguments& args) {
  auto listener = client.Listen(args.words[1]);
  if (!listener.ok()) return Complain(listener.status());
  std::fprintf(stderr, "listening on %s\n", (*listener)->local().c_str());
  auto stream = (*listener)->Accept();
  if (!stream.ok()) return Complain(stream.status());
  std::fprintf(stderr, "connection from %s\n", stream->remote().c_str());
  const absl::Status status = Pump(*stream, STDIN_FILENO, STDOUT_FILENO);
  return status.ok() ? kDone : Complain(status);
}

int Conns(Client& client, const Arguments& args) {
  const auto connections = client.Connections(args.detail || args.json);
  if (!connections.ok()) return Complain(connections.status());
  if (!args.json) return Print(ConnectionTable(*connections, args.detail));
  for (const v1::Connection& c : *connections) PrintJson(c);
  return kDone;
}

int Stats(Client& client, const Arguments& args) {
  const auto stats = client.Stats();
  if (!stats.ok()) return Complain(stats.status());
  return args.json ? PrintJson(*stats) : Print(StatsTable(*stats, args.detail));
}

int Ping(Client& client, const Arguments& args) {
  v1::PingRequest request;
  request.set_remote(args.words[1]);
  uint32_t received = 0;
  for (uint32_t seq = 1; seq <= args.count; ++seq) {
    request.set_seq(seq & 0xffff);
    const auto reply = client.Ping(request);
    if (reply.ok()) {
      ++received;
      std::printf("%u bytes from %s: icmp_seq=%u ttl=%u time=%.3f ms\n",
                  reply->payload_bytes() + 8, reply->remote().c_str(),
                  reply->seq(), reply->ttl(), reply->rtt_us() / 1000.0);
    } else if (reply.status().code() == absl::StatusCode::kDeadlineExceeded) {
      std::printf("no answer from %s: icmp_seq=%u\n", args.words[1].c_str(),
                  seq);
    } else {
      return Complain(reply.status());
    }
    std::fflush(stdout);
    if (seq < args.count) sleep(1);
  }
  std::printf("%u sent, %u received\n", args.count, received);
  return received > 0 ? kDone : kFailed;
}

int PrintNetwork(const absl::StatusOr<v1::NetworkState>& state, bool json) {
  if (!state.ok()) return Complain(state.status());
  return json ? PrintJson(*state) : Print(NetworkTable(*state));
}

int Addr(Client& client, const Arguments& args) {
  const auto& words = args.words;
  if (words.size() == 1) return PrintNetwork(client.Network(), args.json);
  return PrintNetwork(words[1] == "add" ? client.AddAddress(words[2])
                                        : client.RemoveAddress(words[2]),
                      args.json);
}

int RouteCommand(Client& client, const Arguments& args) {
  const auto& words = args.words;
  if (words.size() == 1) return PrintNetwork(client.Network(), args.json);
  return PrintNetwork(words[1] == "add" ? client.AddRoute(words[2])
                                        : client.RemoveRoute(words[2]),
                      args.json);
}

int Offload(Client& client, const Arguments& args) {
  const std::optional<v1::Offloads> receive = ParseOffloads(args.words[1]);
  const std::optional<v1::Offloads> send = ParseOffloads(args.words[2]);
  if (!receive || !send) {
    return Complain(kBadUsage, "offload: " + args.words[1] + " " +
                                   args.words[2] +
                                   ": not none, or some of checksum,tso4,tso6");
  }
  v1::SetOffloadsRequest request;
  *request.mutable_receive() = *receive;
  *request.mutable_send() = *send;
  return PrintNetwork(client.SetOffloads(request), args.json);
}

struct Verb {
  const char* name;
  bool add_del;  // takes nothing, or "add X", or "del X"; else `words` words
  size_t words;
  int (*run)(Client&, const Arguments&);
};

constexpr Verb kVerbs[] = {
    {"dial", false, 2, Dial},         {"listen", false, 2, Listen},
    {"conns", false, 1, Conns},       {"stats", false, 1, Stats},
    {"ping", false, 2, Ping},         {"addr", true, 0, Addr},
    {"route", true, 0, RouteCommand}, {"offload", false, 3, Offload},
};

bool Fits(const Verb& verb, const std::vector<std::string>& words) {
  if (!verb.add_del) return words.size() == verb.words;
  return words.size() == 1 ||
         (words.size() == 3 && (words[1] == "add" || words[1] == "del"));
}

int Main(const std::vector<std::string>& argv) {
  const absl::StatusOr<Arguments> args = ParseArguments(argv);
  if (!args.ok()) {
    return Complain(kBadUsage, std::string(args.status().message()));
  }
  if (args->words.empty()) {
    std::fputs(kUsage, stderr);
    return kBadUsage;
  }
  if (args->words[0] == "help") return Print(kUsage);
  const Verb* verb =
      std::find_if(std::begin(kVerbs), std::end(kVerbs),
                   [&](const Verb& v) { return args->words[0] == v.name; });
  if (verb == std::end(kVerbs)) {
    return Complain(kBadUsage, args->words[0] +
                                   ": unknown command; "
                                   "netstackctl help lists them");
  }
  if (!Fits(*verb, args->words)) {
    return Complain(kBadUsage, args->words[0] +
                                   ": wrong number of words; "
                                   "netstackctl help shows them");
  }
  auto client = Client::Connect("unix:" + args->socket);
  if (!client.ok()) {
    return Complain(kNoDaemon, std::string(client.status().message()));
  }
  return verb->run(**client, *args);
}

}  // namespace
}  // namespace netstack

int main(int argc, char** argv) {
  netstack::OpenStandardDescriptors();
  // What is wrong is said once, by us.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // Never given back: the last reference would wait for gRPC's own threads,
  // which can take ten seconds.
  grpc_init();
  std::vector<std::string> args(argv + 1, argv + argc);
  for (std::string& arg : args) {
    if (arg == "--help" || arg == "-h") arg = "help";
  }
  int code = netstack::Main(args);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    code = netstack::Complain(netstack::kFailed, "cannot write to stdout");
  }
  std::_Exit(code);  // past what exit() would wait for
}
