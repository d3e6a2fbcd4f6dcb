#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuccl {

/// Type of the values of an image (values.hpp).
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
