#include "common/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace gpuccl {

void advise_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kLarge = std::size_t{16} << 20;  // below, the end that is not used would count
  if (bytes < kLarge) return;
#ifdef MADV_HUGEPAGE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t skipped = (page - address % page) % page;
  madvise(static_cast<std::byte*>(memory) + skipped, bytes - skipped, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
#endif
}

}  // namespace gpuccl
