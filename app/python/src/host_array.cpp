#include "host_array.hpp"

#include <nanobind/nanobind.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "gpuccl/detail/pack_samples.hpp"

namespace gpuccl::python {
namespace {

/// An attribute of the type of elements, as text; empty: there is none.
std::string dtype_text(PyObject* array, const char* attribute) {
  const nanobind::object dtype = nanobind::getattr(nanobind::handle(array), "dtype", nanobind::none());
  const nanobind::object value = nanobind::getattr(dtype, attribute, nanobind::none());
  return value.is_none() ? std::string() : nanobind::str(nanobind::handle(value)).c_str();
}

/// Raises a TypeError with NumPy's name of the type.
[[noreturn]] void refuse_type(PyObject* object) {
  std::string name = dtype_text(object, "name");
  if (name.empty()) name = nanobind::type_name(nanobind::handle(object).type()).c_str();
  throw nanobind::type_error(
      ("an array of bool, integers or floating-point numbers is needed, not of " + name).c_str());
}

/// Parses the format of a buffer, as in the module struct; returns none for half precision.
std::optional<ValueType> type_of(const Py_buffer& view, PyObject* object) {
  const std::string format = view.format != nullptr ? view.format : "B";
  const char* code = format.c_str();
  if (*code == '@' || *code == '=' || *code == '<') ++code;  // this machine is little-endian
  if (code[0] != '\0' && code[1] == '\0') {
    const bool is_signed = std::strchr("bhilqn", *code) != nullptr;
    if (std::strchr("?cbBhHiIlLqQnN", *code) != nullptr) switch (view.itemsize) {
        case 1:
          return is_signed ? ValueType::i8 : ValueType::u8;
        case 2:
          return is_signed ? ValueType::i16 : ValueType::u16;
        case 4:
          return is_signed ? ValueType::i32 : ValueType::u32;
        case 8:
          return is_signed ? ValueType::i64 : ValueType::u64;
        default:
          break;
      }
    if (*code == 'e') return std::nullopt;
    if (*code == 'f') return ValueType::f32;
    if (*code == 'd') return ValueType::f64;
  }
  refuse_type(object);
}

/// Returns the bitwise or of test(element) for consecutive elements. Blocks have a constant length, so loops
/// are vectorized.
template <class T, class Test>
auto any_bits(const std::byte* row, std::int64_t width, const Test& test) {
  decltype(test(T{})) found = 0;
  const auto add = [&](std::size_t x) {
    T value;
    std::memcpy(&value, row + x * sizeof value, sizeof value);
    found |= test(value);
  };
  constexpr std::size_t kBlock = 64;
  std::size_t x = 0;
  for (; x + kBlock <= static_cast<std::size_t>(width); x += kBlock)
    for (std::size_t i = 0; i < kBlock; ++i) add(x + i);
  for (; x < static_cast<std::size_t>(width); ++x) add(x);
  return found;
}

/// Returns true if a floating-point element of a row is NaN. `Real`: an integer for half precision.
template <class Real>
bool has_nan(const std::byte* row, int width) {
  using Word = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  return any_bits<Real>(row, width, [](Real value) {
           if constexpr (std::is_floating_point_v<Real>)
             return static_cast<Word>(-static_cast<int>(value != value));
           else
             return static_cast<Word>((value & 0x7fffu) > 0x7c00u);
         }) != 0;
}

/// Returns the label of an element; 0 for background.
template <class T>
std::int64_t label_of(T value, Findings& findings) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr auto kMax = static_cast<double>(std::int64_t{1} << std::numeric_limits<T>::digits);
    if (std::isnan(value)) return findings.nan = true, 0;
    const double given = value, rounded = std::nearbyint(given);
    if (!(std::abs(given - rounded) <= 1e-3))
      throw Error(ErrorCode::data,
                  "labels are integers: round the array, or pass a mask such as array > 0.5");
    if (rounded > kMax)
      throw Error(ErrorCode::data, sizeof(T) == 4
                                       ? "float32 skips integers above 2^24; store labels as integers"
                                       : "float64 skips integers above 2^53; store labels as integers");
    if (rounded != given) findings.rounded = true;
    if (rounded < 0) return findings.negative = true, 0;
    return static_cast<std::int64_t>(rounded);
  } else {
    if (value < 0) return findings.negative = true, 0;
    return static_cast<std::int64_t>(value);
  }
}

