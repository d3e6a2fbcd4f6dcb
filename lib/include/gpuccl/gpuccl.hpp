#pragma once

// Everything but gpuccl/device.hpp, for images in GPU memory, which needs CUDA's headers, and
// gpuccl/gpuccl.h, the interface for C.
#include "gpuccl/algorithms.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/outlines.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/surfaces.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"
#include "gpuccl/version.hpp"
