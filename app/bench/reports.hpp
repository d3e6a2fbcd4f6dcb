#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/environment.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

/// Content of a report except the results: program, version, commit and command line, then the machine.
struct Head {
  std::string version;
  std::string commit;
  std::string command;
  Environment environment;
};

/// Text in columns. The first columns are words, the others figures.
struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::size_t word_columns = 1;
};

/// Returns the table with columns as wide as their widest cell, words to the left and figures to the right.
std::string as_text(const Table& table);

/// Returns the number of characters of UTF-8 text.
std::size_t letters(const std::string& text);

/// Returns three significant digits: "1234", "123", "12.3", "1.23", "0.123", "0.0123".
std::string three_digits(double value);

/// Returns the measurements of one group, if the experiment has a table for each.
std::optional<Table> table_of(const ImageSetResult& group, Test test);
/// Returns tables of all groups together, with algorithms as columns.
std::vector<Table> joint_tables(const Results& results);
/// Returns a line for each connectivity: the fastest algorithm of those that were timed on all sets of
/// images, and its speedup over the next. "" if there are fewer than two.
std::string fastest(const Results& results);
/// The results as tables, in the shape that suits the experiment: those of groups, then joint ones.
std::vector<Table> tables(const Results& results);

/// Returns the head of every report: how the figures were measured, one statement per line.
std::vector<std::string> measurement_notes(const Results& results);

/// Returns head and results as one JSON object.
std::string as_json(const Head& head, const Results& results);

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
/// Returns the minimum of the repetitions instead of their median, as in YACCLAB.
std::optional<double> least_ms(const Row& row);
std::optional<double> multiple_of_floor(const Row& row);
/// Returns 10^9 elements per second.
std::optional<double> throughput(const Row& row);
/// Return, for a row of --test work, the mean over the thread blocks of its working_phase().
std::optional<double> longest_walk(const Row& row);
std::optional<double> atomics_a_block(const Row& row);
/// Returns the iterations of a row of --test iterations, whose only measure is the phase launched once per
/// iteration.
std::optional<double> iterations(const Row& row);

/// Returns the results as sets of curves (or bars). `with_floors`: floors are series, too.
std::vector<SeriesSet> series_sets(const Results& results, const Value& value, bool with_floors);

/// Returns the size at which a series of throughputs reaches half of its peak, as a square or cube such as
/// "640x640", interpolated by the number of elements. It is the first size if the series begins above half;
/// "" without values.
std::string half_of_peak(const SeriesSet& set, const Series& series);

/// Returns "random 2048x2048, density 50 %, granularity 1" or the name of a dataset.
std::string describe(const ImageSetResult& group);
/// Returns "8-connectivity, 10 images of 4.19 million pixels, foreground 50 %, 131000 components".
std::string describe_images(const ImageSetResult& group);

}  // namespace gpuccl::bench
