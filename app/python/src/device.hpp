#pragma once

#include <nanobind/nanobind.h>

// Labels of arrays in the memory of a GPU, by addresses: who allocates what is up to the caller.
namespace gpuccl::python {

/// Adds the functions and classes to the module, all of which throw without CUDA. Sets `with_cuda`.
void add_device(nanobind::module_& module);

}  // namespace gpuccl::python
