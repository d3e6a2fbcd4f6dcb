#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"
#include "slabs/faces.hpp"

namespace gpuccl {

/// Returns component i of a slab in coordinates of the whole.
Component placed(const Components& components, std::size_t i, const Slab& slab);

/// Components of the slabs, the unions between them, and finally the label of each in the
/// whole image.
///
/// One array contains the labels of all slabs, with a 0 before those of each slab. The labels of slab i
/// begin at offset(i); after number(), this is the map from labels of the slab to final ones.
class SlabComponents {
 public:
  explicit SlabComponents(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Adds the next slab. Its components get labels above all others. Returns the offset of these labels.
  /// Throws Error (memory, data).
  Label add(const Slab& slab, Components components);
  /// Throws TooManyComponents if there is no memory for `more` components and `extra_bytes` bytes.
  void check_memory(std::size_t more, std::size_t extra_bytes = 0) const;

  void unite(Label a, Label b);

  /// Labels the components of the whole image from 1. Nothing can be added afterwards.
  Components number();
  Label count() const { return count_; }

  const Label* map(std::size_t slab) const { return labels_.data() + parts_[slab].offset; }
  /// Return the number of components of a slab, and the number of their elements.
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

/// Merges the components of consecutive slabs.
class SlabMerger {
 public:
  /// `of_objects`: merges components of equal values in all slabs.
  SlabMerger(Extent extent, Connectivity connectivity, std::int64_t max_kept, bool of_objects = false)
      : extent_(extent), connectivity_(connectivity), of_objects_(of_objects), components_(max_kept) {}

  /// Same contract as SlabComponents::check_memory().
  void check_memory(std::size_t more) const { components_.check_memory(more); }

  /// Adds a slab. Moves everything from `labeled` except the labels. With `values` of its components, they
  /// connect to touching components of the previous slab if their values are equal, or with a delta if
  /// elements in `at_faces` connect.
  void add(const Slab& slab, Labeling& labeled, UninitializedVector<ValueBits> values = {},
           ValueFaces at_faces = {});

  /// Returns the whole after all slabs were added. make_labels(components) creates its labels.
  template <class MakeLabels>
  ValueLabeling finish(MakeLabels make_labels) {
    number();
    whole_.labeled.labels = make_labels(std::move(components_));
    return std::move(whole_);
  }

 private:
  void unite_faces(const Slab& slab, const LabelRows& labels, Label offset, ValueFaces at_faces);
  void unite_values(Label offset);
  void number();

  Extent extent_;
  Connectivity connectivity_;
  bool of_objects_;
  SlabComponents components_;
  std::vector<UninitializedVector<ValueBits>> values_;  // of the components of each slab
  Face last_;                                           // of the previous slab
  Label last_offset_ = 0;
  std::unordered_map<ValueBits, Label> first_of_value_;  // label in the first slab with this value
  ValueLabeling whole_;
};

}  // namespace gpuccl
