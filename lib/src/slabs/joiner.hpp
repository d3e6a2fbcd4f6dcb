#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "slabs/face_contacts.hpp"

namespace gpuccl {

/// Component i of a slab as seen from the whole.
Component placed(const Components& components, std::size_t i, const Slab& slab);

/// Components of the slabs, the unions between them, and finally the label of each in the
/// whole image.
///
/// One array contains the labels of all slabs, with a 0 before those of each slab. The labels of slab i
/// begin at offset(i); after number(), this is the map from labels of the slab to final ones.
class SlabComponents {
 public:
  explicit SlabComponents(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Adds the next slab; its components get labels above all others. Returns their offset. Error (memory,
  /// data).
  Label add(const Slab& slab, Components components);
  /// TooManyComponents if there is no memory for so many more, or for so many bytes in addition to them.
  void check_memory(std::size_t more, std::size_t bytes_beside = 0) const;

  void unite(Label a, Label b);

  /// Numbers the components of the whole from 1 on. Nothing can be added any more.
  Components number();
  Label count() const { return count_; }

  const Label* map(std::size_t slab) const { return labels_.data() + parts_[slab].offset; }
  /// Returns the number of components of slab `slab`, and of their elements.
  Label count(std::size_t slab) const { return parts_[slab].count; }
  std::uint64_t area(std::size_t slab) const { return parts_[slab].area; }

 private:
  struct Part {
    Slab slab;
    Label offset;
    Label count;
    std::uint64_t area;
    Components components;  // in coordinates of the slab
  };

  std::int64_t max_bytes_;
  std::vector<Part> parts_;
  std::vector<Label> labels_;  // links of a forest until number()
  Label count_ = 0;
};

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
