#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

// Measures in parts of an image, and bounds of their memory.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Returns true if the connected pieces of each label are counted, for `components` or holes.
bool counts_pieces(const MeasureRequest& request);
/// Returns true if values are counted: percentiles are requested and there are few values.
bool counts_values(const MeasureSet& wanted, const IntensityImage& image);

/// Returns an upper bound of the bytes per component. Feret diameters take 8 more bytes per row.
std::size_t bytes_of_sums(const MeasureRequest& request, const Extent& extent);
/// Returns the bytes held in addition to bytes_of_sums() per component.
std::int64_t extra_bytes(const MeasureTable& table);

/// Returns the sums that these measures are derived from, as far as a labeler can gather them.
SumsLayout layout_of_sums(const MeasureSet& wanted, Connectivity connectivity);

/// Rows before and after a range that are needed to measure it: rows of a 2D image, or whole slices.
struct RowsAround {
  std::int64_t before = 0, behind = 0;
};
RowsAround rows_measured_around(const Extent& extent, Connectivity connectivity);

/// Returns empty sums of the components, to which sums of parts are added with add_saved().
MeasureTable empty_measures(const Extent& extent, const Components& components,
                            const MeasureRequest& request);
/// Returns an empty table of the same measures for other components.
MeasureTable empty_like(const MeasureTable& table, const Components& components);
/// Appends the sums of component i to `saved`; add_saved() adds them to another part of the same component.
/// For floating-point samples, parts must be added in ascending order of rows. Requires a part that was
/// measured. Throws Error (data) if `saved` is malformed.
void save(const MeasureTable& table, std::size_t i, std::vector<std::uint64_t>& saved);
void add_saved(MeasureTable& table, std::size_t i, std::span<const std::uint64_t> saved);
/// Derives the intensities of the first `components` components, after all parts were added. Returns the
/// number of NaN samples of each image.
std::vector<std::uint64_t> derive_intensities(MeasureTable& table, std::size_t components);

/// Returns true if a component has more than one piece, as far as pieces were counted.
bool any_in_pieces(const MeasureTable& table);
/// Removes measures that were needed only for a condition.
void show_only(MeasureTable& table, const MeasureSet& wanted);
/// Renumbers components: component i becomes map[i + 1] - 1, or is removed if that is 0, as in
/// Selection::map.
void renumber(MeasureTable& table, const std::vector<Label>& map);

}  // namespace gpuccl
#pragma GCC visibility pop
