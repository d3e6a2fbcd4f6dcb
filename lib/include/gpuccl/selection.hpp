#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"

// Filters on the components of a labeling, and filled holes.
#pragma GCC visibility push(default)
namespace gpuccl {

/// A condition on the measures of a component and on its value in a multi-label image, such as "area >=
/// 50 and sphericity > 0.6". Comparisons with a missing value (NaN) are false.
struct Condition {
  enum class Relation { less, at_most, greater, at_least, equal, unequal };
  /// A comparison, or an operator on the two preceding results (postfix notation).
  struct Step {
    enum class Kind { comparison, comparison_of_value, both, either };

    Kind kind = Kind::comparison;
    MeasureId measure{};
    Relation relation{};
    long double number = 0;  // holds every 64-bit integer, as values are
    /// Name of the image whose samples are compared; "" if it is the only one. Of a value: "label" if the
    /// condition calls it so.
    std::string name = {};
    std::size_t image = 0;  // index of this image

    friend bool operator==(const Step&, const Step&) = default;
  };
  /// Maximum nesting depth of operands.
  static constexpr int kDeepest = 64;

  std::vector<Step> steps;  // postfix; empty: always true
  std::string text;         // as written, with one blank between words

  /// Returns true if the condition is satisfied. `measures`: one entry for each of images() images, with its
  /// intensities. Thread-safe.
  bool holds(std::span<const MeasureValues> measures,
             long double value = std::numeric_limits<double>::quiet_NaN()) const;
  bool holds(const MeasureValues& measures,
             long double value = std::numeric_limits<double>::quiet_NaN()) const {
    return holds(std::span(&measures, 1), value);
  }
  /// Returns the number of images up to the last one that is compared; at least 1.
  std::size_t images() const;
  /// Returns the compared measures.
  MeasureSet measures() const;
  bool compares_value() const;

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Order of labels; size: largest first, equal sizes in raster order; value: ascending, of ComponentValues.
enum class LabelOrder { raster, size, value };

/// Filters and order of components.
struct SelectionOptions {
  std::uint64_t min_size = 0;  // elements
  std::uint64_t max_size = ~std::uint64_t{0};
  std::uint64_t largest = 0;   // number of largest components to keep; 0: all
  Condition keep = {};         // components must satisfy it
  bool clear_border = false;   // remove components at the image border (2D: of the slice)
  PeriodicAxes periodic = {};  // axes without border
  LabelOrder order = LabelOrder::raster;

  friend bool operator==(const SelectionOptions&, const SelectionOptions&) = default;
};

/// Result of a selection.
struct Selection {
  std::vector<Label> map;  // old label -> new label, 0 if removed; empty if nothing changes
  Components components;   // remaining components, by new label
  std::uint64_t dropped = 0;
};

/// Values of the components of a multi-label image (values.hpp).
struct ComponentValues {
  std::span<const ValueBits> bits = {};  // one per component
  ValueType type = ValueType::u8;
  bool per_value = false;  // apply SelectionOptions::largest to each value
};

/// Filters and orders components. `per_slice`, or a depth of 1: first and last slice are not a border.
/// Requires that `measured` and `values` contain all that SelectionOptions::keep compares. Time:
/// O(components), with an order or a limit O(components log components).
Selection select(Components components, Extent extent, bool per_slice, const SelectionOptions& options,
                 const MeasureTable& measured = MeasureTable(), const ComponentValues& values = {});

/// Applies `map` to `values`: keeps the value of each of the `components` remaining components. Does
/// nothing if `map` or `values` is empty.
void remap(const std::vector<Label>& map, std::size_t components, UninitializedVector<ValueBits>& values);

/// Holes of an image: background components that do not touch the image border. With 3D connectivity,
/// the first and last slice are border too.
class Holes {
 public:
  /// Requires labels of the inverted image with complementary() connectivity. `per_slice`: slices are
  /// separate images. Holes with more than `max_size` elements are ignored.
  Holes(Labeling background, bool per_slice, std::uint64_t max_size);

  std::uint64_t count() const { return count_; }
  std::uint64_t elements() const { return elements_; }

  /// Writes rows from `first_row` on, with holes filled, to all of `out`. Calls
  /// LabelRows::prepare() of the background.
  void draw_filled(std::int64_t first_row, BitVolume& out) const;

 private:
  std::unique_ptr<LabelRows> background_;
  std::vector<Label> map_;  // background label -> hole, 0: none; empty: all are holes
  std::uint64_t count_ = 0, elements_ = 0;
};

/// Writes rows of the image from `first_row` on, with holes filled, to all of `out`. `background`: labels as
/// for Holes. `holes`: for each of these labels and 0, a nonzero entry if it is a hole; empty if all are.
/// Calls LabelRows::prepare() of the background.
void draw_filled(const LabelRows& background, const std::vector<Label>& holes, std::int64_t first_row,
                 BitVolume& out);

/// Writes the inverted image from `first_row` on to all of `out`: elements without a label are
/// foreground. Calls LabelRows::prepare().
void draw_background(const LabelRows& labels, std::int64_t first_row, BitVolume& out);

/// Returns the background of a volume without the components that touch the border; the remaining ones are
/// the cavities. `connectivity`: that of the background. Returns all of the background if removing the
/// outside would take longer than labeling it.
BitVolume enclosed_background(const LabelRows& labels, Connectivity connectivity);

}  // namespace gpuccl
#pragma GCC visibility pop
