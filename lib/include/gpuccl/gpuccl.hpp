#pragma once

// All that a program needs to label images in memory. gpuccl/device_labeling.hpp, for images in the memory of
// a GPU, needs CUDA's headers and is included by itself.
#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "gpuccl/version.hpp"
