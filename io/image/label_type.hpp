#pragma once

namespace gpuccl::io {

/// Signed and floating-point types, and those of 64 bits, hold values that are written instead of labels.
enum class LabelType { automatic, u8, u16, u32, i8, i16, i32, f32, u64, i64, f64 };

}  // namespace gpuccl::io