/// Returns true if all elements are labels as they are: integers of at least 0, which the type can count to.
template <class T>
bool are_labels(const std::byte* elements, std::int64_t count) {
  if constexpr (std::is_unsigned_v<T>) {
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    using Word = std::make_unsigned_t<T>;
    return static_cast<T>(any_bits<T>(elements, count, [](T value) { return static_cast<Word>(value); })) >=
           0;
  } else {
    // Adding 2^23 or 2^52 rounds smaller numbers to integers. Larger and negative numbers are checked by
    // their signs. Comparisons are not vectorized. A wrong "false" is slow only.
    constexpr T kMax = T(std::int64_t{1} << std::numeric_limits<T>::digits), kRounds = kMax / 2;
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Word kSign = Word{1} << (std::numeric_limits<Word>::digits - 1);
    return any_bits<T>(elements, count, [](T value) {
             const T fraction = (value + kRounds) - kRounds - value;
             return std::bit_cast<Word>(fraction) |
                    ((std::bit_cast<Word>(value) | std::bit_cast<Word>(kMax - value)) & kSign);
           }) == 0;
  }
}

/// Adds all rows to `image`. convert(elements, count, converted) returns the elements of the image:
/// `elements`, or `converted` after writing to it.
template <class Convert>
void add_rows(const HostArray& array, ValueImage& image, const Convert& convert) {
  const std::int64_t width = array.extent().width;
  if (!array.is_contiguous())
    return array.for_each_row([&](std::int64_t row, const std::byte* elements) {
      std::vector<std::byte> converted;
      image.add_rows(row, 1, convert(elements, width, converted));
    });
  for_rows(array.extent(), static_cast<std::int64_t>(array.bytes_each()),
           [&](std::int64_t first, std::int64_t rows) {
             std::vector<std::byte> converted;
             image.add_rows(first, rows, convert(array.row(first), rows * width, converted));
           });
}

}  // namespace

HostArray::HostArray(PyObject* object, bool writable) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) !=
      0) {
    nanobind::python_error reason;
    if (const std::string kind = dtype_text(object, "kind");
        kind.find_first_of("biuf") == std::string::npos && !kind.empty())
      refuse_type(object);
    throw reason;
  }
  try {
    type_ = type_of(view_, object);
    if (view_.ndim < 1 || view_.ndim > 3)
      throw nanobind::value_error(
          ("an array of 1 to 3 axes is needed, not of " + std::to_string(view_.ndim)).c_str());
    int* const sizes[] = {&extent_.width, &extent_.height, &extent_.depth};
    extent_ = {1, 1, 1};
    for (int axis = 0; axis < view_.ndim; ++axis) {
      const Py_ssize_t size = view_.shape[view_.ndim - 1 - axis];
      if (size > std::numeric_limits<int>::max())
        throw nanobind::value_error("an axis has 2^31 elements or more");
      *sizes[axis] = static_cast<int>(size);
      strides_[static_cast<std::size_t>(axis)] = view_.strides[view_.ndim - 1 - axis];
    }
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
}

HostArray::~HostArray() { PyBuffer_Release(&view_); }

bool HostArray::same_shape(const HostArray& other) const {
  return view_.ndim == other.view_.ndim && extent_ == other.extent_;
}

bool HostArray::is_contiguous() const {
  const std::int64_t row_bytes = extent_.width * view_.itemsize;
  return has_whole_rows() && (extent_.height <= 1 || strides_[1] == row_bytes) &&
         (extent_.depth <= 1 || strides_[2] == row_bytes * extent_.height);
}

AxisOrder HostArray::memory_order(std::size_t axes) const {
  const int sizes[] = {extent_.width, extent_.height, extent_.depth};
  std::vector<std::size_t> longer;  // axes of one element stay where they are
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (sizes[axis] > 1) longer.push_back(axis);
  std::vector<std::size_t> sorted = longer;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(strides_[a]) < std::abs(strides_[b]);
  });
  AxisOrder order = kRasterOrder;
  if (sorted.empty() || strides_[sorted[0]] == 0) return order;  // elements are repeated
  for (std::size_t i = 0; i < longer.size(); ++i) order[longer[i]] = sorted[i];
  return order;
}

