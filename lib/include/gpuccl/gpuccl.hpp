#pragma once

// All that a program needs to label images in memory. gpuccl/device_labeling.hpp, for images in the memory of
// a GPU, needs CUDA's headers and is included by itself.
#include "gpuccl/algorithms.hpp"
#include "gpuccl/bit_volume.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/devices.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/holes.hpp"
#include "gpuccl/intensity.hpp"
#include "gpuccl/label.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/outlines.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/values.hpp"
#include "gpuccl/version.hpp"
