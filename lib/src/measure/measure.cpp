#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "common/spans.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/intensity.hpp"
#include "gpuccl/measures.hpp"
#include "measure/group.hpp"
#include "measure/row_window.hpp"

namespace gpuccl {

using measuring::Group;
using measuring::Labeling;

/// The groups that are wanted, and their sums of all components.
class MeasureSums {
 public:
  explicit MeasureSums(const Labeling& labeling)
      : wanted_(labeling.request.wanted), is_volume_(labeling.is_volume()) {
    for (const measuring::MakeGroup make :
         {measuring::make_basic, measuring::make_moments, measuring::make_perimeter, measuring::make_crofton,
          measuring::make_feret, measuring::make_euler, measuring::make_cavities, measuring::make_border,
          measuring::make_wraps})
      if (std::unique_ptr<Group> group = make(labeling)) {
        group->offset = words_;
        words_ += group->words();
        groups_.push_back(std::move(group));
      }
  }

  const MeasureSet& wanted() const { return wanted_; }
  void show_only(const MeasureSet& wanted) { wanted_ &= wanted; }
  bool is_volume() const { return is_volume_; }
  const std::vector<std::unique_ptr<Group>>& groups() const { return groups_; }
  std::size_t words() const { return words_; }

  bool looks_at_rows() const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [](const auto& group) { return group->looks_at_rows(); });
  }
  std::size_t bytes_each() const {
    return std::accumulate(groups_.begin(), groups_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& group) { return sum + group->bytes_each(); });
  }
  std::int64_t bytes_beside() const {
    return std::accumulate(groups_.begin(), groups_.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& group) { return sum + group->bytes_beside(); });
  }
  bool looks_at_edges() const {
    return std::any_of(groups_.begin(), groups_.end(),
                       [](const auto& group) { return group->looks_at_edges(); });
  }
  void resize(std::size_t components) { sums_.resize(components * words_); }
  std::uint64_t* of(std::size_t component) { return sums_.data() + component * words_; }

  void merge(std::uint64_t* into, const std::uint64_t* part) const {
    for (const auto& group : groups_) group->merge(into + group->offset, part + group->offset);
  }
  MeasureValues derive(const Component& component, std::size_t i) const {
    MeasureValues values;
    for (const auto& group : groups_)
      group->derive({component, sums_.data() + i * words_ + group->offset, i}, values);
    return values;
  }

 private:
  MeasureSet wanted_;
  bool is_volume_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> sums_;
};

namespace measuring {

bool wants(const Labeling& labeling, std::initializer_list<MeasureId> ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](MeasureId id) { return labeling.request.wanted[static_cast<std::size_t>(id)]; });
}

void Group::merge(std::uint64_t* into, const std::uint64_t* part) const {
  for (std::size_t i = 0; i < words(); ++i) into[i] += part[i];
}

namespace {

/// Measures one region. A component that lies in it is added up in its place; of others a part is kept, for
/// other regions have parts of them too.
class RegionMeasurer {
 public:
  /// `is_alone`: no other region is measured meanwhile, and all components are added up in their places.
  RegionMeasurer(const Labeling& labeling, const Region& region, bool is_alone, MeasureSums& sums)
      : labeling_(labeling), region_(region), is_alone_(is_alone), sums_(sums) {}

  static constexpr std::size_t kBytesOfPart = 64;  // of a part, beside its sums

  void measure(const RowAccess& rows) {
    RowWindow window(rows, region_);
    LabeledRow row;
    while (window.next(row)) {
      stretches_.clear();
      for (const LabelRun& span : row.spans_here[2])
        stretches_.push_back({span.label, span.begin, span.end, sums_of(span.label)});
      row.stretches = stretches_;
      if (stretches_.empty()) continue;
      for (const auto& group : sums_.groups()) group->add(row);
    }
  }

  /// While no other thread does.
  void merge_parts() {
    for (const auto& [label, part] : parts_) sums_.merge(sums_.of(label - 1), part);
  }

