// http_get: fetches one file over HTTP/1.0, dialling out through a netstack;
// the body goes to stdout.
//
//   http_get ADDRESS:PORT PATH [--socket PATH]
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/client.h"
#include "examples/arguments.h"

namespace {

int Complain(const std::string& text) {
  std::fprintf(stderr, "http_get: %s\n", text.c_str());
  return 1;
}

// The Content-Length of a header; UINT64_MAX when it names none.
uint64_t LengthIn(const std::string& head) {
  constexpr absl::string_view kName = "\r\ncontent-length:";
  const std::string lower = absl::AsciiStrToLower(head);
  const size_t at = lower.find(kName.data(), 0, kName.size());
  uint64_t length = UINT64_MAX;
  if (at == std::string::npos) return length;
  const std::string value = lower.substr(at + kName.size());
  (void)absl::SimpleAtoi(value.substr(0, value.find('\r')), &length);
  return length;
}

// Writes what follows the blank line. An exit code: 1 when the answer was not
// 200, or did not come whole.
int CopyBody(netstack::Stream& stream) {
  std::vector<uint8_t> buffer(512 * 1024);
  std::string head;
  bool in_body = false;
  uint64_t written = 0;
  uint64_t length = UINT64_MAX;
  const auto write = [&written](const void* bytes, size_t size) {
    written += std::fwrite(bytes, 1, size, stdout);
  };
  for (;;) {
    const auto n = stream.Read(buffer);
    if (!n.ok()) return Complain(std::string(n.status().message()));
    if (*n == 0) break;
    if (in_body) {
      write(buffer.data(), *n);
      continue;
    }
    head.append(reinterpret_cast<const char*>(buffer.data()), *n);
    const size_t end = head.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    if (!absl::StrContains(head.substr(0, head.find("\r\n")), " 200 ")) {
      return Complain(head.substr(0, head.find("\r\n")));
    }
    in_body = true;
    length = LengthIn(head.substr(0, end + 2));
    write(head.data() + end + 4, head.size() - end - 4);
  }
  if (!in_body) return Complain("the server sent no answer");
  if (std::fflush(stdout) != 0) return Complain("cannot write to stdout");
  if (length != UINT64_MAX && written != length) {
    return Complain(absl::StrCat("got ", written, " of ", length, " bytes"));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto [words, target] =
      Arguments(argc, argv, "http_get ADDRESS:PORT PATH", 2, 2);
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
