#include "host_array.hpp"

#include <nanobind/nanobind.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>

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

template <class Sample>
void pack(const HostArray& array, std::span<const SampleRange<Sample>> zeros, BitVolume& bits) {
  for_rows(array.extent(), sizeof(Sample), [&](std::int64_t first, std::int64_t rows) {
    std::vector<std::byte> copy;
    for (std::int64_t row = first; row < first + rows; ++row)
      pack_samples<Sample>(array.whole_row(row, copy), array.extent().width, zeros, true, bits.row(row));
  });
}

template <class Sample>
void pack(const HostArray& array, bool floating, BitVolume& bits) {
  constexpr auto kMinusZero = static_cast<Sample>(Sample{1} << (std::numeric_limits<Sample>::digits - 1));
  const SampleRange<Sample> zeros[] = {{0, 0}, {kMinusZero, kMinusZero}};
  pack<Sample>(array, std::span(zeros, floating ? 2 : 1), bits);
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

const std::byte* HostArray::whole_row(std::int64_t row, std::vector<std::byte>& copy) const {
  const std::byte* const from = this->row(row);
  if (has_whole_rows()) return from;
  const std::size_t each = bytes_each();
  copy.resize(static_cast<std::size_t>(extent_.width) * each);
  const auto gather = [&]<class T>(T) {
    for (std::int64_t x = 0; x < extent_.width; ++x)
      std::memcpy(copy.data() + static_cast<std::size_t>(x) * sizeof(T), from + x * strides_[0], sizeof(T));
  };
  if (each == 1) gather(std::uint8_t{});
  if (each == 2) gather(std::uint16_t{});
  if (each == 4) gather(std::uint32_t{});
  if (each == 8) gather(std::uint64_t{});
  return copy.data();
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

BitVolume pack(const HostArray& array) {
  BitVolume bits(array.extent());
  const bool floating = !array.type() || is_floating(*array.type());
  switch (array.bytes_each()) {
    case 1:
      pack<std::uint8_t>(array, floating, bits);
      break;
    case 2:
      pack<std::uint16_t>(array, floating, bits);
      break;
    case 4:
      pack<std::uint32_t>(array, floating, bits);
      break;
    default:
      pack<std::uint64_t>(array, floating, bits);
  }
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

ValueImage read_values(const HostArray& array, double delta) {
  if (!array.type()) throw Error(ErrorCode::usage, "values of half precision: convert them to float32");
  ValueImage image(array.extent(), *array.type(), delta);
  for_rows(array.extent(), static_cast<std::int64_t>(array.bytes_each()),
           [&](std::int64_t first, std::int64_t rows) {
             if (array.is_contiguous()) return image.add_rows(first, rows, array.row(first));
             std::vector<std::byte> copy;
             for (std::int64_t row = first; row < first + rows; ++row)
               image.add_rows(row, 1, array.whole_row(row, copy));
           });
  return image;
}

}  // namespace gpuccl::python
