#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuccl {

/// Of the values of an image (values.hpp).
enum class ValueType { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };

std::size_t bytes_of(ValueType type);
bool is_signed(ValueType type);
bool is_floating(ValueType type);

/// A value of any type in 64 bits: a whole number as it is, the signed ones in two's complement; of floating
/// point the bits of a double.
using ValueBits = std::uint64_t;

}  // namespace gpuccl
