#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/results.hpp"

namespace gpuccl::bench {

// Names of axes in charts.
inline constexpr const char* kDensityAxis = "density (%)";
inline constexpr const char* kSizeAxis = "pixels";

/// Values of one algorithm along an axis; none where it was not measured.
struct Series {
  std::string title;
  std::vector<std::optional<double>> values;
  bool is_floor = false;
};

/// Groups that differ only in their axis: density, granularity, size, or the images.
struct SeriesSet {
  std::string title;
  std::string axis;                 // "density (%)", "images", ...
  std::vector<std::string> places;  // along it
  std::vector<double> x;            // the places as numbers; empty if they are names
  std::vector<Series> series;
  bool logarithmic = false;  // the axis
  bool of_volumes = false;
};

/// Returns the value of a row to show; none if it was not measured.
using Value = std::function<std::optional<double>(const Row&)>;

std::optional<double> total_ms(const Row& row);
/// The minimum of the repetitions instead of their median, as in YACCLAB.
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

/// Returns the results as sets of curves (or bars). `with_floors`: floors are series, too.
std::vector<SeriesSet> series_sets(const Results& results, const Value& value, bool with_floors);

/// Returns the size at which a series of throughputs reaches half of its peak, as a square or cube such as
/// "640x640", interpolated by the number of elements. It is the first size if the series begins above half;
/// "" without values.
std::string half_of_peak(const SeriesSet& set, const Series& series);

/// "random 2048x2048, density 50 %, granularity 1" or the name of a dataset.
std::string describe(const Group& group);
/// "8-connectivity, 10 images of 4.19 million pixels, foreground 50 %, 131000 components".
std::string describe_images(const Group& group);

}  // namespace gpuccl::bench