 private:
  std::uint64_t* sums_of(Label label) {
    Known& known = known_[label % known_.size()];
    if (known.label == label) return known.sums;
    const bool is_own = is_alone_ || region_.holds(labeling_.components.box[label - 1]);
    known = {label, is_own ? sums_.of(label - 1) : part_of(label)};
    return known.sums;
  }

  std::uint64_t* part_of(Label label) {
    const auto [part, is_new] = parts_.try_emplace(label);
    if (is_new) part->second = allocate();
    return part->second;
  }

  std::uint64_t* allocate() {
    constexpr std::size_t kAtOnce = 64;
    if (free_ == 0) {
      blocks_.push_back(std::make_unique<std::uint64_t[]>(kAtOnce * sums_.words()));
      free_ = kAtOnce;
    }
    return blocks_.back().get() + (kAtOnce - free_--) * sums_.words();
  }

  /// Where a label that was met lately is added up.
  struct Known {
    Label label = 0;
    std::uint64_t* sums = nullptr;
  };

  const Labeling& labeling_;
  Region region_;
  bool is_alone_;
  MeasureSums& sums_;
  std::vector<Stretch> stretches_;
  std::unordered_map<Label, std::uint64_t*> parts_;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::size_t free_ = 0;  // parts of the last block
  std::array<Known, 256> known_;
};

/// Cuts what there is of rows into regions that threads share, none of which has much memory.
std::vector<Region> cut(const Region& all, const Extent& extent) {
  constexpr std::int64_t kElementsOfPlane = 1 << 20;
  constexpr int kFewestRows = 64, kFewestSlices = 8;
  const int rows = static_cast<int>(
      std::clamp<std::int64_t>(kElementsOfPlane / std::max(1, extent.width), kFewestRows, INT32_MAX / 2));
  const int tasks = 4 * tbb::this_task_arena::max_concurrency();
  const int height = all.y1 - all.y0;
  int bands = std::max(1, height / rows);
  const int layers =
      std::clamp((tasks + bands - 1) / bands, 1, std::max(1, (all.z1 - all.z0) / kFewestSlices));
  bands = std::max(bands, std::min((tasks + layers - 1) / layers, height / kFewestRows));
  const auto part = [](int first, int last, int i, int parts) {
    return first + static_cast<int>(std::int64_t{last - first} * i / parts);
  };
  std::vector<Region> regions;
  for (int layer = 0; layer < layers; ++layer)
    for (int band = 0; band < bands; ++band)
      regions.push_back({part(all.z0, all.z1, layer, layers), part(all.z0, all.z1, layer + 1, layers),
                         part(all.y0, all.y1, band, bands), part(all.y0, all.y1, band + 1, bands)});
  return regions;
}

/// Whether there is memory for the parts of components that are not in one region, as many at once as threads
/// meet.
bool parts_fit(const Components& components, const std::vector<Region>& regions, std::size_t bytes_of_part,
               std::int64_t max_bytes) {
  const auto threads =
      std::min(regions.size(), static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  const auto fit = [&](std::int64_t parts) {
    return static_cast<double>(parts) * static_cast<double>(bytes_of_part * threads) <=
           static_cast<double>(max_bytes);
  };
  return fit(static_cast<std::int64_t>(components.size())) ||
         fit(std::count_if(components.box.begin(), components.box.end(), [&](const Box& box) {
           return std::none_of(regions.begin(), regions.end(),
                               [&](const Region& region) { return region.holds(box); });
         }));
}

/// Rows [begin, end) of all rows as regions: the rest of a slice, whole slices, the beginning of one.
std::vector<Region> regions_of(std::int64_t begin, std::int64_t end, const Extent& extent) {
  std::vector<Region> regions;
  while (begin < end) {
    const int y = static_cast<int>(begin % extent.height), z = static_cast<int>(begin / extent.height);
    Region region{z, z + 1, y, static_cast<int>(std::min<std::int64_t>(extent.height, y + (end - begin)))};
    if (y == 0 && end - begin >= extent.height) {
      region.z1 = static_cast<int>(end / extent.height);
      region.y1 = extent.height;
    }
    begin = std::int64_t{region.z1 - 1} * extent.height + region.y1;
    regions.push_back(region);
  }
  return regions;
}

/// All rows in order, of which some at a time can be listed; those before them that are still looked at are
/// kept.
class RowSource {
 public:
  RowSource(const LabelSource& labels, std::int64_t rows_before, std::int64_t rows_ahead)
      : labels_(labels), rows_before_(rows_before), rows_ahead_(rows_ahead) {}

  /// The next rows that can be measured, [begin, end); none behind the last.
  bool next(std::int64_t& begin, std::int64_t& end) {
    const Extent extent = labels_.extent();
    if (measured_ == extent.rows()) return false;
    begin = measured_;
    do {
      keep(std::max<std::int64_t>(0, measured_ - rows_before_));
      ready_from_ = ready_to_;
      ready_to_ = labels_.prepare(ready_from_, 1);
      // Rows ahead are those of the same slice.
      measured_ = ready_to_ % extent.height == 0 ? ready_to_ : std::max(measured_, ready_to_ - rows_ahead_);
    } while (measured_ == begin);
    end = measured_;
    return true;
  }

  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out) const {
    const std::int64_t kept = std::clamp<std::int64_t>(ready_from_ - first_row, 0, rows);
    if (kept == 0) return labels_.list_runs(first_row, rows, out, nullptr);
    LabelRuns more;
    if (kept < rows) labels_.list_runs(ready_from_, rows - kept, more, nullptr);
    out.runs.clear();
    out.ends.clear();
    append(out, kept_, static_cast<std::size_t>(first_row - kept_from_), static_cast<std::size_t>(kept));
    append(out, more, 0, more.ends.size());
  }

 private:
  static void append(LabelRuns& out, const LabelRuns& from, std::size_t first, std::size_t rows) {
    for (std::size_t row = first; row < first + rows; ++row) {
      const std::size_t begin = row == 0 ? 0 : from.ends[row - 1];
      out.runs.insert(out.runs.end(), from.runs.begin() + static_cast<std::ptrdiff_t>(begin),
                      from.runs.begin() + static_cast<std::ptrdiff_t>(from.ends[row]));
      out.ends.push_back(out.runs.size());
    }
  }

  /// Keeps the rows from `first_row` on that were ready.
  void keep(std::int64_t first_row) {
    if (ready_to_ == 0) return;
    LabelRuns kept;
    list_runs(first_row, ready_to_ - first_row, kept);
    kept_ = std::move(kept);
    kept_from_ = first_row;
  }

  const LabelSource& labels_;
  std::int64_t rows_before_, rows_ahead_;
  std::int64_t measured_ = 0;                   // rows
  std::int64_t ready_from_ = 0, ready_to_ = 0;  // that the labels can list
  LabelRuns kept_;
  std::int64_t kept_from_ = 0;
};

}  // namespace
}  // namespace measuring

