#include "measure/measure.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "common/labels_in_memory.hpp"
#include "common/row_source.hpp"
#include "gpuccl/contacts.hpp"
#include "measure/intensity_sums.hpp"

namespace gpuccl {

using measuring::Group;
using measuring::MeasureContext;

MeasureSums::MeasureSums(const measuring::MeasureContext& labeling)
    : wanted_(labeling.request.wanted),
      extent_(labeling.extent),
      request_(labeling.request),
      in_parts_(labeling.in_parts) {
  for (const measuring::MakeGroup make :
       {measuring::make_basic, measuring::make_moments, measuring::make_perimeter, measuring::make_crofton,
        measuring::make_feret, measuring::make_radius, measuring::make_euler, measuring::make_cavities,
        measuring::make_wraps, measuring::make_border})
    if (std::unique_ptr<Group> group = make(labeling)) {
      group->offset = words_;
      words_ += group->words();
      if (const auto place = group->place()) layout_.*place = static_cast<int>(group->offset);
      if (group->looks_at_rows()) by_rows_.push_back(group.get());
      groups_.push_back(std::move(group));
    }
  layout_.words = static_cast<int>(words_);
}

bool MeasureSums::take(GatheredSums& gathered, std::size_t components) {
  if (words_ == 0 || gathered.layout != layout_ || gathered.words.size() != components * words_) return false;
  sums_ = std::move(gathered.words);
  std::erase_if(by_rows_, [](const Group* group) { return group->place() != nullptr; });
  return true;
}

bool MeasureSums::looks_at_edges() const {
  return std::any_of(by_rows_.begin(), by_rows_.end(),
                     [](const Group* group) { return group->looks_at_edges(); });
}

bool MeasureSums::isolates_labels() const {
  return request_.labels_touch && std::any_of(by_rows_.begin(), by_rows_.end(),
                                              [](const Group* group) { return group->looks_around(); });
}

std::size_t MeasureSums::bytes_each() const {
  return std::accumulate(groups_.begin(), groups_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& group) { return sum + group->bytes_each(); });
}

std::int64_t MeasureSums::extra_bytes() const {
  return std::accumulate(groups_.begin(), groups_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& group) { return sum + group->extra_bytes(); });
}

MeasureSums MeasureSums::empty_like(const Components& components) const {
  MeasureRequest request = request_;
  request.wraps = {};
  MeasureSums sums({extent_, components, nullptr, request, 0, 0, in_parts_});
  sums.wanted_ = wanted_;
  sums.resize(components.size());
  return sums;
}

void MeasureSums::save(std::size_t component, std::vector<std::uint64_t>& saved) const {
  const std::uint64_t* const sums = sums_.data() + component * words_;
  saved.insert(saved.end(), sums, sums + words_);
  for (const auto& group : groups_) {
    if (!group->keeps_state()) continue;
    const std::size_t before = saved.size();
    saved.push_back(0);
    group->save(component, saved);
    saved[before] = saved.size() - before - 1;  // the number of words precedes them
  }
}

bool MeasureSums::add_saved(std::size_t component, std::span<const std::uint64_t>& saved) {
  if (saved.size() < words_) return false;
  merge(of(component), saved.data());
  saved = saved.subspan(words_);
  for (const auto& group : groups_) {
    if (!group->keeps_state()) continue;
    if (saved.empty() || saved.front() > saved.size() - 1) return false;
    const std::size_t words = saved.front();
    if (!group->add_saved(component, saved.subspan(1, words))) return false;
    saved = saved.subspan(1 + words);
  }
  return true;
}

void MeasureSums::merge(std::uint64_t* into, const std::uint64_t* part) const {
  for (const auto& group : groups_) group->merge(into + group->offset, part + group->offset);
}

MeasureValues MeasureSums::derive(const Component& component, std::size_t i) const {
  MeasureValues values;
  for (const auto& group : groups_)
    group->derive({component, sums_.data() + i * words_ + group->offset, i}, values);
  return values;
}

