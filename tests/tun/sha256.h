// SHA-256 (FIPS 180-4) of a stream, by OpenSSL. Errors abort: a digest cannot
// fail but for want of memory.
#ifndef TESTS_TUN_SHA256_H_
#define TESTS_TUN_SHA256_H_

#include <memory>
#include <string>

#include "tcpip/base/bytes.h"

namespace tcpip {

class Sha256 {
 public:
  Sha256();
  ~Sha256();

  void Update(ByteSpan bytes);
  // Of all that Update was given, in hexadecimal. Ends the object's use.
  std::string HexDigest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tcpip

#endif  // TESTS_TUN_SHA256_H_
