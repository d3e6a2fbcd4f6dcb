#pragma once

#include "gpuccl/labels.hpp"

namespace gpuccl::cpu {

/// Area, box and sums of coordinates of every component of a finished label image.
Components measure(const LabelImage& labels);

}  // namespace gpuccl::cpu
