#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpuccl/parts.hpp"
#include "slabs/face_contacts.hpp"
#include "slabs/slab_components.hpp"

namespace gpuccl {

/// Joins the components of slabs that come one after the other.
class Joiner {
 public:
  Joiner(Extent extent, Connectivity connectivity, std::int64_t max_kept)
      : extent_(extent), connectivity_(connectivity), components_(max_kept) {}

  /// Same contract as SlabComponents::check_memory().
  void check_memory(std::size_t more) const { components_.check_memory(more); }

  /// Takes all of `labeled` but its labels. With `values` of its components, these are one with those of the
  /// slab before that they touch and whose values are equal, or with a delta where elements `at_faces`
  /// connect.
  void add(const Slab& slab, Labeled& labeled, Column<ValueBits> values = {}, ValueFaces at_faces = {});

  /// Takes all of `labeled` but its labels; its components are one with those of equal values in any slab
  /// before.
  void add_objects(const Slab& slab, Labeled& labeled, Column<ValueBits> values);

  /// The whole once all slabs have been added; make_labels(components) makes its labels.
  template <class MakeLabels>
  LabeledValues finish(MakeLabels make_labels) {
    number();
    whole_.labeled.labels = make_labels(std::move(components_));
    return std::move(whole_);
  }

 private:
  void number();

  Extent extent_;
  Connectivity connectivity_;
  SlabComponents components_;
  std::vector<Column<ValueBits>> values_;  // of the components of each slab
  Face last_;                              // of the slab before
  Label last_offset_ = 0;
  std::unordered_map<ValueBits, Label> first_of_value_;  // label in the first slab with this value
  LabeledValues whole_;
};

}  // namespace gpuccl
