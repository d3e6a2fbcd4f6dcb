#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/contacts.hpp"
#include "gpuccl/detail/measures.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"

// Functions that gpuccl itself calls in addition to parts.hpp: for tasks of a job array, which store their
// results, and for blocks of arrays.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Labels an image in memory in slabs of half its elements, then a quarter and so on, until `label` has
/// enough memory. Each slab is labeled once. The labels stay in memory and reference the image. Throws Error
/// (memory) if slabs would have fewer than `fewest` elements; other errors are passed on.
Labeling label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                                const std::function<Labeling(BitView slab)>& label);

// The steps after unite_part().

/// Collective, after unite_part(). Merges components across periodic borders, as wrap() does, and
/// returns how each component that belongs to the part wraps. Part 0 holds the border runs, every part
/// the components there. Throws as wrap().
std::vector<std::array<Wrap, 3>> wrap_part(PartLink& link, Extent whole, Connectivity connectivity,
                                           const PeriodicAxes& periodic, PartResult& part);

/// Collective. Returns the cavities that belong to the part, for MeasureRequest::background.
/// `background`: the result of unite_part() for the background with complementary() connectivity.
Labeling cavities_of_part(PartLink& link, Extent whole, Connectivity connectivity, PartResult background);
/// Collective. Measures the components; halo rows are exchanged with neighboring parts. `alone` runs
/// the callback that reads samples and does not communicate; wrap it to turn one part's error into
/// everyone's.
void measure_part(
    PartLink& link, Extent whole, const MeasureRequest& request, PartResult& part,
    const std::function<void(const std::function<void()>& work)>& alone = [](const auto& work) { work(); });

/// Collective. Filters components and relabels the remaining ones. Uses only the type and `per_value` of
/// `values`. Memory: with a limit on the largest 8 bytes per component of the whole in every part, 16
/// if per value; with LabelOrder::size part 0 holds all components.
void select_part(PartLink& link, Extent whole, Connectivity connectivity, const SelectionOptions& options,
                 PartResult& part, const ComponentValues& values = {});

/// Collective, after select_part(). Finds all contacts of the whole image, as find_contacts() does, and
/// returns them in part 0, which holds the runs at periodic borders. No part uses more than `max_bytes` for
/// contacts. `alone`: as in measure_part(), for work that may exceed this limit.
std::vector<Contact> find_contacts_of_part(
    PartLink& link, Extent whole, Connectivity connectivity, const PartResult& part,
    const PeriodicAxes& periodic = {}, std::int64_t max_bytes = INT64_MAX,
    const std::function<void(const std::function<void()>& work)>& alone = [](const auto& work) { work(); });

/// Rows [begin, end) of all rows of all slices.
struct RowRange {
  std::int64_t begin = 0, end = 0;

  bool empty() const { return begin >= end; }
  std::int64_t count() const { return end - begin; }
};
/// Returns the rows that both ranges contain.
inline RowRange common_rows(const RowRange& a, const RowRange& b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}
/// Returns the rows of a slab.
RowRange rows_of(const Slab& slab, Extent whole);

/// Returns whether `faces` has as many elements as faces_of() returns for that slab.
bool is_complete(const ValueFaces& faces, const Slab& slab, Extent whole, Connectivity connectivity);

/// Returns the rows of the ranges of cut_into_parts().
std::vector<RowRange> rows_of_parts(Extent whole, int parts);

/// Returns the labels of the whole image. Only rows of `slabs`, in ascending order, can be rendered.
std::unique_ptr<LabelRows> joined_labels(Extent extent, std::vector<SlabLabels> slabs, Label count);

/// Returns the cavities that belong to a slab, given labels of the background of the whole image
/// without components that touch the border. `before`: number of cavities of earlier slabs.
Labeling cavities_of_slab(Extent whole, SlabLabels background, Label before, Components cavities);

/// Returns how many rows before a part find_contacts_of_rows() needs.
RowsAround rows_touched_before(const Extent& extent, Connectivity connectivity);

/// Rows at periodic borders with final labels. For rows that touch a border only with their ends: their first
/// and last runs.
struct BorderRows {
  std::vector<std::int64_t> rows;
  LabelRuns runs;
};
/// Returns the border rows of a slab.
BorderRows list_border_rows(const SlabLabels& slab, Extent whole, const PeriodicAxes& periodic);
/// Adds up the contacts of all parts, including those across periodic borders.
class ContactsOfParts {
 public:
  ContactsOfParts(Extent whole, Connectivity connectivity, const PeriodicAxes& periodic,
                  std::int64_t max_bytes = INT64_MAX);

  /// Adds the results of find_contacts_of_rows() and, for a periodic image, list_border_rows() of a part.
  /// Throws Error (memory) if all contacts take more than `max_bytes`.
  void add(std::span<const Contact> contacts, BorderRows borders = {});
  /// Returns the contacts of the whole image. Call it once, after all parts were added. Throws as add().
  std::vector<Contact> finish();

 private:
  Extent whole_;
  Connectivity connectivity_;
  PeriodicAxes periodic_;
  ContactSums sums_;
  std::vector<BorderRows> borders_;
};

/// Slabs that were labeled separately, merged into one part that is the whole image.
struct JoinedSlabs {
  PartResult whole;                        // without labels
  std::vector<std::vector<Label>> labels;  // per slab, for each of its labels and 0: the label in `whole`

  /// Returns SlabLabels::numbers of slab i, also after wrap_part() or select_part() of `whole`. Returns
  /// only that of 0 for a slab that was not merged.
  std::vector<Label> numbers(std::size_t i) const;
};

/// Merges the components of `slabs`, which must be ascending and not empty. `labeled(i)` returns the labels
/// and components of slab i, for multi-label images with values and faces_of(). Only runs of its first and
/// last slice (or row) are requested. `of_objects`: merges components of equal values, connected or not
/// (label_by_value()).
JoinedSlabs join_slabs(Extent extent, Connectivity connectivity, const std::vector<Slab>& slabs,
                       const std::function<SlabSummary(std::size_t i)>& labeled, bool of_objects = false);

/// Measures the share of `slab` in `components`, which have the ascending final `labels`; add it to
/// empty_measures(). `slabs`: the slab, and those that contain rows_measured_around() it.
MeasureTable measure_slab(Extent whole, const Slab& slab, std::vector<SlabLabels> slabs,
                          const std::vector<Label>& labels, const Components& components,
                          const MeasureRequest& request);

// Blocks: an image that is divided along all axes, such as the chunks of an array.

/// A block of an image.
struct ImageBlock {
  const LabelRows& labels;      // of the block and of elements around it
  std::array<int, 3> origin{};  // of these labels in the whole image, along x, y, z
  Extent whole;
  Box box;  // of the block in the whole image
};

/// Requirements of measure_block() on a block.
struct BlockNeeds {
  int around = 0;            // elements of the labels before and after the block along each axis
  bool boxes = false;        // components as they are in the whole image, not only in the block
  bool whole_units = false;  // all columns, and in volumes all rows, because real samples are summed in order
};
BlockNeeds needs_of_block(const MeasureRequest& request);

/// Returns the share of the block in the components that it and the elements around it contain. Components
/// without elements in the block have an area of 0.
Components components_of_block(const ImageBlock& block);

/// Measures the share of the block in `components`; add it to empty_measures(). `numbers`: the number of each
/// label of the block, as in LabelRows::render(); numbers above components.size() are not measured.
MeasureTable measure_block(const ImageBlock& block, const std::vector<Label>& numbers,
                           const Components& components, const MeasureRequest& request);

}  // namespace gpuccl
#pragma GCC visibility pop
