#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuccl/components.hpp"
#include "gpuccl/measures.hpp"
#include "measure/group.hpp"

namespace gpuccl {

/// The groups that are wanted, and their sums of all components.
class MeasureSums {
 public:
  explicit MeasureSums(const measuring::Labeling& labeling);

  const MeasureSet& wanted() const { return wanted_; }
  void show_only(const MeasureSet& wanted) { wanted_ &= wanted; }
  bool is_volume() const { return is_3d(request_.connectivity); }
  const std::vector<std::unique_ptr<measuring::Group>>& groups() const { return groups_; }
  std::size_t words() const { return words_; }

  bool looks_at_rows() const;
  bool looks_at_edges() const;
  std::size_t bytes_each() const;
  std::int64_t bytes_beside() const;
  void resize(std::size_t components) { sums_.resize(components * words_); }
  std::uint64_t* of(std::size_t component) { return sums_.data() + component * words_; }

  /// The same measures, of nothing yet, of other components.
  std::unique_ptr<MeasureSums> of_others(const Components& components) const;
  /// What is known of a component as words behind `saved`, and adds such to another part of the same one.
  void save(std::size_t component, std::vector<std::uint64_t>& saved) const;
  void add_saved(std::size_t component, std::span<const std::uint64_t> saved);

  void merge(std::uint64_t* into, const std::uint64_t* part) const;
  MeasureValues derive(const Component& component, std::size_t i) const;

 private:
  MeasureSet wanted_;
  Extent extent_;
  MeasureRequest request_;
  std::vector<std::unique_ptr<measuring::Group>> groups_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> sums_;
};

}  // namespace gpuccl
