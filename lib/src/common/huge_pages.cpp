#include "gpuccl/detail/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace gpuccl {

void advise_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < kHugePage) return;
#ifdef MADV_HUGEPAGE
  // From the page on in which the memory begins, for malloc keeps its own few bytes before it; to the last
  // byte, because the kernel gives huge pages only where all of one was asked for.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(memory) % page;
  madvise(static_cast<std::byte*>(memory) - before, before + bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
#endif
}

}  // namespace gpuccl
