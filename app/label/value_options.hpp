#pragma once

#include <optional>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::app {

class Command;
struct LabelOptions;

/// Options of label maps: neighbors connect if their values are equal, or differ by at most a delta.
struct ValueOptions {
  bool by_values = false;
  bool objects = false;  // each value is one object, connected or not: gpuccl measure
  std::optional<double> delta;
  bool per_value = false;     // --largest of each value
  bool keep_values = false;   // values are written instead of labels
  bool split_values = false;  // like keep_values, but only the largest piece of a value keeps it
  bool relabel = false;       // labels are written instead of the values of objects

  bool writes_values() const { return keep_values || split_values; }
  double most_difference() const { return delta.value_or(0); }
  /// Returns whether the report sums up the components of each value, which needs one value per component.
  bool sums_values() const { return by_values && !objects && most_difference() == 0; }
  /// Returns whether the label in tables is the value.
  bool are_labels() const { return objects && !relabel; }
  /// Returns whether tables have a column of values in addition to labels.
  bool has_column() const { return by_values && !are_labels(); }
  /// Add --values and --delta, and the other options.
  void add_input_to(const Command& command);
  void add_selection_to(const Command& command, bool in_parts);
};

/// Returns the rule of connecting in words, for the report.
std::string rule_of(const ValueOptions& options);

/// Error (data) if the options cannot compare values of this type.
void check_value_type(ValueType type, const ValueOptions& options);

/// Error (usage) if options cannot be combined with --values, or need it.
void check_values(const LabelOptions& options);

}  // namespace gpuccl::app
