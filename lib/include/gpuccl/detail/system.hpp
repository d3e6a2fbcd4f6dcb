#pragma once

#include <cstddef>
#include <memory>

// Memory and threads of the operating system.
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

/// Starts oneTBB while there is memory for it, because oneTBB 2022.1 hangs if memory runs out during
/// its start. Limits it to the number of threads the system allows. Engine calls it; programs that
/// label without one should call it first. Throws Error (memory).
void start_threads();

/// Returns how many more threads, at most `most`, the system allows, less a few for other uses. Starts
/// threads to find out.
int count_startable_threads(int most);

/// Returns the number of threads that share work started here. It respects limits such as --threads, unlike
/// an arena.
int threads_at_work();

}  // namespace gpuccl
#pragma GCC visibility pop
