#include "device.hpp"

namespace gpuccl::python {

void add_device(nanobind::module_& module) { module.attr("with_cuda") = false; }

}  // namespace gpuccl::python