namespace measuring {

bool wants(const MeasureContext& labeling, std::initializer_list<MeasureRange> ranges) {
  for (const auto& [first, last] : ranges)
    for (auto id = static_cast<std::size_t>(first); id <= static_cast<std::size_t>(last); ++id)
      if (labeling.request.wanted[id]) return true;
  return false;
}

Connectivity connectivity_around(const MeasureContext& labeling) {
  return labeling.request.labels_touch ? all_neighbors(labeling.request.connectivity)
                                       : labeling.request.connectivity;
}

void Group::merge(std::uint64_t* into, const std::uint64_t* part) const {
  for (std::size_t i = 0; i < words(); ++i) into[i] += part[i];
}

void RegionMeasurer::measure(const RowAccess& rows) {
  RowWindow window(rows, region_);
  LabeledRow row;
  while (window.next(row)) {
    segments_.clear();
    for (const LabelRun& span : row.spans_here[2]) {
      const int begin = std::max(span.begin, region_.x0), end = std::min(span.end, region_.x1);
      if (begin < end) segments_.push_back({span.label, begin, end, sums_of(span.label)});
    }
    row.segments = segments_;
    if (segments_.empty()) continue;
    for (Group* const group : sums_.by_rows())
      if (!is_isolated_ || !group->looks_around()) group->add(row);
    if (is_isolated_) measure_isolated(row);
  }
  forget_empty_parts();
}

/// Adds each segment, without elements of other labels, to the groups that look around.
void RegionMeasurer::measure_isolated(const LabeledRow& row) {
  window_.begin(row);
  for (const Segment& segment : segments_) {
    const LabeledRow& own = window_.around(segment);
    for (Group* const group : sums_.by_rows())
      if (group->looks_around()) group->add(own);
  }
}

void RegionMeasurer::merge_parts() {
  for (const auto& [label, part] : parts_) sums_.merge(sums_.of(label - 1), part);
}

/// Spans cover the rows of a bundle, so a component may have a part without elements in the next row.
/// Such a part must not be merged: the component may lie in another region, whose thread still adds to it.
void RegionMeasurer::forget_empty_parts() {
  std::erase_if(parts_, [this](const auto& of_label) {
    const std::uint64_t* const part = of_label.second;
    return std::all_of(part, part + sums_.words(), [](std::uint64_t word) { return word == 0; });
  });
}

std::uint64_t* RegionMeasurer::sums_of(Label label) {
  Known& known = known_[label % known_.size()];
  if (known.label == label) return known.sums;
  const bool is_own = is_alone_ || region_.holds(labeling_.components.box[label - 1]);
  known = {label, is_own ? sums_.of(label - 1) : part_of(label)};
  return known.sums;
}

std::uint64_t* RegionMeasurer::part_of(Label label) {
  const auto [part, is_new] = parts_.try_emplace(label);
  if (is_new) part->second = allocate();
  return part->second;
}

std::uint64_t* RegionMeasurer::allocate() {
  constexpr std::size_t kAtOnce = 64;
  if (free_ == 0) {
    blocks_.push_back(std::make_unique<std::uint64_t[]>(kAtOnce * sums_.words()));
    free_ = kAtOnce;
  }
  return blocks_.back().get() + (kAtOnce - free_--) * sums_.words();
}

void add_regions(const std::vector<Region>& all_regions, RowAccess rows, const MeasureContext& labeling,
                 MeasureSums& sums) {
  rows.slices_touch = labeling.is_volume();
  rows.edges = sums.looks_at_edges();
  const std::size_t bytes_of_part = sums.words() * sizeof(std::uint64_t) + RegionMeasurer::kBytesOfPart;
  std::mutex merging;
  const auto measure_region = [&](const Region& region, bool is_alone) {
    RegionMeasurer measurer(labeling, region, is_alone, sums);
    measurer.measure(rows);
    const std::lock_guard lock(merging);
    measurer.merge_parts();
  };
  for (const Region& all : all_regions) {
    const std::vector<Region> regions = cut(all, labeling.extent);
    if (parts_fit(labeling.components, regions, bytes_of_part,
                  labeling.request.max_bytes - sums.extra_bytes())) {
      tbb::parallel_for(std::size_t{0}, regions.size(),
                        [&](std::size_t i) { measure_region(regions[i], false); });
    } else {
      for (const Region& region : regions) measure_region(region, true);
    }
  }
}

MeasureTable with_samples(MeasureSums sums, const LabelRows& labels, std::int64_t begin, std::int64_t end,
                          const Components& components, const MeasureRequest& request) {
  auto measured = std::make_unique<Measured>(std::move(sums));
  std::vector<SumsOfImage> all;
  for (const NamedSamples& one : request.samples) {
    const MeasureSet wanted = one.is_hidden ? MeasureSet() : request.wanted;
    measured->add_image(one);
    measured->intensity_sums.push_back(make_intensity_sums(components, *one.image, wanted, begin));
    all.push_back({*measured->intensity_sums.back(), *one.image});
  }
  add_samples(labels, begin, end, components, all, request.max_bytes);
  return MeasureTable(std::move(measured));
}

namespace {

/// Returns access to the rows of `labels`: to the labeled image if it is in memory, otherwise to `source`.
/// `is_isolated`: requires runs of one label, which only `source` has.
RowAccess rows_of(const LabelRows& labels, const RowSource& source, bool is_isolated) {
  RowAccess rows{.extent = labels.extent(), .joins_runs = !is_isolated};
  if (const SpanSource* spans = is_isolated ? nullptr : spans_of(labels)) {
    rows.bits = spans->bits();
    rows.list = [spans](std::int64_t first_row, std::int64_t count, LabelRuns& out) {
      spans->list_spans(first_row, count, out);
    };
  } else {
    rows.list = [&source](std::int64_t first_row, std::int64_t count, LabelRuns& out) {
      source.list_runs(first_row, count, out);
    };
  }
  return rows;
}

/// Adds rows as labels prepare them, together with the rows around them.
void add_ready_rows(std::int64_t begin, std::int64_t end, const RowsAround& around, const LabelRows& labels,
                    const MeasureContext& labeling, MeasureSums& sums) {
  if (labels.extent().elements() == 0) return;  // rows without a word
  constexpr int kReach = RowWindow::kReach;
  RowSource source(labels, labeling.is_volume() ? labeling.extent.height + kReach : kReach, kReach,
                   std::max<std::int64_t>(0, begin - around.before), begin, end);
  const RowAccess rows = rows_of(labels, source, sums.isolates_labels());
  std::int64_t to = 0;
  while (source.next(begin, to)) add_regions(regions_of(begin, to, labeling.extent), rows, labeling, sums);
}

}  // namespace

}  // namespace measuring

