#include "measure/measure_sums.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpuccl/objects.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {

bool wants(const MeasureContext& labeling, std::initializer_list<MeasureId> ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](MeasureId id) { return labeling.request.wanted[static_cast<std::size_t>(id)]; });
}

Connectivity connectivity_around(const MeasureContext& labeling) {
  return labeling.request.labels_touch ? all_neighbors(labeling.request.connectivity)
                                       : labeling.request.connectivity;
}

void Group::merge(std::uint64_t* into, const std::uint64_t* part) const {
  for (std::size_t i = 0; i < words(); ++i) into[i] += part[i];
}
}  // namespace gpuccl::measuring

namespace gpuccl {

using measuring::Group;

MeasureSums::MeasureSums(const measuring::MeasureContext& labeling)
    : wanted_(labeling.request.wanted), extent_(labeling.extent), request_(labeling.request) {
  for (const measuring::MakeGroup make :
       {measuring::make_basic, measuring::make_moments, measuring::make_perimeter, measuring::make_crofton,
        measuring::make_feret, measuring::make_radius, measuring::make_euler, measuring::make_cavities,
        measuring::make_border, measuring::make_wraps})
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

std::unique_ptr<MeasureSums> MeasureSums::empty_like(const Components& components) const {
  MeasureRequest request = request_;
  request.wraps = {};
  auto sums = std::make_unique<MeasureSums>(measuring::MeasureContext{extent_, components, nullptr, request});
  sums->wanted_ = wanted_;
  sums->resize(components.size());
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

}  // namespace gpuccl
