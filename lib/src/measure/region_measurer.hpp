#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"
#include "measure/group.hpp"
#include "measure/measure_sums.hpp"
#include "measure/row_window.hpp"

namespace gpuccl::measuring {

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

}  // namespace gpuccl::measuring
