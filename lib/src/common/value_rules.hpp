#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "gpuccl/types.hpp"

// Conditions under which values connect, identical on every device, as documented in gpuccl/values.hpp.
namespace gpuccl {

/// Returns a value as ValueBits.
template <class T>
GPUCCL_HD ValueBits bits_of_value(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double wide = value;
    ValueBits bits;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  } else {
    return static_cast<ValueBits>(value);
  }
}

/// Returns true if the value is neither 0 nor NaN.
template <class T>
GPUCCL_HD bool is_set_value(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return (value < 0) | (value > 0);
  } else {
    return value != 0;
  }
}

/// Returns true if nonzero values differ by at most a delta: exactly for integers, as doubles for floating
/// point.
template <class T>
class Within {
  using Difference = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<double>,
                                                 std::make_unsigned<T>>::type;

 public:
  explicit Within(double delta) {
    constexpr Difference kMax = std::numeric_limits<Difference>::max();
    most_ = delta >= static_cast<double>(kMax) ? kMax : static_cast<Difference>(delta);
  }

  GPUCCL_HD bool operator()(T a, T b) const {
    const auto high = static_cast<Difference>(a > b ? a : b), low = static_cast<Difference>(a > b ? b : a);
    return a == b ||
           (static_cast<Difference>(high - low) <= most_);  // the difference of equal infinities is NaN
  }

 private:
  Difference most_;
};

}  // namespace gpuccl
