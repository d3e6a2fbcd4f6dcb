#pragma once

#include <string>

#include "io/hdf5/hdf5_library.hpp"

namespace gpuccl::io {

/// The dataset `name`, or the only one in the group of that name that may be an image: of two axes or more,
/// and of numbers. Links to other files lead nowhere. Throws Error: no_input if there is nothing of that
/// name, data if there are none or several, which it lists.
Hdf5Id find_hdf5_dataset(hid_t file, const std::string& name);

}  // namespace gpuccl::io