bool counts_pieces(const MeasureRequest& request) {
  const auto wants = [&](MeasureId id) { return request.wanted[static_cast<std::size_t>(id)]; };
  return wants(MeasureId::components) ||
         (request.in_pieces && wants(MeasureId::holes) && !is_3d(request.connectivity));
}

void check_periodic(const Extent& extent, Connectivity connectivity, const PeriodicAxes& periodic) {
  if (periodic[2] && extent.depth == 1) throw Error(ErrorCode::usage, "has one slice; z cannot be periodic");
  if (periodic[2] && !is_3d(connectivity))
    throw Error(ErrorCode::usage, "z cannot be periodic if slices are labeled separately");
  const int sizes[3] = {extent.width, extent.height, extent.depth};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (periodic[axis] && sizes[axis] == 1)
      throw Error(ErrorCode::usage,
                  std::string(1, "xyz"[axis]) + " cannot be periodic: it is one pixel long");
}

bool needs_background(const MeasureRequest& request) {
  const auto is_wanted = [&](MeasureId id) { return request.wanted[static_cast<std::size_t>(id)]; };
  return is_3d(request.connectivity) && (is_wanted(MeasureId::cavities) || is_wanted(MeasureId::tunnels));
}

MeasureTable measure(const LabelRows& labels, const Components& components, const MeasureRequest& request) {
  for (const MeasureId id : columns(request.wanted & ~measures_across_borders(request.periodic)))
    if (request.periodic != PeriodicAxes{})
      throw Error(ErrorCode::usage, std::string(measure_of(id).name) + " is not measured across borders");
  const std::int64_t rows = labels.extent().rows();
  const MeasureContext labeling{labels.extent(), components, &labels, request, 0, rows};
  auto measured = std::make_unique<Measured>(MeasureSums(labeling));
  MeasureSums& sums = measured->sums;
  if (request.gathered == nullptr || !sums.take(*request.gathered, components.size()))
    sums.resize(components.size());
  if (sums.looks_at_rows()) measuring::add_ready_rows(0, rows, {}, labels, labeling, sums);
  const std::int64_t left = request.max_bytes - sums.extra_bytes();
  if (counts_pieces(request))
    measured->pieces = measuring::count_pieces(labels, components.size(), request.connectivity, left);
  measured->intensities = measure_intensities(labels, components, request.samples, request.wanted, left);
  for (const NamedSamples& one : request.samples) measured->add_image(one);
  return MeasureTable(std::move(measured));
}

