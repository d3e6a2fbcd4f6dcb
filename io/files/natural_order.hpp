#pragma once

#include <string_view>

namespace gpuccl::io {

/// True if `a` comes before `b` in natural order: runs of digits compare as numbers, so "z2" precedes "z10".
/// A strict total order on bytes, the same in every locale.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace gpuccl::io
