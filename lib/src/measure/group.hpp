#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "gpuccl/components.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"

namespace gpuccl::measuring {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// Runs of a row that follow each other and have one label.
struct Stretch {
  Label label = 0;
  int begin = 0, end = 0;  // elements from the first of the first run to behind the last of the last
  std::span<const LabelRun> runs;
  std::uint64_t* sums = nullptr;  // of the component, or of a part of it

  /// Calls visit(word, mask) for the words of the row that it has elements in; what is not masked may be of
  /// others.
  template <class Visit>
  void for_each_word(Visit visit) const {
    const int first = begin / kWordBits, last = (end - 1) / kWordBits;
    for (int word = first; word <= last; ++word) {
      Word mask = ~Word{0};
      if (word == first) mask &= ~Word{0} << begin % kWordBits;
      if (word == last) mask &= ~Word{0} >> (kWordBits - 1 - (end - 1) % kWordBits);
      visit(word, mask);
    }
  }
};

/// A row of labels and the bits of foreground around it.
struct LabeledRow {
  int y = 0, z = 0;
  std::span<const Stretch> stretches;
  int words = 0;  // of a row; there is a word of zeros before and behind them
  /// Rows y - 2 to y + 2 of this slice, and y - 1 to y + 1 of the slice before if slices touch; rows of zeros
  /// where there is none.
  std::array<const Word*, 5> here{};
  std::array<const Word*, 3> before{};
  /// The runs of the same rows.
  std::array<std::span<const LabelRun>, 5> runs_here{};
  std::array<std::span<const LabelRun>, 3> runs_before{};
};

/// What values are derived from.
struct Sums {
  const Component& component;
  const std::uint64_t* sums;  // of the group
  std::size_t index;          // of the component when it was measured
};

/// What all groups know of the labeling.
struct Labeling {
  Extent extent;
  const Components& components;  // while it is measured
  const LabelSource* labels;     // the same; null if only the size of sums is asked for
  MeasureRequest request;

  bool is_volume() const { return is_3d(request.connectivity); }
};

/// Measures that are derived from the same sums.
class Group {
 public:
  virtual ~Group() = default;

  /// 64-bit words of the sums of one component, which are 0 at first; at Stretch::sums + offset.
  virtual std::size_t words() const { return 0; }
  /// Whether it needs add().
  virtual bool looks_at_rows() const { return words() > 0; }
  /// Adds what a row has of each component that has a stretch in it. Called once a row, in no order of rows
  /// and from several threads, where no two have the same sums or the same row.
  virtual void add(const LabeledRow& /*row*/) {}
  /// Adds the sums of one part of a component to those of another.
  virtual void merge(std::uint64_t* into, const std::uint64_t* part) const;
  /// Puts the values into their places.
  virtual void derive(const Sums& sums, MeasureValues& values) const = 0;

  std::size_t offset = 0;  // of its sums among those of all groups
};

/// Null if none of the group's measures is wanted.
using MakeGroup = std::unique_ptr<Group> (*)(const Labeling& labeling);
std::unique_ptr<Group> make_basic(const Labeling& labeling);
std::unique_ptr<Group> make_border(const Labeling& labeling);
std::unique_ptr<Group> make_cavities(const Labeling& labeling);
std::unique_ptr<Group> make_crofton(const Labeling& labeling);
std::unique_ptr<Group> make_euler(const Labeling& labeling);
std::unique_ptr<Group> make_feret(const Labeling& labeling);
std::unique_ptr<Group> make_moments(const Labeling& labeling);
std::unique_ptr<Group> make_perimeter(const Labeling& labeling);

/// Whether one of `ids` is wanted.
bool wants(const Labeling& labeling, std::initializer_list<MeasureId> ids);

}  // namespace gpuccl::measuring
