#pragma once

#include <limits>
#include <string>
#include <vector>

#include "gpuccl/measures.hpp"

namespace gpuccl {

/// A condition on the measures of a component, and on its value in an image of values (values.hpp), such as
/// "area >= 50 and sphericity > 0.6". What a component does not have (NaN) is neither above, below nor equal
/// to any number, so it is unequal to all, as in pandas.
struct Condition {
  enum class Relation { less, at_most, greater, at_least, equal, unequal };
  /// A comparison, or what joins the two results before it.
  struct Step {
    enum class Kind { comparison, comparison_of_value, both, either };

    Kind kind = Kind::comparison;
    MeasureId measure{};
    Relation relation{};
    double number = 0;

    friend bool operator==(const Step&, const Step&) = default;
  };
  /// Operands may nest so deep.
  static constexpr int kDeepest = 64;

  std::vector<Step> steps;  // operands before what joins them; empty: holds always
  std::string text;         // as written, with one blank between words

  bool holds(const MeasureValues& measures, double value = std::numeric_limits<double>::quiet_NaN()) const;
  /// Those that it compares.
  MeasureSet measures() const;
  bool compares_value() const;

  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace gpuccl
