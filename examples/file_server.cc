// file_server: serves a directory over HTTP on sockets of a netstack. The
// example that ./quickstart runs; see client/client.h for the library.
//
//   file_server DIRECTORY [ADDRESS:PORT] [--socket PATH]
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "examples/arguments.h"

namespace {

using netstack::Stream;

constexpr size_t kMaxRequestBytes = 16 * 1024;
constexpr size_t kChunkBytes = 512 * 1024;

struct Request {
  std::string method;
  std::string path;
};

// Reads up to the blank line; an empty method means the client has gone or
// sent nonsense. `rest` keeps what followed.
Request ReadRequest(Stream& stream, std::string& rest) {
  std::string text = std::exchange(rest, "");
  std::vector<uint8_t> buffer(4096);
  size_t end;
  while ((end = text.find("\r\n\r\n")) == std::string::npos) {
    if (text.size() > kMaxRequestBytes) return {};
    const auto n = stream.Read(buffer, tcpip::Duration::Seconds(30));
    if (!n.ok() || *n == 0) return {};
    text.append(reinterpret_cast<const char*>(buffer.data()), *n);
  }
  rest = text.substr(end + 4);
  const size_t method = text.find(' ');
  const size_t path = text.find(' ', method + 1);
  if (method == std::string::npos || path == std::string::npos) return {};
  return {text.substr(0, method), text.substr(method + 1, path - method - 1)};
}

absl::Status Answer(Stream& stream, const char* status, uint64_t length) {
  return stream.Write(absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Length: ",
                                   length, "\r\nServer: netstack\r\n\r\n"));
}

absl::Status SendFile(Stream& stream, int file) {
  std::vector<uint8_t> chunk(kChunkBytes);
  for (;;) {
    const ssize_t n = read(file, chunk.data(), chunk.size());
    if (n == 0) return absl::OkStatus();
    if (n < 0) return absl::DataLossError("cannot read the file");
    absl::Status status = stream.Write({chunk.data(), static_cast<size_t>(n)});
    if (!status.ok()) return status;
  }
}

absl::Status Serve(Stream& stream, const Request& request,
                   const std::string& directory) {
  if (request.method != "GET" && request.method != "HEAD") {
    return Answer(stream, "405 Method Not Allowed", 0);
  }
  if (absl::StrContains(request.path, "..")) {
    return Answer(stream, "403 Forbidden", 0);
  }
  const int file =
      open((directory + request.path).c_str(),
           O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO would hold us
  struct stat facts = {};
  if (file < 0 || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    if (file >= 0) close(file);
    return Answer(stream, "404 Not Found", 0);
  }
  absl::Status status =
      Answer(stream, "200 OK", static_cast<uint64_t>(facts.st_size));
  if (status.ok() && request.method == "GET") status = SendFile(stream, file);
  close(file);
  return status;
}

void ServeConnection(Stream stream, const std::string& directory) {
  std::string rest;
  for (;;) {
    const Request request = ReadRequest(stream, rest);
    if (request.method.empty()) break;
    if (!Serve(stream, request, directory).ok()) return;
  }
  if (stream.CloseWrite().ok()) {
    stream.Finish(tcpip::Duration::Seconds(10)).IgnoreError();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto [words, target] =
      Arguments(argc, argv, "file_server DIRECTORY [ADDRESS:PORT]", 1, 2);
  struct stat facts = {};
  if (stat(words[0].c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
    std::fprintf(stderr, "file_server: %s is no directory\n", words[0].c_str());
    return 1;
  }
  auto client = netstack::Client::Connect(target);
  if (!client.ok()) {
    std::fprintf(stderr, "file_server: %s\n",
                 std::string(client.status().message()).c_str());
    return 1;
  }
  auto listener = (*client)->Listen(words.size() == 2 ? words[1] : "[::]:80");
  if (!listener.ok()) {
    std::fprintf(stderr, "file_server: %s\n",
                 std::string(listener.status().message()).c_str());
    return 1;
  }
  std::printf("serving %s on %s\n", words[0].c_str(),
              (*listener)->local().c_str());
  std::fflush(stdout);
  for (;;) {
    auto stream = (*listener)->Accept();
    // At the daemon's limit of streams; this peer is reset, others will come.
    if (absl::IsResourceExhausted(stream.status())) continue;
    if (!stream.ok()) {
      std::fprintf(stderr, "file_server: %s\n",
                   std::string(stream.status().message()).c_str());
      return 1;
    }
    std::thread(ServeConnection, *std::move(stream), words[0]).detach();
  }
}
