#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

// Functions of the module: labels and measures arrays in host memory.
namespace gpuccl::python {

/// Columns of a table: names of measures (gpuccl/measures.hpp), "label" and "value". Each becomes a NumPy
/// array.
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
  int packed_width = -1;  // of rows of packed bits, or below 0
};
/// Labels `array` into `out`, an array or a function that makes one for N labels. Returns N and the table
/// (None without columns); with a function, the array and N.
nanobind::tuple label(nanobind::handle array, nanobind::handle out, const LabelRequest& request,
                      const TableRequest& table);

/// Returns true if the table has the same bits in every order of the axes, so that an array is measured in
/// that of its memory.
bool in_any_order(const TableRequest& request);

/// Returns a table of the values of a label image, connected or not.
nanobind::dict measure(nanobind::handle labels, int connectivity, const TableRequest& request);

/// A column of overlaps_on_device(), or numbers of labels, in host memory.
using PairColumn =
    nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// Coordinates or sizes along x, y, z, in arrays that may be wider than an image.
using Place = std::array<std::int64_t, 3>;

/// Labels a block at `origin` of a whole image. Without `numbers`, returns the index in the whole image of
/// the first element of each label. With the number of each label and 0, writes these numbers to `out`, of
/// int64.
nanobind::object label_block(nanobind::handle array, nanobind::handle out, const LabelRequest& request,
                             const Place& origin, const Place& whole,
                             const std::optional<PairColumn>& numbers);

/// Objects of a block of labels, as words.
using BlockWords =
    nanobind::ndarray<const std::uint64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// A block of labels, all coordinates along x, y, z.
struct BlockPlace {
  std::array<int, 3> origin{};         // of the array, which may contain elements around the block
  std::array<int, 3> first{}, last{};  // elements of the block
  std::array<int, 3> whole{};          // size of the whole image
};

/// Returns BlockNeeds. `table`: with an array of the type of the samples.
nanobind::tuple needs_of_block(int connectivity, const TableRequest& table);
/// Returns the share of a block in its objects as words. `known`: these objects in the whole image, if they
/// are needed; without them, only components are returned.
nanobind::object measure_block(nanobind::handle labels, const BlockPlace& place, int connectivity,
                               const TableRequest& table, const std::optional<BlockWords>& known);
/// Adds the words of all blocks, in raster order. Returns the table of measure() or, without a request, the
/// objects in the whole image as words, in ascending order.
nanobind::object join_blocks(const std::vector<BlockWords>& blocks, const std::array<int, 3>& whole,
                             int connectivity, const std::optional<TableRequest>& table);

struct CleanRequest {
  int connectivity = 0;
  bool values = false;
  bool per_value = false;
  std::uint64_t largest = 0, min_size = 0, max_size = 0;
  std::uint64_t fill_holes = 0;  // the largest that are filled
  bool clear_border = false;
  nanobind::handle seeds = {};  // a mask or None: components without an element in it are dropped
};
/// Writes the remaining components of `array` to `out`, which may be the same. Returns the numbers of
/// remaining and of removed components.
nanobind::tuple clean(nanobind::handle array, nanobind::handle out, const CleanRequest& request);

/// Returns which of the objects of join_blocks() clean() keeps, as 0 or 1. `values`: of the objects.
nanobind::object select_blocks(const BlockWords& objects, const std::array<int, 3>& whole, bool per_slice,
                               const CleanRequest& request, const std::optional<BlockWords>& values);

/// Returns the contacts between components of a label image.
nanobind::dict contacts(nanobind::handle labels, int connectivity);

/// Returns the polygons of the labels of an image in ascending order: corners x, y of closed rings one after
/// the other, and the ends of the rings, polygons and objects, after a 0.
nanobind::dict outlines(nanobind::handle labels);

/// Matches the objects of `prediction` with those of `truth`. Returns the "total" of the report of `gpuccl
/// match`, and the overlapping pairs, matched at the first threshold, or None. `class_connectivity`: if not
/// 0, values are classes, and the objects are their components with this connectivity. `empty`: all scores of
/// images without objects. `spacing`: along x, y, z, for distances and regions. `min_size`: of true and of
/// predicted objects.
nanobind::tuple match(nanobind::handle truth, nanobind::handle prediction,
                      const std::vector<double>& thresholds, bool with_pairs, int class_connectivity,
                      double empty, const std::optional<std::array<double, 3>>& spacing,
                      const std::optional<double>& tolerance, const std::array<std::uint64_t, 2>& min_size,
                      bool with_distances, bool with_regions);

/// Returns the overlaps of a block at `origin` for match_overlaps(): pairs, and for each object its other
/// pixels and the index of its first element in the whole image.
nanobind::dict overlaps_of_block(nanobind::handle truth, nanobind::handle prediction, const Place& origin,
                                 const Place& whole);

/// match() of two images whose overlaps are known. Adds the shares of a pair in several blocks. Time: O(pairs
/// log pairs + largest label). Takes 20 bytes per label up to the largest one.
nanobind::tuple match_overlaps(const PairColumn& truth, const PairColumn& prediction,
                               const PairColumn& pixels, const PairColumn& first_elements,
                               const std::vector<double>& thresholds, bool with_pairs, double empty,
                               const std::array<std::uint64_t, 2>& min_size);

/// Adds functions and classes that label arrays in GPU memory, given by address. The caller allocates all
/// memory. Defined in builds with CUDA.
void add_device(nanobind::module_& module);

}  // namespace gpuccl::python