void HostArray::turn(const AxisOrder& order) {
  const std::array<int, 3> sizes{extent_.width, extent_.height, extent_.depth};
  const auto strides = strides_;
  extent_ = {sizes[order[0]], sizes[order[1]], sizes[order[2]]};
  for (std::size_t i = 0; i < 3; ++i) strides_[i] = strides[order[i]];
}

const std::byte* HostArray::whole_row(std::int64_t row, std::vector<std::byte>& copy) const {
  const std::byte* const from = this->row(row);
  if (has_whole_rows()) return from;
  const std::size_t each = bytes_each();
  copy.resize(static_cast<std::size_t>(extent_.width) * each);
  with_word(each, [&]<class T>(T) {
    for (std::int64_t x = 0; x < extent_.width; ++x)
      std::memcpy(copy.data() + static_cast<std::size_t>(x) * sizeof(T), from + x * strides_[0], sizeof(T));
  });
  return copy.data();
}

void HostArray::for_each_row(const RowWork& work) const {
  for (const std::size_t along : {1, 2})  // in Fortran's order 2
    if (!has_whole_rows() && strides_[along] == view_.itemsize && extent_.elements() > 0)
      return with_word(bytes_each(), [&]<class T>(T) { for_each_turned<T>(along, work); });
  for_rows(extent_, view_.itemsize, [&](std::int64_t first, std::int64_t rows) {
    std::vector<std::byte> copy;
    for (std::int64_t row = first; row < first + rows; ++row) work(row, whole_row(row, copy));
  });
}

/// Passes rows of an array whose elements are consecutive along another axis, y (1) or z (2). As many rows as
/// share cache lines are copied together, in tiles.
template <class T>
void HostArray::for_each_turned(std::size_t along, const RowWork& work) const {
  constexpr std::int64_t kTile = 64;  // elements
  const std::int64_t sizes[] = {extent_.width, extent_.height, extent_.depth}, width = sizes[0];
  const std::int64_t blocks = (sizes[along] + kTile - 1) / kTile;
  const std::size_t other = 3 - along;
  tbb::enumerable_thread_specific<std::vector<T>> copies(static_cast<std::size_t>(kTile * width));
  tbb::parallel_for(std::int64_t{0}, blocks * sizes[other], [&](std::int64_t task) {
    const std::int64_t at = task / blocks, first = task % blocks * kTile;
    const std::int64_t count = std::min(kTile, sizes[along] - first);
    const std::byte* from = row(0) + at * strides_[other] + first * view_.itemsize;
    std::vector<T>& rows = copies.local();
    std::array<T, kTile * kTile> tile{};
    for (std::int64_t x = 0; x < width; x += kTile) {
      const std::int64_t columns = std::min(kTile, width - x);
      for (std::int64_t i = 0; i < columns; ++i, from += strides_[0])
        std::memcpy(&tile[static_cast<std::size_t>(i * kTile)], from,
                    static_cast<std::size_t>(count) * sizeof(T));
      for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t i = 0; i < columns; ++i)
          rows[static_cast<std::size_t>(k * width + x + i)] = tile[static_cast<std::size_t>(i * kTile + k)];
    }
    for (std::int64_t k = 0; k < count; ++k)
      work(along == 1 ? at * sizes[1] + first + k : (first + k) * sizes[1] + at,
           reinterpret_cast<const std::byte*>(&rows[static_cast<std::size_t>(k * width)]));
  });
}

void for_rows(const Extent& extent, std::int64_t bytes_of_element,
              const std::function<void(std::int64_t first_row, std::int64_t rows)>& work) {
  constexpr std::int64_t kBytesATask = 1 << 18;
  if (extent.elements() == 0) return;
  const std::int64_t rows = std::max<std::int64_t>(1, kBytesATask / (extent.width * bytes_of_element));
  if (rows >= extent.rows()) return work(0, extent.rows());
  tbb::parallel_for(std::int64_t{0}, (extent.rows() + rows - 1) / rows, [&](std::int64_t task) {
    work(task * rows, std::min(rows, extent.rows() - task * rows));
  });
}