MeasureTable empty_measures(const Extent& extent, const Components& components,
                            const MeasureRequest& request) {
  MeasureSums sums({extent, components, nullptr, request, 0, 0, true});
  sums.resize(components.size());
  return measuring::with_samples(std::move(sums), LabelImage({}, 0), 0, 0, components, request);
}

MeasureTable measure_rows(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                          const Components& components, const MeasureRequest& request) {
  const MeasureContext labeling{labels.extent(), components, &labels, request, begin, end, true};
  MeasureSums sums(labeling);
  sums.resize(components.size());
  if (sums.looks_at_rows())
    measuring::add_ready_rows(begin, end, rows_measured_around(labels.extent(), request.connectivity), labels,
                              labeling, sums);
  return measuring::with_samples(std::move(sums), labels, begin, end, components, request);
}

RowsAround rows_measured_around(const Extent& extent, Connectivity connectivity) {
  constexpr std::int64_t kReach = measuring::RowWindow::kReach;
  if (extent.depth == 1) return {kReach, kReach};
  return {is_3d(connectivity) ? extent.height : 0, 0};
}

SumsLayout layout_of_sums(const MeasureSet& wanted, Connectivity connectivity) {
  const Components none;
  return MeasureSums({{}, none, nullptr, {.wanted = wanted, .connectivity = connectivity}}).layout();
}

std::size_t bytes_of_sums(const MeasureRequest& request, const Extent& extent) {
  MeasureRequest of_extent = request;  // for components as large as the extent, without tables of its rows
  of_extent.max_bytes = INT64_MAX;
  const Components one = measuring::one_of_all({1, 1, 1});
  const bool of_samples = (request.wanted & measures_of(MeasureGroup::intensity)).any();
  const std::size_t images = of_samples ? std::max<std::size_t>(request.samples.size(), 1) : 0;
  const bool are_long = std::any_of(
      request.samples.begin(), request.samples.end(),
      [](const NamedSamples& samples) { return samples.image->kind() == IntensityImage::Kind::long_whole; });
  return MeasureSums({extent, one, nullptr, of_extent, 0, 0, true}).bytes_each() +
         images * bytes_of_intensity(are_long) + (counts_pieces(request) ? sizeof(std::uint64_t) : 0);
}

}  // namespace gpuccl
