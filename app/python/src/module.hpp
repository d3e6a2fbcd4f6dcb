#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <vector>

// Functions of the module: labels and measures arrays in host memory.
namespace gpuccl::python {

/// By the names of measures (gpuccl/measures.hpp), "label" and "value"; what is measured of a column is an
/// array of NumPy.
struct TableRequest {
  std::vector<std::string> columns;
  std::array<double, 3> spacing{};  // along x, y, z; 0: unknown
  nanobind::handle intensity = {};  // an array, or None
};

struct LabelRequest {
  int connectivity = 0;
  bool values = false;
  double delta = 0;
  std::array<bool, 3> periodic{};
  int packed_width = -1;   // of rows of packed bits, or below 0
  bool by_blocks = false;  // number a mask by the first blocks of 2x2 elements, not by the first elements
};
/// Labels `array` into `out`, an array or a function that makes it for N labels. Returns N (or the array that
/// was made, and N), and the table, which is None if no columns are asked for.
nanobind::tuple label(nanobind::handle array, nanobind::handle out, const LabelRequest& request,
                      const TableRequest& table);

/// The table of the values of a label image, whether they are connected or not.
nanobind::dict measure(nanobind::handle labels, int connectivity, const TableRequest& request);

struct CleanRequest {
  int connectivity = 0;
  bool values = false;
  bool per_value = false;
  std::uint64_t largest = 0, min_size = 0, max_size = 0;
  std::uint64_t fill_holes = 0;  // the largest that are filled
  bool clear_border = false;
  nanobind::handle seeds = {};  // a mask or None: components without an element in it are dropped
};
/// Writes what is left of `array` to `out`, which may be the same. Returns how many components stay and how
/// many do not.
nanobind::tuple clean(nanobind::handle array, nanobind::handle out, const CleanRequest& request);

/// Area, bounding box (minimum and maximum by axis) and centroid of every value from 0 to the highest, which
/// is at most the number of elements: columns of numbers value by value. The area is 0 where there is no such
/// value.
nanobind::dict statistics(nanobind::handle labels);

/// Returns the contacts between components of a label image.
nanobind::dict contacts(nanobind::handle labels, int connectivity);

/// How well the objects of `prediction` match those of `truth`: the "total" of the report of `gpuccl match`,
/// and the pairs that overlap, matched at the first threshold, or None. `class_connectivity`: if not 0,
/// values are classes, whose components by this connectivity are the objects.
nanobind::tuple match(nanobind::handle truth, nanobind::handle prediction,
                      const std::vector<double>& thresholds, bool with_pairs, int class_connectivity);

/// Numbers what `pairs` of labels 1..count connect: in `numbers`, count + 1 entries of 64 bits that begin as
/// where each label is first met, each gets its component's, in the order of their minimum. Returns how
/// many components there are.
std::int64_t unite(nanobind::handle pairs, nanobind::handle numbers);

/// Adds functions and classes that label arrays in GPU memory, given by address. The caller allocates all
/// memory. Defined in builds with CUDA.
void add_device(nanobind::module_& module);

}  // namespace gpuccl::python
