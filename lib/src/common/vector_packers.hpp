#pragma once

#include <vector>

#include "gpuccl/detail/pack_samples.hpp"

namespace gpuccl {

/// Returns the vector code of this processor for pack_samples(), the fastest first. CMake chooses the file.
template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers();

}  // namespace gpuccl
