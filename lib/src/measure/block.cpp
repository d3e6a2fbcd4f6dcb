#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "measure/measure.hpp"

namespace gpuccl {
namespace {

/// The labels of a block as those of the whole image, without others. Elements around the block are listed or
/// not.
class BlockRows final : public LabelRows {
 public:
  BlockRows(const ImageBlock& block, const Label* numbers, bool lists_around)
      : block_(block), numbers_(numbers), lists_around_(lists_around) {}

  Extent extent() const override { return block_.whole; }
  Label count() const override { return block_.labels.count(); }

  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override {
    const Extent here = block_.labels.extent();
    const auto& [x0, y0, z0] = block_.origin;
    const Box box = lists_around_
                        ? Box{block_.origin, {x0 + here.width - 1, y0 + here.height - 1, z0 + here.depth - 1}}
                        : block_.box;
    out.runs.clear();
    out.ends.clear();
    LabelRuns listed;
    for (std::int64_t row = first_row; row < first_row + rows; ++row) {
      const auto y = static_cast<int>(row % block_.whole.height),
                 z = static_cast<int>(row / block_.whole.height);
      if (box.min[1] <= y && y <= box.max[1] && box.min[2] <= z && z <= box.max[2]) {
        block_.labels.list_runs(std::int64_t{z - z0} * here.height + (y - y0), 1, listed, numbers_);
        for (const LabelRun& run : listed.runs) {
          const int begin = std::max(run.begin + x0, box.min[0]),
                    end = std::min(run.end + x0, box.max[0] + 1);
          const Label label = map != nullptr ? map[run.label] : run.label;
          if (begin < end && label != 0) out.runs.push_back({begin, end, label});
        }
      }
      out.ends.push_back(out.runs.size());
    }
  }

 private:
  const ImageBlock& block_;
  const Label* numbers_;
  bool lists_around_;
};

/// Rows that contain the block: whole slices of a volume.
RowRange rows_of(const ImageBlock& block) {
  if (block.whole.depth == 1) return {block.box.min[1], block.box.max[1] + 1};
  return {std::int64_t{block.box.min[2]} * block.whole.height,
          (std::int64_t{block.box.max[2]} + 1) * block.whole.height};
}

}  // namespace

BlockNeeds needs_of_block(const MeasureRequest& request) {
  const Components none;
  const MeasureSums sums({{1, 1, 1}, none, nullptr, request});
  BlockNeeds needs;
  for (const measuring::Group* const group : sums.by_rows()) {
    needs.boxes |= group->keeps_state();
    needs.around = std::max(needs.around, group->looks_at_edges() ? 2 : group->looks_around() ? 1 : 0);
  }
  for (const NamedSamples& one : request.samples) {
    needs.whole_units |= one.image->kind() == IntensityImage::Kind::real;
    needs.boxes |= needs.whole_units || counts_values(request.wanted, *one.image);
  }
  return needs;
}

Components components_of_block(const ImageBlock& block) {
  const BlockRows rows(block, nullptr, false);
  std::vector<Component> shares(block.labels.count());
  LabelRuns listed;
  for (int z = block.box.min[2]; z <= block.box.max[2]; ++z)
    for (int y = block.box.min[1]; y <= block.box.max[1]; ++y) {
      rows.list_runs(std::int64_t{z} * block.whole.height + y, 1, listed, nullptr);
      for (const auto& [begin, end, label] : listed.runs) {
        const auto count = static_cast<std::uint64_t>(end - begin);
        shares[label - 1].add({count,
                               {{begin, y, z}, {end - 1, y, z}},
                               {CoordinateSum{count} * static_cast<std::uint64_t>(begin + end - 1) / 2,
                                CoordinateSum{count} * static_cast<std::uint64_t>(y),
                                CoordinateSum{count} * static_cast<std::uint64_t>(z)}});
      }
    }
  Components components;
  for (const Component& share : shares) components.push_back(share);
  return components;
}

MeasureTable measure_block(const ImageBlock& block, const std::vector<Label>& numbers,
                           const Components& components, const MeasureRequest& request) {
  const RowRange range = rows_of(block);
  const BlockRows labels(block, numbers.data(), true), inside(block, numbers.data(), false);
  const measuring::MeasureContext labeling{block.whole, components, &labels, request,
                                           range.begin, range.end,  true};
  MeasureSums sums(labeling);
  sums.resize(components.size());
  if (sums.looks_at_rows()) {
    measuring::RowAccess rows{.extent = block.whole, .joins_runs = !sums.isolates_labels()};
    rows.list = [&](std::int64_t first_row, std::int64_t count, LabelRuns& out) {
      labels.list_runs(first_row, count, out, nullptr);
    };
    const auto& [min, max] = block.box;
    measuring::add_regions({{min[2], max[2] + 1, min[1], max[1] + 1, min[0], max[0] + 1}}, std::move(rows),
                           labeling, sums);
  }
  return measuring::with_samples(std::move(sums), inside, range.begin, range.end, components, request);
}

}  // namespace gpuccl
