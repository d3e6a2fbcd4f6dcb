#pragma once

// Types that every other header needs: errors, extents, connectivities, types of values.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

// Marks code that kernels share with the CPU, so that plain C++ compiles it.
#ifdef __CUDACC__
#define GPUCCL_HD __host__ __device__
#else
#define GPUCCL_HD
#endif

#pragma GCC visibility push(default)
namespace gpuccl {

/// Class of an error. The command line maps each to an exit code.
enum class ErrorCode {
  usage,          // 64: contradictory or impossible request
  data,           // 65: bad or unsupported data, label type too small
  no_input,       // 66: input missing or unreadable
  unavailable,    // 69: the requested device cannot be used
  internal,       // 70: a self-check failed
  memory,         // 71: out of memory or over the limit
  cannot_create,  // 73: output cannot be created
  io,             // 74: reading or writing failed
  temporary,      // 75: the GPU was lost; try again
};

/// An error of the library. what() is "problem; remedy" in lower case without a period, fit to follow
/// "gpuccl: FILE: ".
class Error : public std::runtime_error {
 public:
  /// `system_code`: the errno value, or 0.
  Error(ErrorCode code, const std::string& reason, int system_code = 0)
      : std::runtime_error(without_nul(reason)), code_(code), system_code_(system_code) {}
  ErrorCode code() const { return code_; }
  int system_code() const { return system_code_; }

 private:
  /// Escapes NULs, at which what() would end: text from a file may contain them.
  static std::string without_nul(std::string text) {
    for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\x00");
    return text;
  }

  ErrorCode code_;
  int system_code_;
};

/// Size of an image or volume in elements. Axes are below 2^31; the number of elements may exceed 2^32.
struct Extent {
  int width = 0;
  int height = 0;
  int depth = 1;

  GPUCCL_HD bool contains(int x, int y, int z = 0) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  /// Returns the number of rows of all slices; row r is row r % height of slice r / height.
  GPUCCL_HD std::int64_t rows() const { return static_cast<std::int64_t>(height) * depth; }
  GPUCCL_HD std::int64_t elements() const { return rows() * width; }

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Neighborhood of an element: 4 share an edge, 8 also a corner (2D); 6 share a face, 18 also an
/// edge, 26 also a corner (3D). A 2D connectivity labels each slice of a volume separately; labels
/// continue from slice to slice.
enum class Connectivity { c4 = 4, c8 = 8, c6 = 6, c18 = 18, c26 = 26 };

inline constexpr Connectivity kConnectivities[] = {Connectivity::c4, Connectivity::c8, Connectivity::c6,
                                                   Connectivity::c18, Connectivity::c26};

GPUCCL_HD constexpr bool is_3d(Connectivity c) {
  return c == Connectivity::c6 || c == Connectivity::c18 || c == Connectivity::c26;
}

/// Returns the number of axes along which two neighbors may differ.
GPUCCL_HD constexpr int max_axes(Connectivity c) {
  return c == Connectivity::c4 || c == Connectivity::c6 ? 1 : c == Connectivity::c26 ? 3 : 2;
}

/// Returns the connectivity of the background that is complementary to `c`, so that each hole is one
/// component: 4 and 8, 6 and 26; that of 18 is 6 (Kong and Rosenfeld 1989, Digital topology).
constexpr Connectivity complementary(Connectivity c) {
  switch (c) {
    case Connectivity::c4:
      return Connectivity::c8;
    case Connectivity::c8:
      return Connectivity::c4;
    case Connectivity::c6:
      return Connectivity::c26;
    default:
      return Connectivity::c6;
  }
}

/// Type of the values of a multi-label image.
enum class ValueType { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };

/// Calls visit(T{}) with the C++ type of `type`.
template <class Visit>
decltype(auto) with_type(ValueType type, Visit visit) {
  switch (type) {
    case ValueType::u8:
      return visit(std::uint8_t{});
    case ValueType::u16:
      return visit(std::uint16_t{});
    case ValueType::u32:
      return visit(std::uint32_t{});
    case ValueType::u64:
      return visit(std::uint64_t{});
    case ValueType::i8:
      return visit(std::int8_t{});
    case ValueType::i16:
      return visit(std::int16_t{});
    case ValueType::i32:
      return visit(std::int32_t{});
    case ValueType::i64:
      return visit(std::int64_t{});
    case ValueType::f32:
      return visit(float{});
    case ValueType::f64:
      break;
  }
  return visit(double{});
}

std::size_t bytes_of(ValueType type);
bool is_signed(ValueType type);
bool is_floating(ValueType type);

/// A value of any type in 64 bits: integers as they are (signed ones in two's complement),
/// floating-point values as the bits of a double.
using ValueBits = std::uint64_t;

/// Returns the nearest double.
double to_double(ValueType type, ValueBits value);

}  // namespace gpuccl
#pragma GCC visibility pop
