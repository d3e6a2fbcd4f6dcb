#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuccl {

/// Memory for a column; of some MiB and more in huge pages where the system has them, because fresh memory
/// costs its time by the page. Throws std::bad_alloc.
void* allocate_column(std::size_t bytes);
void free_column(void* column, std::size_t bytes) noexcept;

/// Leaves entries that are not given a value uninitialized: whoever fills them touches their memory first.
template <class T>
struct ColumnAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using value_type = T;

  ColumnAllocator() = default;
  template <class U>
  ColumnAllocator(const ColumnAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_column(count * sizeof(T))); }
  void deallocate(T* column, std::size_t count) noexcept { free_column(column, count * sizeof(T)); }

  void construct(T* /*entry*/) noexcept {}
  template <class... Values>
  void construct(T* entry, Values&&... values) {
    ::new (static_cast<void*>(entry)) T(std::forward<Values>(values)...);
  }

  friend bool operator==(const ColumnAllocator&, const ColumnAllocator&) = default;
};

/// A vector whose new entries are not initialized.
template <class T>
using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace gpuccl
