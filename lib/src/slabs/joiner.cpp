#include "slabs/joiner.hpp"

#include "common/add_phases.hpp"
#include "slabs/slab_geometry.hpp"

namespace gpuccl {

void Joiner::add(const Slab& slab, Labeled& labeled, Column<ValueBits> values, ValueFaces at_faces) {
  const SlabFaces faces(slab, extent_, connectivity_);
  const LabelSource& labels = *labeled.labels;
  const Label offset = components_.add(slab, std::move(labeled.components));
  values_.push_back(std::move(values));
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
  if (faces.next) {
    labels.list_runs(labels.extent().rows() - faces.rows, faces.rows, last_.runs, nullptr);
    last_.elements = std::move(at_faces.last);
  }
  add_phases(whole_.labeled.phases, labeled.phases);
  whole_.labeled.statistics_ms += labeled.statistics_ms;
}

void Joiner::add_objects(const Slab& slab, Labeled& labeled, Column<ValueBits> values) {
  constexpr std::size_t kBytesOfEntry = 5 * sizeof(std::uint64_t);  // with its share of the buckets
  const Label offset = components_.add(slab, std::move(labeled.components));
  components_.check_memory(0, (first_of_value_.size() + values.size()) * kBytesOfEntry);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Label label = offset + static_cast<Label>(i + 1);
    const auto [first, is_new] = first_of_value_.try_emplace(values[i], label);
    if (!is_new) components_.unite(first->second, label);
  }
  values_.push_back(std::move(values));
  add_phases(whole_.labeled.phases, labeled.phases);
  whole_.labeled.statistics_ms += labeled.statistics_ms;
}

void Joiner::number() {
  whole_.labeled.components = components_.number();
  for (std::size_t i = values_.size(); i-- > 0;) {  // the first slab that a component is in says its value
    if (values_[i].empty()) continue;
    whole_.values.resize(whole_.labeled.components.size());
    for (std::size_t k = values_[i].size(); k-- > 0;)
      whole_.values[components_.map(i)[k + 1] - 1] = values_[i][k];
  }
}

}  // namespace gpuccl
