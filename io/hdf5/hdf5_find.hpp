#pragma once

#include <string>

#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {

/// Returns the dataset `name`, or the only one in the group `name` that may be an image, with two or more
/// axes and numeric samples. Links to other files are not followed. Throws Error: no_input if there is no
/// object of that name, data if there are no or several datasets, which it lists.
Hdf5Id find_hdf5_dataset(hid_t file, const std::string& name);

}  // namespace gpuccl::io
