#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpuccl/detail/measures.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "measure/group.hpp"
#include "measure/intensity_sums.hpp"
#include "measure/row_window.hpp"

namespace gpuccl {

/// The requested groups, and their sums for all components.
class MeasureSums {
 public:
  explicit MeasureSums(const measuring::MeasureContext& labeling);

  const MeasureSet& wanted() const { return wanted_; }
  void show_only(const MeasureSet& wanted) { wanted_ &= wanted; }
  bool is_volume() const { return is_3d(request_.connectivity); }
  /// Returns the groups that need rows of the labels.
  const std::vector<measuring::Group*>& by_rows() const { return by_rows_; }
  std::size_t words() const { return words_; }
  /// Returns the layout of the sums that a labeler may gather.
  const SumsLayout& layout() const { return layout_; }

  bool looks_at_rows() const { return !by_rows_.empty(); }
  bool looks_at_edges() const;
  /// Returns true if each label must be measured without the labels around it.
  bool isolates_labels() const;
  std::size_t bytes_each() const;
  std::int64_t extra_bytes() const;
  /// Moves gathered sums in, so that rows need not be read. Returns false if they do not fit the requested
  /// measures or the number of components.
  bool take(GatheredSums& gathered, std::size_t components);
  void resize(std::size_t components) { sums_.assign(components * words_, 0); }
  std::uint64_t* of(std::size_t component) { return sums_.data() + component * words_; }

  /// Returns empty sums of the same measures for other components.
  MeasureSums empty_like(const Components& components) const;
  /// Appends the state of a component to `saved`. add_saved() adds it to another piece of the component and
  /// removes its words from the front of `saved`; it returns false if the words are invalid.
  void save(std::size_t component, std::vector<std::uint64_t>& saved) const;
  bool add_saved(std::size_t component, std::span<const std::uint64_t>& saved);

  void merge(std::uint64_t* into, const std::uint64_t* part) const;
  MeasureValues derive(const Component& component, std::size_t i) const;

 private:
  MeasureSet wanted_;
  Extent extent_;
  MeasureRequest request_;
  bool in_parts_;
  std::vector<std::unique_ptr<measuring::Group>> groups_;
  std::vector<measuring::Group*> by_rows_;
  SumsLayout layout_;
  std::size_t words_ = 0;
  UninitializedVector<std::uint64_t> sums_;
};

/// The state of a MeasureTable.
struct Measured {
  explicit Measured(MeasureSums all) : sums(std::move(all)) {}

  MeasureSums sums;
  std::vector<std::string> images = {};  // names, one per image
  std::size_t hidden = 0;                // number of them that are hidden: the last ones
  std::vector<std::unique_ptr<IntensitySums>> intensity_sums = {};  // until derive_intensities()
  std::vector<Intensities> intensities = {};
  std::vector<std::uint64_t> pieces = {};  // per component; empty: not counted
  std::vector<Label> selected = {};        // index of component i when measured; empty: unchanged

  std::size_t place(std::size_t i) const { return selected.empty() ? i : selected[i]; }
  void add_image(const NamedSamples& image) {
    images.push_back(image.name);
    hidden += image.is_hidden;
  }
};

/// Measures components with known bounding boxes in rows [begin, end), or whole slices. The result is added
/// to those of other rows. Labels of other components are ignored. In the background, only cavities that
/// begin in these rows are measured.
MeasureTable measure_rows(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                          const Components& components, const MeasureRequest& request);

namespace measuring {

/// Measures one region. Components inside the region are added to the final sums. Of components that extend
/// into other regions, a part is kept separately.
class RegionMeasurer {
 public:
  /// `is_alone`: no other region is measured at the same time, so all components are added to the final sums.
  RegionMeasurer(const MeasureContext& labeling, const Region& region, bool is_alone, MeasureSums& sums)
      : labeling_(labeling),
        region_(region),
        is_alone_(is_alone),
        sums_(sums),
        is_isolated_(sums.isolates_labels()),
        window_(labeling.is_volume(), sums.looks_at_edges()) {}

  static constexpr std::size_t kBytesOfPart = 64;  // per part, in addition to its sums

  void measure(const RowAccess& rows);
  /// Returns the number of components with elements in this region and in others.
  std::size_t parts() const { return parts_.size(); }
  /// Adds the parts to the sums of their components. Not thread-safe.
  void merge_parts();

 private:
  void measure_isolated(const LabeledRow& row);
  void forget_empty_parts();
  std::uint64_t* sums_of(Label label);
  std::uint64_t* part_of(Label label);
  std::uint64_t* allocate();

  /// Location of the sums of a recently met label.
  struct Known {
    Label label = 0;
    std::uint64_t* sums = nullptr;
  };

  const MeasureContext& labeling_;
  Region region_;
  bool is_alone_;
  MeasureSums& sums_;
  const bool is_isolated_;
  LabelWindow window_;
  std::vector<Segment> segments_;
  std::unordered_map<Label, std::uint64_t*> parts_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t free_ = 0;  // free parts in the last block
  std::array<Known, 256> known_;
};

/// Adds the contributions of regions to all components, one after the other, on all threads if there is
/// memory for parts of components.
void add_regions(const std::vector<Region>& all_regions, RowAccess rows, const MeasureContext& labeling,
                 MeasureSums& sums);
/// Returns a table of `sums`, with the sums of the samples of rows [begin, end).
MeasureTable with_samples(MeasureSums sums, const LabelRows& labels, std::int64_t begin, std::int64_t end,
                          const Components& components, const MeasureRequest& request);

/// Counts the connected pieces of each of `count` labels, in one pass over the label runs of all rows. Keeps
/// the runs of two rows, or slices of a volume. Throws Error (memory) if they take more than `max_bytes`.
std::vector<std::uint64_t> count_pieces(const LabelRows& labels, std::size_t count, Connectivity connectivity,
                                        std::int64_t max_bytes);

}  // namespace measuring
}  // namespace gpuccl
