#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/strips.hpp"

// The section of a label image that one of several parts writes.
namespace gpuccl::io {

/// Rows [begin, end) of all rows of all slices.
struct Rows {
  std::int64_t begin = 0, end = 0;

  bool empty() const { return begin >= end; }
  std::int64_t count() const { return end - begin; }
};

inline Rows common(const Rows& a, const Rows& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

/// Returns the rows of each slab of cut_into_parts().
std::vector<Rows> rows_of_parts(const Extent& whole, int parts);

/// The strips that begin in some rows, and all rows that these have.
struct OwnStrips {
  StripRange strips;
  Rows rows;

  OwnStrips(const StripLayout& layout, const Rows& own);
};

}  // namespace gpuccl::io
