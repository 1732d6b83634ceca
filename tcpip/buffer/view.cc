#include "tcpip/buffer/view.h"

#include <cassert>
#include <cstring>

namespace tcpip {

View View::Copy(SlabPool& pool, ByteSpan bytes) {
  if (bytes.empty()) return View();
  SlabRef slab = pool.Allocate(SlabPool::ClassFor(bytes.size()));
  assert(bytes.size() <= slab.capacity());
  std::memcpy(slab.bytes(), bytes.data(), bytes.size());
  return View(std::move(slab), 0, static_cast<uint32_t>(bytes.size()));
}

}  // namespace tcpip