Measured measure(const LabelSource& labels, const Components& components, const MeasureRequest& request) {
  if (needs_background(request) && request.background == nullptr)
    throw Error(Failure::usage, "cavities are counted in labels of the background, which are missing");
  const Labeling labeling{labels.extent(), components, &labels, request};
  auto sums = std::make_unique<MeasureSums>(labeling);
  sums->resize(components.size());
  if (sums->looks_at_rows()) {
    constexpr int kReach = 2;
    measuring::RowSource source(labels, labeling.is_volume() ? labeling.extent.height + kReach : kReach,
                                kReach);
    measuring::RowAccess rows{
        .extent = labeling.extent, .slices_touch = labeling.is_volume(), .edges = sums->looks_at_edges()};
    if (const SpanSource* spans = spans_of(labels)) {
      rows.bits = spans->bits();
      rows.list = [spans](std::int64_t first_row, std::int64_t count, LabelRuns& out) {
        spans->list_spans(first_row, count, out);
      };
    } else {
      rows.list = [&source](std::int64_t first_row, std::int64_t count, LabelRuns& out) {
        source.list_runs(first_row, count, out);
      };
    }
    const std::size_t bytes_of_part =
        sums->words() * sizeof(std::uint64_t) + measuring::RegionMeasurer::kBytesOfPart;
    std::mutex merging;
    std::int64_t begin = 0, end = 0;
    while (source.next(begin, end))
      for (const measuring::Region& all : measuring::regions_of(begin, end, labeling.extent)) {
        const std::vector<measuring::Region> regions = measuring::cut(all, labeling.extent);
        const auto measure_region = [&](const measuring::Region& region, bool is_alone) {
          measuring::RegionMeasurer measurer(labeling, region, is_alone, *sums);
          measurer.measure(rows);
          const std::lock_guard lock(merging);
          measurer.merge_parts();
        };
        if (measuring::parts_fit(components, regions, bytes_of_part,
                                 request.max_bytes - sums->bytes_beside())) {
          tbb::parallel_for(std::size_t{0}, regions.size(),
                            [&](std::size_t i) { measure_region(regions[i], false); });
        } else {
          for (const measuring::Region& region : regions) measure_region(region, true);
        }
      }
  }
  return Measured(std::move(sums));
}

