#include "slabs/slab_merger.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "common/union_find.hpp"
#include "gpuccl/types.hpp"
#include "slabs/faces.hpp"
#include "slabs/slab_labels.hpp"

namespace gpuccl {
namespace {

constexpr std::size_t kBytesEach = sizeof(Label) + Components::kBytesEach;

}  // namespace

Component placed(const Components& components, std::size_t i, const Slab& slab) {
  Component one = components[i];
  const int origin[3] = {0, slab.y0, slab.z0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    one.box.min[axis] += origin[axis];
    one.box.max[axis] += origin[axis];
    one.sum[axis] += CoordinateSum{one.area} * static_cast<std::uint64_t>(origin[axis]);
  }
  return one;
}

Label SlabComponents::add(const Slab& slab, Components components) {
  const std::size_t count = components.size(), offset = labels_.size();
  const std::size_t sum = offset + count + 1;
  if (sum > std::numeric_limits<Label>::max())
    throw Error(ErrorCode::data, std::to_string(sum) + " components of slabs, more than 4294967295");
  check_memory(count + 1);
  if (labels_.capacity() < sum) labels_.reserve(std::max(sum, offset + offset / 4));
  labels_.resize(sum);
  std::iota(labels_.begin() + static_cast<std::ptrdiff_t>(offset), labels_.end(), static_cast<Label>(offset));
  const std::uint64_t area =
      std::accumulate(components.area.begin(), components.area.end(), std::uint64_t{0});
  parts_.push_back(
      {slab, static_cast<Label>(offset), static_cast<Label>(count), area, std::move(components)});
  return static_cast<Label>(offset);
}

void SlabComponents::check_memory(std::size_t more, std::size_t extra_bytes) const {
  if ((labels_.size() + more) * kBytesEach + extra_bytes > static_cast<std::uint64_t>(max_bytes_))
    throw TooManyComponents(ErrorCode::memory,
                            "has more components than fit into the remaining memory; set a larger --memory");
}

void SlabComponents::unite(Label a, Label b) {
  UnionFind<ZeroBased, OneThread, Walk::halving>(labels_.data()).unite(a, b);
}

Components SlabComponents::number() {
  // A label's link is never larger than the label, and all smaller labels have their final values already.
  for (const Part& part : parts_) {
    labels_[part.offset] = 0;
    for (std::size_t label = std::size_t{part.offset} + 1; label <= std::size_t{part.offset} + part.count;
         ++label)
      labels_[label] = labels_[label] == label ? ++count_ : labels_[labels_[label]];
  }

  // The smallest label of a component is that of its first element, because slabs are in raster order.
  Components whole;
  whole.area.reserve(count_);
  whole.box.reserve(count_);
  whole.sum.reserve(count_);
  for (Part& part : parts_) {
    const Components components = std::exchange(part.components, {});
    for (std::size_t i = 0; i < components.size(); ++i) {
      const std::size_t final_index = labels_[part.offset + i + 1] - std::size_t{1};
      Component one = placed(components, i, part.slab);
      if (final_index == whole.size()) {
        whole.push_back(one);
      } else {
        one.add(whole[final_index]);
        whole.set(final_index, one);
      }
    }
  }
  return whole;
}

void SlabMerger::add(const Slab& slab, Labeling& labeled, UninitializedVector<ValueBits> values,
                     ValueFaces at_faces) {
  const Label offset = components_.add(slab, std::move(labeled.components));
  values_.push_back(std::move(values));
  if (of_objects_)
    unite_values(offset);
  else
    unite_faces(slab, *labeled.labels, offset, std::move(at_faces));
  for (const PhaseTime& time : labeled.phases) add_to(whole_.labeled.phases, time);
  whole_.labeled.statistics_ms += labeled.statistics_ms;
}

void SlabMerger::unite_faces(const Slab& slab, const LabelRows& labels, Label offset, ValueFaces at_faces) {
  const SlabFaces faces(slab, extent_, connectivity_);
  if (faces.before) {
    Face first{.values = values_.back(), .elements = std::move(at_faces.first)};
    labels.list_runs(0, faces.rows, first.runs, nullptr);
    components_.check_memory(0, first.bytes() + last_.bytes());
    last_.values = values_[values_.size() - 2];
    for_each_contact(last_, first, faces, at_faces, [&](Label before, Label here) {
      components_.unite(last_offset_ + before, offset + here);
    });
  }
  last_ = {};
  last_offset_ = offset;
  if (!faces.next) return;
  labels.list_runs(labels.extent().rows() - faces.rows, faces.rows, last_.runs, nullptr);
  last_.elements = std::move(at_faces.last);
}

void SlabMerger::unite_values(Label offset) {
  constexpr std::size_t kBytesOfEntry = 5 * sizeof(std::uint64_t);  // including its share of the buckets
  const UninitializedVector<ValueBits>& values = values_.back();
  components_.check_memory(0, (first_of_value_.size() + values.size()) * kBytesOfEntry);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Label label = offset + static_cast<Label>(i + 1);
    const auto [first, is_new] = first_of_value_.try_emplace(values[i], label);
    if (!is_new) components_.unite(first->second, label);
  }
}

void SlabMerger::number() {
  whole_.labeled.components = components_.number();
  for (std::size_t i = values_.size();
       i-- > 0;) {  // the first slab that contains a component determines its value
    if (values_[i].empty()) continue;
    whole_.values.resize(whole_.labeled.components.size());
    for (std::size_t k = values_[i].size(); k-- > 0;)
      whole_.values[components_.map(i)[k + 1] - 1] = values_[i][k];
    values_[i] = {};
  }
}

JoinedSlabs join_slabs(Extent extent, Connectivity connectivity, const std::vector<Slab>& slabs,
                       const std::function<SlabSummary(std::size_t i)>& labeled, bool of_objects) {
  SlabMerger merger(extent, connectivity, std::numeric_limits<std::int64_t>::max(), of_objects);
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    SlabSummary slab = labeled(i);
    merger.add(slabs[i], slab.labeled, std::move(slab.values), std::move(slab.faces));
  }
  JoinedSlabs joined;
  ValueLabeling whole = merger.finish([&](const SlabComponents& components) {
    for (std::size_t i = 0; i < slabs.size(); ++i)
      joined.labels.emplace_back(components.map(i), components.map(i) + components.count(i) + 1);
    return nullptr;
  });
  SoloLink link;
  joined.whole = unite_part(link, {0, extent.depth, 0, extent.height}, extent, connectivity,
                            std::move(whole.labeled), std::move(whole.values));
  return joined;
}

std::vector<Label> JoinedSlabs::numbers(std::size_t i) const {
  if (i >= labels.size()) return {0};
  std::vector<Label> mapped = labels[i];
  if (const Label* const map = whole.labels.map())
    for (Label& label : mapped) label = map[label];
  return mapped;
}

std::unique_ptr<LabelRows> joined_labels(Extent extent, std::vector<SlabLabels> slabs, Label count) {
  std::vector<JoinedLabels::Part> parts;
  parts.reserve(slabs.size());
  for (SlabLabels& one : slabs)
    parts.push_back({rows_of(one.slab, extent), std::move(one.labels), std::move(one.numbers)});
  return std::make_unique<JoinedLabels>(extent, std::move(parts), count);
}

}  // namespace gpuccl
