#pragma once

#include <cuda_runtime.h>

#include "common/value_rules.hpp"

namespace gpuccl::cuda::runs {

/// Rule: equal values connect.
template <class T>
struct EqualValues {
  static constexpr bool kTransitive = true;

  __device__ static bool is_set(T value) { return is_set_value(value); }
  /// Requires that `a` is set.
  __device__ bool are_near(T a, T b) const { return a == b; }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
};

/// Rule: values that differ by at most delta connect.
template <class T>
struct NearValues {
  static constexpr bool kTransitive = false;
  Within<T> within;

  explicit NearValues(double delta) : within(delta) {}

  __device__ static bool is_set(T value) { return is_set_value(value); }
  /// Requires that `a` is set.
  __device__ bool are_near(T a, T b) const { return is_set_value(b) && within(a, b); }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
};

}  // namespace gpuccl::cuda::runs