std::size_t bytes_of_sums(const MeasureRequest& request, const Extent& extent) {
  Components largest;
  Component component;
  component.area = static_cast<std::uint64_t>(extent.elements());
  component.box = {{0, 0, 0}, {extent.width - 1, extent.height - 1, extent.depth - 1}};
  largest.push_back(component);
  const bool of_samples = (request.wanted & measures_of(MeasureGroup::intensity)).any();
  return MeasureSums({extent, largest, nullptr, request}).bytes_each() +
         (of_samples ? bytes_of_intensity() : 0);
}

std::vector<MeasureId> columns(const MeasureSet& wanted) {
  std::vector<MeasureId> columns;
  for (const Measure& measure : measures())
    if (wanted[static_cast<std::size_t>(measure.id)] && measure.group != MeasureGroup::basic)
      columns.push_back(measure.id);
  return columns;
}

Measured::Measured() = default;
Measured::Measured(std::unique_ptr<MeasureSums> sums) : sums_(std::move(sums)) {}
Measured::~Measured() = default;
Measured::Measured(Measured&&) noexcept = default;
Measured& Measured::operator=(Measured&&) noexcept = default;

const MeasureSet& Measured::wanted() const {
  static const MeasureSet none;
  return sums_ ? sums_->wanted() : none;
}

std::vector<MeasureId> Measured::columns() const {
  std::vector<MeasureId> columns = gpuccl::columns(wanted());
  std::erase_if(columns, [&](MeasureId id) {
    const MeasuredIn in = measure_of(id).in;
    return in != MeasuredIn::both && (in == MeasuredIn::volumes) != sums_->is_volume();
  });
  return columns;
}

void Measured::add(Intensities intensities) {
  intensities_ = std::make_unique<Intensities>(std::move(intensities));
}

void Measured::show_only(const MeasureSet& wanted) {
  if (sums_) sums_->show_only(wanted);
}

void Measured::select(const std::vector<Label>& map) {
  if (!sums_ || map.empty()) return;
  std::vector<Label> selected(map.size() - 1);
  Label count = 0;
  for (std::size_t label = 1; label < map.size(); ++label) {
    if (map[label] == 0) continue;
    selected[map[label] - 1] = selected_.empty() ? static_cast<Label>(label - 1) : selected_[label - 1];
    ++count;
  }
  selected.resize(count);
  selected_ = std::move(selected);
}

std::int64_t Measured::bytes_beside() const { return sums_ ? sums_->bytes_beside() : 0; }

MeasureValues Measured::values(const Components& components, std::size_t i) const {
  const std::size_t measured = selected_.empty() ? i : selected_[i];
  MeasureValues values = sums_->derive(components[i], measured);
  if (intensities_) intensities_->get(measured, values);
  return values;
}

}  // namespace gpuccl
