#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl {

/// Runs of a label image at its periodic borders.
class BorderRuns {
 public:
  BorderRuns(const Extent& extent, const PeriodicAxes& periodic);

  /// Takes what of a row lies there. Rows come in any order, from several threads.
  void keep(std::int64_t number, std::span<const LabelRun> row);

  /// The runs of row y of slice z, which is one of the first or last along a periodic axis.
  std::span<const LabelRun> row(int y, int z) const;
  /// The labels of the first and last element of a row, 0 if x is not periodic.
  Label first(int y, int z) const { return ends_.empty() ? 0 : ends_[index(y, z)].first; }
  Label last(int y, int z) const { return ends_.empty() ? 0 : ends_[index(y, z)].last; }

 private:
  struct Ends {
    Label first = 0, last = 0;
  };

  std::size_t index(int y, int z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(extent_.height) +
           static_cast<std::size_t>(y);
  }
  bool is_kept(int y, int z) const;
  std::size_t place(int y, int z) const;

  Extent extent_;
  PeriodicAxes periodic_;
  std::vector<Ends> ends_;                   // of every row
  std::vector<std::vector<LabelRun>> rows_;  // by place()
};

}  // namespace gpuccl
