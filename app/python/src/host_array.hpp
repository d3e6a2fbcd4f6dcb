#pragma once

#include <Python.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl::python {

/// The axes x, y, z of an array (0, 1, 2) in another order. Equal to kRasterOrder: that of the array.
using AxisOrder = std::array<std::size_t, 3>;
inline constexpr AxisOrder kRasterOrder{0, 1, 2};

/// Memory of an object with the buffer protocol, of one to three axes, as rows and slices. Construct and
/// destroy it with the GIL; any thread may use it.
class HostArray {
 public:
  /// Throws a Python error if the object has no buffer, or not one like that.
  HostArray(PyObject* object, bool writable);
  ~HostArray();
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  const Extent& extent() const { return extent_; }
  std::size_t axes() const { return static_cast<std::size_t>(view_.ndim); }
  /// Returns none for half precision, which is only compared with 0.
  std::optional<ValueType> type() const { return type_; }
  std::size_t bytes_each() const { return static_cast<std::size_t>(view_.itemsize); }
  bool same_shape(const HostArray& other) const;
  /// Returns whether elements of a row are consecutive.
  bool has_whole_rows() const { return strides_[0] == view_.itemsize || extent_.width <= 1; }
  /// Returns whether rows are consecutive without padding, too.
  bool is_contiguous() const;
  /// Returns the first `axes` axes in the order of memory, the fastest first, and then the others.
  AxisOrder memory_order(std::size_t axes) const;
  /// Makes axis order[i] axis i, for each i.
  void turn(const AxisOrder& order);

  std::byte* row(std::int64_t row) const {
    return static_cast<std::byte*>(view_.buf) + row % extent_.height * strides_[1] +
           row / extent_.height * strides_[2];
  }
  /// Returns the consecutive elements of a row, in `copy` unless the array has them.
  const std::byte* whole_row(std::int64_t row, std::vector<std::byte>& copy) const;
  /// Calls work(row, elements) for each row, in any order and with all threads. Elements are consecutive.
  using RowWork = std::function<void(std::int64_t row, const std::byte* elements)>;
  void for_each_row(const RowWork& work) const;

 private:
  template <class T>
  void for_each_turned(std::size_t along, const RowWork& work) const;

  Py_buffer view_{};
  Extent extent_;
  std::array<std::int64_t, 3> strides_{};  // bytes, along x, y, z
  std::optional<ValueType> type_;
};

/// Calls work(word), an unsigned integer of as many bytes.
template <class Work>
void with_word(std::size_t bytes, const Work& work) {
  if (bytes == 1) return work(std::uint8_t{});
  if (bytes == 2) return work(std::uint16_t{});
  bytes == 4 ? work(std::uint32_t{}) : work(std::uint64_t{});
}

/// Calls work(first_row, rows) with all threads, for ranges of rows that are large enough.
void for_rows(const Extent& extent, std::int64_t bytes_of_element,
              const std::function<void(std::int64_t first_row, std::int64_t rows)>& work);

/// Elements that were not read as they are. Thread-safe.
struct Findings {
  std::atomic<bool> nan = false;       // NaN is background
  std::atomic<bool> negative = false;  // negative labels are background
  std::atomic<bool> rounded = false;   // labels differ from integers by at most 0.001
};

/// Packs an array: nonzero elements are foreground, except NaN.
BitVolume pack(const HostArray& array, Findings& findings);
/// Unpacks bits, the lowest of a byte first, in rows of `width`.
BitVolume unpack_rows(const HostArray& array, int width);
/// Returns the elements as they are; NaN is background.
ValueImage read_values(const HostArray& array, double delta, Findings& findings);
/// Returns the elements as labels, which are integers above 0. Negative values and NaN are background.
/// Floating-point values are rounded. Throws Error (data) for values that differ from an integer by more than
/// 0.001, or exceed the range in which their type represents all integers.
ValueImage read_labels(const HostArray& array, Findings& findings);

/// The identifiers of a label image, read from the array when they are listed. Thread-safe.
class ArrayLabels final : public LabelRows {
 public:
  /// Returns whether the elements of an array are such labels: integers of at most 32 bits in whole rows.
  static bool can_list(const HostArray& array);
  ArrayLabels(const HostArray& array, Findings& findings) : array_(array), findings_(findings) {}

  Extent extent() const override { return array_.extent(); }
  Label count() const override { return UINT32_MAX; }  // an upper bound
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  const HostArray& array_;
  Findings& findings_;
};

}  // namespace gpuccl::python
