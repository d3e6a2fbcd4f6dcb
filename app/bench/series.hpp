#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

// Axes, as charts call them.
inline constexpr const char* kDensityAxis = "density (%)";
inline constexpr const char* kSizeAxis = "pixels";

/// One algorithm over the places of an axis; a place where it has no value is empty.
struct Series {
  std::string title;
  std::vector<std::optional<double>> values;
  bool is_floor = false;
};

/// Groups that differ in one thing only, which is the axis: density, granularity, size, or what images they
/// are.
struct SeriesSet {
  std::string title;
  std::string axis;                 // "density (%)", "images", ...
  std::vector<std::string> places;  // along it
  std::vector<double> x;            // the same as numbers; empty if the places are none
  std::vector<Series> series;
  bool logarithmic = false;  // the axis
  bool of_volumes = false;
};

/// Returns the value of a row to show; none if it was not measured.
using Value = std::function<std::optional<double>(const Row&)>;

std::optional<double> total_ms(const Row& row);
/// The minimum of the repetitions instead of their median, as YACCLAB has it.
std::optional<double> least_ms(const Row& row);
std::optional<double> multiple_of_floor(const Row& row);
/// 10^9 elements a second.
std::optional<double> throughput(const Row& row);
/// For a row of --test host.
std::optional<double> run_labels_ms(const Row& row);
/// For a row of --test work: the mean over the thread blocks of its working_phase().
std::optional<double> longest_walk(const Row& row);
std::optional<double> atomics_a_block(const Row& row);
/// For a row of --test iterations, whose only measure is the phase launched once per iteration.
std::optional<double> iterations(const Row& row);

/// The results as sets of curves (or bars), with the floors among the series if `with_floors`.
std::vector<SeriesSet> series_sets(const Results& results, const Value& value, bool with_floors);

/// The size from which on a series of throughputs reaches half of its peak, between two sizes in proportion
/// to elements, as the side of a square or cube: "640x640"; the first size if it does there; "" without
/// values.
std::string half_of_peak(const SeriesSet& set, const Series& series);

/// "random 2048x2048, density 50 %, granularity 1" or the name of a dataset.
std::string describe(const Group& group);
/// "8-connectivity, 10 images of 4.19 million pixels, foreground 50 %, 131000 components".
std::string describe_images(const Group& group);

}  // namespace gpuccl::bench
