#pragma once

#include <vector>

#include "gpuccl/pack_samples.hpp"

namespace gpuccl {

/// What the vectors of this processor bring to pack_samples(), the fastest first. CMake chooses the file.
template <class Sample>
std::vector<SamplePacker<Sample>> vector_packers();

}  // namespace gpuccl
