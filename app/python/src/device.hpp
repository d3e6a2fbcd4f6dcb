#pragma once

#include <nanobind/nanobind.h>

// Labels arrays in GPU memory, given by address. The caller allocates all memory.
namespace gpuccl::python {

/// Adds the functions and classes to the module, all of which throw without CUDA. Sets `with_cuda`.
void add_device(nanobind::module_& module);

}  // namespace gpuccl::python
