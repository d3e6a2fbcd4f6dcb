#pragma once

#include <optional>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::app {

class Command;
struct LabelOptions;

/// Images of values: neighbors connect when their values are equal, or differ by at most a delta.
struct ValueOptions {
  bool by_values = false;
  bool objects = false;  // each value is one object, connected or not: gpuccl measure
  std::optional<double> delta;
  bool per_value = false;     // --largest of each value
  bool keep_values = false;   // written instead of labels
  bool split_values = false;  // like keep_values, but only the largest piece of a value keeps it
  bool relabel = false;       // labels instead of the values of objects

  bool writes_values() const { return keep_values || split_values; }
  double most_difference() const { return delta.value_or(0); }
  /// Whether the components of each value are added up in the report: each has one.
  bool sums_values() const { return by_values && !objects && most_difference() == 0; }
  /// Whether tables have the value as label.
  bool are_labels() const { return objects && !relabel; }
  /// Whether tables have a column of values next to labels.
  bool has_column() const { return by_values && !are_labels(); }
  /// Add --values and --delta, and the others.
  void add_input_to(const Command& command);
  void add_selection_to(const Command& command, bool in_parts);
};

/// The rule of connecting in words, for the report.
std::string rule_of(const ValueOptions& options);

/// Error (data) if values of this type cannot be compared so.
void check_value_type(ValueType type, const ValueOptions& options);

/// Error (usage) if options contradict --values, or need it.
void check_values(const LabelOptions& options);

}  // namespace gpuccl::app
