#pragma once

#include <cstddef>
#include <memory>

#pragma GCC visibility push(default)
namespace gpuccl {

/// Requests transparent huge pages for untouched memory of 2 MiB or more that will be used completely.
/// First touch then takes a third of the time. Has no effect if they are not available (Linux,
/// transparent_hugepage "madvise").
void advise_huge_pages(void* memory, std::size_t bytes);

/// Like std::make_unique_for_overwrite, with advise_huge_pages().
template <class T>
std::unique_ptr<T[]> make_large_for_overwrite(std::size_t count) {
  auto entries = std::make_unique_for_overwrite<T[]>(count);
  advise_huge_pages(entries.get(), count * sizeof(T));
  return entries;
}

}  // namespace gpuccl
#pragma GCC visibility pop
