// http_get: fetches one file over HTTP/1.0, dialling out through a netstack;
// the body goes to stdout.
//
//   http_get ADDRESS:PORT PATH [--socket PATH]
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/client.h"
#include "examples/arguments.h"

namespace {

int Complain(const std::string& text) {
  std::fprintf(stderr, "http_get: %s\n", text.c_str());
  return 1;
}

// Writes what follows the blank line. An exit code: 1 when the answer was not
// 200 or did not come.
int CopyBody(netstack::Stream& stream) {
  std::vector<uint8_t> buffer(512 * 1024);
  std::string head;
  bool in_body = false;
  for (;;) {
    const auto n = stream.Read(buffer);
    if (!n.ok()) return Complain(std::string(n.status().message()));
    if (*n == 0) break;
    if (in_body) {
      std::fwrite(buffer.data(), 1, *n, stdout);
      continue;
    }
    head.append(reinterpret_cast<const char*>(buffer.data()), *n);
    const size_t end = head.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    if (!absl::StrContains(head.substr(0, head.find("\r\n")), " 200 ")) {
      return Complain(head.substr(0, head.find("\r\n")));
    }
    in_body = true;
    std::fwrite(head.data() + end + 4, 1, head.size() - end - 4, stdout);
  }
  std::fflush(stdout);
  return in_body ? 0 : Complain("the server sent no answer");
}

}  // namespace

int main(int argc, char** argv) {
  const auto [words, target] = Arguments(argc, argv);
  if (words.size() != 2) {
    std::fprintf(stderr, "usage: http_get ADDRESS:PORT PATH [--socket PATH]\n");
    return 2;
  }
  auto client = netstack::Client::Connect(target);
  if (!client.ok()) return Complain(std::string(client.status().message()));
  auto stream = (*client)->Dial(words[0]);
  if (!stream.ok()) return Complain(std::string(stream.status().message()));
  const absl::Status sent = stream->Write(
      absl::StrCat("GET ", words[1], " HTTP/1.0\r\nHost: ", words[0],
                   "\r\nConnection: close\r\n\r\n"));
  if (!sent.ok()) return Complain(std::string(sent.message()));
  const int code = CopyBody(*stream);
  if (code == 0 && stream->CloseWrite().ok()) {
    stream->Finish(tcpip::Duration::Seconds(5)).IgnoreError();
  }
  return code;
}
