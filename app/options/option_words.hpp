#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/selection.hpp"

namespace gpuccl::app {

/// Name in a condition of the label of an object: its value.
inline constexpr const char* kLabelOfObject = "label";

/// Parses a condition: comparisons of a measure, or `value`, with a number (<, <=, >, >=, == or =,
/// !=), joined by `and`, which binds closer, `or` and parentheses. Error (usage), with the place in `text`.
Condition parse_condition(const std::string& text);

/// Returns the name among `known` that `given` probably means; "" if none is near: "--min_size",
/// "--minsize" and "-min-siez" mean "--min-size", "--out" means "--output", "--verbose" means "--progress".
std::string nearest_name(const std::string& given, const std::vector<std::string>& known);

/// Returns why gpuccl has no such option, or what to use instead, for options of other programs; "" for
/// others.
std::string not_offered(const std::string& given);

/// Returns the measure that `given` probably means, by its name in other programs too: "area" for "volume".
/// May return several, separated by commas, as for "centroid".
std::string nearest_measure(const std::string& given, const std::vector<std::string>& known);

inline constexpr std::string_view kTypesetDashes[] = {"\u2010", "\u2011", "\u2012", "\u2013",
                                                      "\u2014", "\u2015", "\u2212"};
/// Returns whether `word` begins with a dash that a word processor puts for "-" or "--".
inline bool begins_with_typeset_dash(std::string_view word) {
  return std::any_of(std::begin(kTypesetDashes), std::end(kTypesetDashes),
                     [&](std::string_view dash) { return word.starts_with(dash); });
}

}  // namespace gpuccl::app
