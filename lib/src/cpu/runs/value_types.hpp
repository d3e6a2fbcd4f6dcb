#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpuccl/values.hpp"

namespace gpuccl::cpu {

/// Calls visit(T{}) with the type that `type` names.
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

template <class T>
ValueBits bits_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<ValueBits>(static_cast<double>(value));
  } else {
    return static_cast<ValueBits>(value);
  }
}

/// Neither 0 nor NaN.
template <class T>
bool is_set(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return (value < 0) | (value > 0);
  } else {
    return value != 0;
  }
}

/// Whether values that are set differ by at most a delta: of whole numbers exactly, of floating point as
/// doubles.
template <class T>
class Within {
  using Difference = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<double>,
                                                 std::make_unsigned<T>>::type;

 public:
  explicit Within(double delta) {
    constexpr Difference kMost = std::numeric_limits<Difference>::max();
    most_ = delta >= static_cast<double>(kMost) ? kMost : static_cast<Difference>(delta);
  }

  bool operator()(T a, T b) const {
    const auto high = static_cast<Difference>(a > b ? a : b), low = static_cast<Difference>(a > b ? b : a);
    return (a == b) | (static_cast<Difference>(high - low) <= most_);
  }

 private:
  Difference most_;
};

}  // namespace gpuccl::cpu
