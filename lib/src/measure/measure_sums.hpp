#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "measure/group.hpp"

namespace gpuccl {

/// The requested groups, and their sums for all components.
class MeasureSums {
 public:
  explicit MeasureSums(const measuring::MeasureContext& labeling);

  const MeasureSet& wanted() const { return wanted_; }
  void show_only(const MeasureSet& wanted) { wanted_ &= wanted; }
  bool is_volume() const { return is_3d(request_.connectivity); }
  /// Returns the groups that need rows of the labels.
  const std::vector<measuring::Group*>& by_rows() const { return by_rows_; }
  std::size_t words() const { return words_; }
  /// Returns the layout of the sums that a labeler may gather.
  const SumsLayout& layout() const { return layout_; }

  bool looks_at_rows() const { return !by_rows_.empty(); }
  bool looks_at_edges() const;
  /// Returns true if each label must be measured without the labels around it.
  bool isolates_labels() const;
  std::size_t bytes_each() const;
  std::int64_t extra_bytes() const;
  /// Moves gathered sums in, so that rows need not be read. Returns false if they do not fit the requested
  /// measures or the number of components.
  bool take(GatheredSums& gathered, std::size_t components);
  void resize(std::size_t components) { sums_.assign(components * words_, 0); }
  std::uint64_t* of(std::size_t component) { return sums_.data() + component * words_; }

  /// Returns empty sums of the same measures for other components.
  std::unique_ptr<MeasureSums> empty_like(const Components& components) const;
  /// Appends the state of a component to `saved`. add_saved() adds it to another piece of the component and
  /// removes its words from the front of `saved`; it returns false if the words are invalid.
  void save(std::size_t component, std::vector<std::uint64_t>& saved) const;
  bool add_saved(std::size_t component, std::span<const std::uint64_t>& saved);

  void merge(std::uint64_t* into, const std::uint64_t* part) const;
  MeasureValues derive(const Component& component, std::size_t i) const;

 private:
  MeasureSet wanted_;
  Extent extent_;
  MeasureRequest request_;
  std::vector<std::unique_ptr<measuring::Group>> groups_;
  std::vector<measuring::Group*> by_rows_;
  SumsLayout layout_;
  std::size_t words_ = 0;
  UninitializedVector<std::uint64_t> sums_;
};

}  // namespace gpuccl
