#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gpuccl/value_type.hpp"

// Which values connect, as ValueImage (gpuccl/values.hpp) says.
namespace gpuccl::cuda::runs {

/// Neither 0 nor NaN.
template <class T>
__device__ bool is_set_value(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value < 0 || value > 0;
  else
    return value != 0;
}

/// Those that are equal.
template <class T>
struct EqualValues {
  static constexpr bool kTransitive = true;

  __device__ static bool is_set(T value) { return is_set_value(value); }
  /// Of values of which the first is set.
  __device__ bool are_near(T a, T b) const { return a == b; }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
};

/// Those that differ by at most a delta: whole numbers exactly, floating point as doubles.
template <class T>
struct NearValues {
  static constexpr bool kTransitive = false;
  using Difference = typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<double>,
                                                 std::make_unsigned<T>>::type;
  Difference most;

  explicit NearValues(double delta) {
    constexpr Difference kMost = std::numeric_limits<Difference>::max();
    most = delta >= static_cast<double>(kMost) ? kMost : static_cast<Difference>(delta);
  }

  __device__ static bool is_set(T value) { return is_set_value(value); }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
  __device__ bool are_near(T a, T b) const {
    if (!is_set_value(b)) return false;
    const auto high = static_cast<Difference>(a > b ? a : b), low = static_cast<Difference>(a > b ? b : a);
    return a == b || static_cast<Difference>(high - low) <= most;
  }
};

/// A value as ValueBits.
template <class T>
__device__ ValueBits bits_of_value(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    const double wide = value;
    ValueBits bits;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  } else {
    return static_cast<ValueBits>(value);
  }
}

}  // namespace gpuccl::cuda::runs
