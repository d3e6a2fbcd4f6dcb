#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuccl {

/// Leaves entries that are not given a value uninitialized: whoever fills them touches their memory first.
template <class T>
struct ColumnAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  ColumnAllocator() = default;
  template <class U>
  ColumnAllocator(const ColumnAllocator<U>& /*other*/) {}
  template <class U>
  struct rebind {
    using other = ColumnAllocator<U>;
  };

  void construct(T* /*entry*/) noexcept {}
  template <class... Values>
  void construct(T* entry, Values&&... values) {
    std::construct_at(entry, std::forward<Values>(values)...);
  }
};

/// A vector whose new entries are not initialized.
template <class T>
using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace gpuccl
