#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/measures.hpp"

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
    double number = 0;
    std::string name = {};  // of the image whose samples are compared; "": the only one
    std::size_t image = 0;  // the same image, by its place

    friend bool operator==(const Step&, const Step&) = default;
  };
  /// Maximum nesting depth of operands.
  static constexpr int kDeepest = 64;

  std::vector<Step> steps;  // postfix; empty: always true
  std::string text;         // as written, with one blank between words

  /// Returns true if the condition is satisfied. `measures`: with the intensities of each of images() images.
  /// Thread-safe.
  bool holds(std::span<const MeasureValues> measures,
             double value = std::numeric_limits<double>::quiet_NaN()) const;
  bool holds(const MeasureValues& measures, double value = std::numeric_limits<double>::quiet_NaN()) const {
    return holds(std::span(&measures, 1), value);
  }
  /// Returns the number of images up to the last one that is compared; at least 1.
  std::size_t images() const;
  /// Returns the compared measures.
  MeasureSet measures() const;
  bool compares_value() const;

  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace gpuccl
