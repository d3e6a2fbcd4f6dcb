#pragma once

#include <string>

#include "gpuccl/selection.hpp"

namespace gpuccl::app {

/// Name in a condition of the label of an object: its value.
inline constexpr const char* kLabelOfObject = "label";

/// A condition as it is typed: comparisons of a measure, or `value`, with a number (<, <=, >, >=, == or =,
/// !=), joined by `and`, which binds closer, `or` and parentheses. Error (usage), with the place in `text`.
Condition parse_condition(const std::string& text);

}  // namespace gpuccl::app
