#pragma once

#include <nanobind/nanobind.h>

namespace gpuccl::python {

/// Adds functions that label and measure arrays in host memory.
void add_host(nanobind::module_& module);

/// Adds functions and classes that label arrays in GPU memory, given by address. The caller allocates all
/// memory. Defined in builds with CUDA.
void add_device(nanobind::module_& module);

}  // namespace gpuccl::python
