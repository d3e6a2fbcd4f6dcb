#pragma once

#include <cstddef>
#include <memory>

namespace gpuccl {

/// Says that memory, not touched yet and from 2 MiB on, will be used whole: where the system gives huge
/// pages to who asks (Linux, transparent_hugepage "madvise"), first touching it then takes a third of the
/// time. What is not large, or cannot be had, stays as it is.
void advise_huge_pages(void* memory, std::size_t bytes);

/// As std::make_unique_for_overwrite, so advised.
template <class T>
std::unique_ptr<T[]> make_large_for_overwrite(std::size_t count) {
  auto entries = std::make_unique_for_overwrite<T[]>(count);
  advise_huge_pages(entries.get(), count * sizeof(T));
  return entries;
}

}  // namespace gpuccl
