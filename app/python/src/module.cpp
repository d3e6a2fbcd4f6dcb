#include "module.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/version.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace gpuccl;

namespace {

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyObject* const type = error.code() == ErrorCode::memory ? PyExc_MemoryError
                           : error.code() == ErrorCode::usage || error.code() == ErrorCode::data
                               ? PyExc_ValueError
                               : PyExc_RuntimeError;
    PyErr_SetString(type, error.what());
  }
}

}  // namespace

// Internal functions of the Python package; other callers should not use them.
NB_MODULE(_core, module) {
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // arrays of JAX outlive the interpreter
  module.attr("__version__") = GPUCCL_VERSION;
  python::add_host(module);
  module.def("measures", [] {
    nb::dict definitions;
    for (const Measure& measure : measures())
      definitions[nb::str(measure.name.data(), measure.name.size())] =
          nb::str(measure.definition.data(), measure.definition.size());
    return definitions;
  });
  module.def(
      "measures_across_borders",
      [](const PeriodicAxes& periodic) {
        std::vector<std::string> names;
        for (const Measure& measure : measures())
          if (measures_across_borders(periodic)[static_cast<std::size_t>(measure.id)])
            names.emplace_back(measure.name);
        return names;
      },
      "periodic"_a);
  module.attr("with_cuda") = GPUCCL_WITH_CUDA;
  if constexpr (GPUCCL_WITH_CUDA) python::add_device(module);
}