BitVolume pack(const HostArray& array, Findings& findings) {
  BitVolume bits(array.extent());
  const bool is_real = !array.type() || is_floating(*array.type());
  with_word(array.bytes_each(), [&]<class Sample>(Sample) {
    using Real = std::conditional_t<sizeof(Sample) == 8, double,
                                    std::conditional_t<sizeof(Sample) == 4, float, Sample>>;
    // Numbers of both signs from the smallest one to infinity are foreground, and integers other than 0.
    constexpr auto kInfinity = static_cast<Sample>(sizeof(Sample) == 8   ? 0x7ff0000000000000
                                                   : sizeof(Sample) == 4 ? 0x7f800000
                                                                         : 0x7c00);
    constexpr auto kSign = static_cast<Sample>(Sample{1} << (std::numeric_limits<Sample>::digits - 1));
    const SampleRange<Sample> numbers[] = {
        {1, kInfinity}, {static_cast<Sample>(kSign | 1), static_cast<Sample>(kSign | kInfinity)}};
    const SampleRange<Sample> zero[] = {{0, 0}};
    array.for_each_row([&](std::int64_t row, const std::byte* elements) {
      const int width = array.extent().width;
      pack_samples<Sample>(elements, width, is_real ? std::span<const SampleRange<Sample>>(numbers) : zero,
                           !is_real, bits.row(row));
      if (is_real && has_nan<Real>(elements, width)) findings.nan = true;
    });
  });
  return bits;
}

BitVolume unpack_rows(const HostArray& array, int width) {
  Extent extent = array.extent();
  if (array.bytes_each() != 1 || !array.is_contiguous())
    throw Error(ErrorCode::usage, "packed bits are a C-contiguous array of uint8");
  if (width < 0 || extent.width != (std::int64_t{width} + 7) / 8)
    throw Error(ErrorCode::usage, "packed_width does not fit the last axis, which has a byte for 8 elements");
  const std::size_t bytes = static_cast<std::size_t>(extent.elements());
  extent.width = width;
  return from_bits({reinterpret_cast<const std::uint8_t*>(array.row(0)), bytes}, extent, BitOrder::lsb_first);
}

ValueImage read_values(const HostArray& array, double delta, Findings& findings) {
  if (!array.type()) throw Error(ErrorCode::usage, "values of half precision: convert them to float32");
  ValueImage image(array.extent(), *array.type(), delta);
  add_rows(array, image,
           [](const std::byte* elements, std::int64_t, std::vector<std::byte>&) { return elements; });
  if (image.any_nan()) findings.nan = true;
  return image;
}

ValueImage read_labels(const HostArray& array, Findings& findings) {
  if (!array.type()) throw Error(ErrorCode::usage, "values of half precision: convert them to float32");
  ValueImage image(array.extent(), *array.type());
  with_type(*array.type(), [&]<class T>(T) {
    add_rows(array, image,
             [&](const std::byte* elements, std::int64_t count, std::vector<std::byte>& converted) {
               if (are_labels<T>(elements, count)) return elements;
               converted.resize(static_cast<std::size_t>(count) * sizeof(T));
               for (std::size_t x = 0; x < static_cast<std::size_t>(count); ++x) {
                 T value;
                 std::memcpy(&value, elements + x * sizeof value, sizeof value);
                 value = static_cast<T>(label_of(value, findings));
                 std::memcpy(converted.data() + x * sizeof value, &value, sizeof value);
               }
               return static_cast<const std::byte*>(converted.data());
             });
  });
  return image;
}

bool ArrayLabels::can_list(const HostArray& array) {
  return array.type() && !is_floating(*array.type()) && array.bytes_each() <= 4 && array.has_whole_rows();
}

void ArrayLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                            const Label* /*map*/) const {
  out.runs.clear();
  out.ends.clear();
  UninitializedVector<LabelRun> room;
  for (std::int64_t row = first_row; row < first_row + rows; ++row)
    if (!list_labels(array_.row(row), *array_.type(), array_.extent().width, room, out))
      findings_.negative = true;
}

}  // namespace gpuccl::python
