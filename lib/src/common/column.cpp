#include "gpuccl/column.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace gpuccl {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLarge = 2 * kHugePage;

/// Of a mapping, which is made of whole pages.
std::size_t in_pages(std::size_t bytes) {
  constexpr std::size_t kPage = std::size_t{1} << 12;
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void* allocate_column(std::size_t bytes) {
  if (bytes < kLarge) return ::operator new(bytes);
  const std::size_t size = in_pages(bytes);
  void* const mapped =
      ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // Huge pages begin at multiples of their size; what is mapped around the column goes back.
  char* const begin = static_cast<char*>(mapped);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(mapped) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, kHugePage - before);
  ::madvise(begin + before, size, MADV_HUGEPAGE);  // advice: not every system takes it
  return begin + before;
}

void free_column(void* column, std::size_t bytes) noexcept {
  if (bytes < kLarge) return ::operator delete(column, bytes);
  ::munmap(column, in_pages(bytes));
}

}  // namespace gpuccl
