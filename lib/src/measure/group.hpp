#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "measure/neighbors.hpp"
#include "measure/row_bits.hpp"

namespace gpuccl::measuring {

/// A range of columns of a row whose foreground has a single label.
struct Segment {
  Label label = 0;
  int begin = 0, end = 0;
  std::uint64_t* sums = nullptr;  // of the component, or of its part in a region

  /// Calls visit(word, mask) for each word of the row that contains columns of the segment. `mask`: these
  /// columns; other bits may belong to other segments.
  template <class Visit>
  void for_each_word(Visit visit) const {
    const int first = begin / kWordBits, last = (end - 1) / kWordBits;
    const Word from_begin = ~Word{0} << begin % kWordBits;
    const Word to_end = ~Word{0} >> (kWordBits - 1 - (end - 1) % kWordBits);
    for (int word = first; word <= last; ++word)
      visit(word, (word == first ? from_begin : ~Word{0}) & (word == last ? to_end : ~Word{0}));
  }
};

/// A row of labels and the bits of foreground around it.
struct LabeledRow {
  int y = 0, z = 0;
  std::span<const Segment> segments;
  /// Rows y - 2 to y + 2 of this slice, and y - 1 to y + 1 of the slice before if slices touch; missing rows
  /// contain zeros.
  std::array<RowBits, 5> here;
  std::array<RowBits, 3> before;
  /// For rows y - 1 to y + 1 of this slice: the elements with a background neighbor along x or y, if a group
  /// needs them.
  std::array<RowBits, 3> edges;
  /// Label runs of rows y - 2 to y + 2 and, in the slice before, y - 1 to y + 1.
  std::array<std::span<const LabelRun>, 5> spans_here;
  std::array<std::span<const LabelRun>, 3> spans_before;

  const RowBits& bits() const { return here[2]; }
  /// Returns the row at offset dy and dz (0 or -1).
  const RowBits& bits(int dy, int dz) const {
    return dz == 0 ? here[static_cast<std::size_t>(dy + 2)] : before[static_cast<std::size_t>(dy + 1)];
  }
  std::span<const LabelRun> spans(int dy, int dz) const {
    return dz == 0 ? spans_here[static_cast<std::size_t>(dy + 2)]
                   : spans_before[static_cast<std::size_t>(dy + 1)];
  }
  /// Returns the `elements` of a word whose neighbor in a direction, which must be foreground, has `label`.
  template <Direction to>
  Word of_label(Word elements, int word, Label label) const {
    return measuring::of_label(elements, word * kWordBits + to.dx, label, spans(to.dy, to.dz));
  }
};

/// Sums from which values are derived.
struct Sums {
  const Component& component;
  const std::uint64_t* sums;  // this group's
  std::size_t index;          // of the component during measurement
};

/// Properties of the labeling that all groups use.
struct MeasureContext {
  Extent extent;
  const Components& components;  // during measurement
  const LabelRows* labels;       // of these components; null if nothing is measured
  MeasureRequest request;
  std::int64_t begin = 0, end = 0;  // rows of the labels that are measured
  bool in_parts = false;            // sums will be added to those of other parts

  bool is_volume() const { return is_3d(request.connectivity); }
};

/// Measures that are derived from the same sums.
class Group {
 public:
  virtual ~Group() = default;

  /// Number of 64-bit words per component, initially 0, at Segment::sums + offset.
  virtual std::size_t words() const { return 0; }
  /// Returns the member of SumsLayout that gives the position of its sums if a labeler can gather them,
  /// otherwise null.
  virtual int SumsLayout::*place() const { return nullptr; }
  /// Returns true if the group needs add().
  virtual bool looks_at_rows() const { return words() > 0; }
  /// Return the bytes kept per component, and those kept for all components together.
  virtual std::size_t bytes_each() const { return words() * sizeof(std::uint64_t); }
  virtual std::int64_t extra_bytes() const { return 0; }
  /// Returns true if add() reads elements around those of a segment.
  virtual bool looks_around() const { return false; }
  /// Returns true if add() reads LabeledRow::edges.
  virtual bool looks_at_edges() const { return false; }
  /// Adds the segments of a row to the sums of their components. Called once per row, in any order and from
  /// several threads, which never share sums or rows.
  virtual void add(const LabeledRow& /*row*/) {}
  /// Adds the sums of one part of a component to those of another.
  virtual void merge(std::uint64_t* into, const std::uint64_t* part) const;
  /// Returns true if the group keeps state of components in addition to sums.
  virtual bool keeps_state() const { return false; }
  /// Appends the state of a component, except its sums, to `saved`. add_saved() adds it to that of another
  /// piece with the same bounding box; returns false if the words are invalid.
  virtual void save(std::size_t /*index*/, std::vector<std::uint64_t>& /*saved*/) const {}
  virtual bool add_saved(std::size_t /*index*/, std::span<const std::uint64_t> saved) {
    return saved.empty();
  }
  /// Sets the values of the group.
  virtual void derive(const Sums& sums, MeasureValues& values) const = 0;

  std::size_t offset = 0;  // of its sums within those of all groups
};

/// Return the group, or null if none of its measures is requested.
using MakeGroup = std::unique_ptr<Group> (*)(const MeasureContext& labeling);
std::unique_ptr<Group> make_basic(const MeasureContext& labeling);
std::unique_ptr<Group> make_border(const MeasureContext& labeling);
std::unique_ptr<Group> make_cavities(const MeasureContext& labeling);
std::unique_ptr<Group> make_crofton(const MeasureContext& labeling);
std::unique_ptr<Group> make_euler(const MeasureContext& labeling);
std::unique_ptr<Group> make_feret(const MeasureContext& labeling);
std::unique_ptr<Group> make_moments(const MeasureContext& labeling);
std::unique_ptr<Group> make_perimeter(const MeasureContext& labeling);
std::unique_ptr<Group> make_radius(const MeasureContext& labeling);
std::unique_ptr<Group> make_wraps(const MeasureContext& labeling);

/// Counts the voxels whose centers lie in or on the convex hull of `voxels`. Each voxel contributes the six
/// points half a voxel from its center along the axes. Exact. Requires at least one voxel.
std::uint64_t convex_volume(const std::vector<std::array<int, 3>>& voxels);

/// Returns the connectivity for neighbors with the same label: that of all neighbors if labels may touch,
/// because rows then contain a single label.
Connectivity connectivity_around(const MeasureContext& labeling);

/// Measures from `first` to `last` in the order of measures.def.
struct MeasureRange {
  MeasureId first, last;

  MeasureRange(MeasureId one) : MeasureRange(one, one) {}
  MeasureRange(MeasureId from, MeasureId to) : first(from), last(to) {}
};
/// Returns true if a measure of `ranges` is requested.
bool wants(const MeasureContext& labeling, std::initializer_list<MeasureRange> ranges);

/// Returns the error for measures that need more memory than is allowed. `what`: the measures and the verb.
inline Error not_enough_memory(const std::string& what, std::int64_t bytes) {
  return {ErrorCode::memory, what + " " + std::to_string((bytes >> 20) + 1) +
                                 " MiB of additional memory; set a larger --memory, or leave measures out"};
}

}  // namespace gpuccl::measuring
