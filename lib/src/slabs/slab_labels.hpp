#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "slabs/slab_components.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

/// Bits and labels of one slab.
struct LabeledSlab {
  BitVolume bits;   // empty where labels need none
  Labeled labeled;  // may look at the bits
};
/// Reads a slab, of which `work` is to label the bits.
std::unique_ptr<LabeledSlab> read_slab(const Slab& slab, Extent whole, const SlabWork& work);

/// The labels of a whole of which one slab at a time is in memory.
class SlabLabels final : public LabelSource {
 public:
  SlabLabels(Extent extent, std::vector<Slab> slabs, SlabWork work, SlabComponents components)
      : extent_(extent),
        slabs_(std::move(slabs)),
        work_(std::move(work)),
        components_(std::move(components)) {}

  Extent extent() const override { return extent_; }
  Label count() const override { return components_.count(); }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  template <class T>
  void draw(std::int64_t first_row, std::int64_t rows, T* out, const Label* map) const;
  void keep_from(std::int64_t row) const;
  void load(std::size_t slab) const;

  Extent extent_;
  std::vector<Slab> slabs_;
  SlabWork work_;
  SlabComponents components_;

  // State of rendering: some rows before a slab, whose slabs are gone, and that slab. Only prepare() changes
  // it.
  mutable std::size_t next_ = 0;  // the slab after it
  mutable std::unique_ptr<LabeledSlab> slab_;
  mutable RowRange slab_rows_;
  mutable std::vector<Label> before_;
  mutable std::int64_t before_begin_ = 0;
};

}  // namespace gpuccl
