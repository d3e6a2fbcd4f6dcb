#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuccl {

/// Allocator that leaves new entries uninitialized, so the thread that fills them touches their memory first.
/// Aligns large arrays to huge pages.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>& /*other*/) {}
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };

  T* allocate(std::size_t count) {
    if (count < kLarge) return std::allocator<T>::allocate(count);
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kHugePage}));
  }
  void deallocate(T* entries, std::size_t count) {
    if (count < kLarge) return std::allocator<T>::deallocate(entries, count);
    ::operator delete (entries, std::align_val_t{kHugePage});
  }

  void construct(T* /*entry*/) noexcept {}
  template <class... Values>
  void construct(T* entry, Values&&... values) {
    std::construct_at(entry, std::forward<Values>(values)...);
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20, kLarge = kHugePage / sizeof(T);
};

/// A vector whose new entries are not initialized.
template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace gpuccl
