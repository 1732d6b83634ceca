#include "tests/tun/sha256.h"

#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tcpip/base/bytes.h"

namespace tcpip {
namespace {

void Require(bool ok) {
  if (ok) return;
  std::fputs("SHA-256 failed\n", stderr);
  std::abort();
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{
      EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  Require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(ByteSpan bytes) {
  Require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) ==
          1);
}

std::string Sha256::HexDigest() {
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  Require(EVP_DigestFinal_ex(state_->context.get(), digest, &size) == 1);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", digest[i]);
    hex += two;
  }
  return hex;
}

}  // namespace tcpip
