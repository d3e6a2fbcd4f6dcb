#include "module.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
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

python::TableRequest table_request(std::vector<std::string> columns, std::array<double, 3> spacing,
                                   nb::handle intensity) {
  return {std::move(columns), spacing, intensity};
}

}  // namespace

// Internal functions of the Python package; other callers should not use them.
NB_MODULE(_core, module) {
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // arrays of JAX outlive the interpreter
  module.attr("__version__") = GPUCCL_VERSION;
  module.def(
      "label",
      [](nb::handle array, nb::handle out, int connectivity, bool values, double delta,
         std::array<bool, 3> periodic, int packed_width, std::vector<std::string> columns,
         std::array<double, 3> spacing, nb::handle intensity) {
        return python::label(array, out, {connectivity, values, delta, periodic, packed_width},
                             table_request(std::move(columns), spacing, intensity));
      },
      "array"_a, "out"_a, "connectivity"_a, "values"_a, "delta"_a, "periodic"_a, "packed_width"_a,
      "columns"_a, "spacing"_a, "intensity"_a.none());
  // Without arguments that need lists, a call takes half the time.
  module.def(
      "label_mask",
      [](nb::handle array, nb::handle out, int connectivity) {
        return nb::borrow<nb::object>(python::label(array, out, {connectivity}, {})[0]);
      },
      "array"_a, "out"_a, "connectivity"_a);
  // For labels whose type depends on their number.
  module.def(
      "label_made",
      [](nb::handle array, nb::callable make_out, int connectivity, bool values, double delta,
         std::array<bool, 3> periodic) {
        return python::label(array, make_out, {connectivity, values, delta, periodic}, {});
      },
      "array"_a, "make_out"_a, "connectivity"_a, "values"_a, "delta"_a, "periodic"_a);
  module.def(
      "in_any_order",
      [](std::vector<std::string> columns, nb::handle intensity) {
        return python::in_any_order(table_request(std::move(columns), {}, intensity));
      },
      "columns"_a, "intensity"_a.none());
  module.def(
      "measure",
      [](nb::handle labels, int connectivity, std::vector<std::string> columns, std::array<double, 3> spacing,
         nb::handle intensity) {
        return python::measure(labels, connectivity, table_request(std::move(columns), spacing, intensity));
      },
      "labels"_a, "connectivity"_a, "columns"_a, "spacing"_a, "intensity"_a.none());
  module.def(
      "label_block",
      [](nb::handle array, nb::handle out, int connectivity, bool values, python::Place origin,
         python::Place whole, std::optional<python::PairColumn> numbers) {
        return python::label_block(array, out, {.connectivity = connectivity, .values = values}, origin,
                                   whole, numbers);
      },
      "array"_a, "out"_a, "connectivity"_a, "values"_a, "origin"_a, "whole"_a, "numbers"_a.none());
  module.def(
      "needs_of_block",
      [](int connectivity, std::vector<std::string> columns, std::array<double, 3> spacing,
         nb::handle intensity) {
        return python::needs_of_block(connectivity, table_request(std::move(columns), spacing, intensity));
      },
      "connectivity"_a, "columns"_a, "spacing"_a, "intensity"_a.none());
  module.def(
      "measure_block",
      [](nb::handle labels, std::array<std::array<int, 3>, 4> place, int connectivity,
         std::vector<std::string> columns, std::array<double, 3> spacing, nb::handle intensity,
         std::optional<python::BlockWords> known) {
        return python::measure_block(labels, {place[0], place[1], place[2], place[3]}, connectivity,
                                     table_request(std::move(columns), spacing, intensity), known);
      },
      "labels"_a, "place"_a, "connectivity"_a, "columns"_a, "spacing"_a, "intensity"_a.none(),
      "known"_a.none());
  module.def(
      "join_blocks",
      [](std::vector<python::BlockWords> blocks, std::array<int, 3> whole, int connectivity,
         std::optional<std::vector<std::string>> columns, std::array<double, 3> spacing,
         nb::handle intensity) {
        std::optional<python::TableRequest> request;
        if (columns) request = table_request(std::move(*columns), spacing, intensity);
        return python::join_blocks(blocks, whole, connectivity, request);
      },
      "blocks"_a, "whole"_a, "connectivity"_a, "columns"_a.none(), "spacing"_a, "intensity"_a.none());
  module.def(
      "clean",
      [](nb::handle array, nb::handle out, int connectivity, bool values, bool per_value,
         std::uint64_t largest, std::uint64_t min_size, std::uint64_t max_size, std::uint64_t fill_holes,
         bool clear_border, nb::handle seeds) {
        return python::clean(
            array, out,
            {connectivity, values, per_value, largest, min_size, max_size, fill_holes, clear_border, seeds});
      },
      "array"_a, "out"_a, "connectivity"_a, "values"_a, "per_value"_a, "largest"_a, "min_size"_a,
      "max_size"_a, "fill_holes"_a, "clear_border"_a, "seeds"_a.none());
  module.def(
      "select_blocks",
      [](const python::BlockWords& objects, std::array<int, 3> whole, bool per_slice, bool per_value,
         std::uint64_t largest, std::uint64_t min_size, std::uint64_t max_size, bool clear_border,
         std::optional<python::BlockWords> values) {
        python::CleanRequest request{
            .per_value = per_value, .largest = largest, .min_size = min_size, .max_size = max_size};
        request.clear_border = clear_border;
        return python::select_blocks(objects, whole, per_slice, request, values);
      },
      "objects"_a, "whole"_a, "per_slice"_a, "per_value"_a, "largest"_a, "min_size"_a, "max_size"_a,
      "clear_border"_a, "values"_a.none());
  module.def("overlaps_of_block", &python::overlaps_of_block);
  module.def("contacts", &python::contacts, "labels"_a, "connectivity"_a);
  module.def("outlines", &python::outlines, "labels"_a);
  module.def("match", &python::match, "truth"_a, "prediction"_a, "thresholds"_a, "with_pairs"_a,
             "class_connectivity"_a, "empty"_a, "spacing"_a.none(), "tolerance"_a.none(), "min_size"_a,
             "with_distances"_a, "with_regions"_a);
  module.def("match_overlaps", &python::match_overlaps);
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
