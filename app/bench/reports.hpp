#pragma once

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

/// Columns as wide as their widest cell; words to the left, figures to the right.
std::string as_text(const Table& table);

/// Returns the number of characters of UTF-8 text.
std::size_t letters(const std::string& text);

/// Returns three significant digits: "1234", "123", "12.3", "1.23", "0.123", "0.0123".
std::string three_digits(double value);

/// Returns the measurements of one group, if the experiment has a table for each.
std::optional<Table> table_of(const Group& group, Test test);
/// Returns tables of all groups together, with algorithms as columns.
std::vector<Table> joint_tables(const Results& results);
/// Returns a line for each connectivity: the fastest algorithm of those that were timed on all sets of
/// images, and its speedup over the next. "" if there are fewer than two.
std::string fastest(const Results& results);
/// The results as tables, in the shape that suits the experiment: those of groups, then joint ones.
std::vector<Table> tables(const Results& results);

/// Returns the head of every report: how the figures were measured.
/// Each line is one statement.
std::vector<std::string> measurement_notes(const Results& results);

/// Returns one line per measure, algorithm and group; the first line names the columns.
std::string as_csv(const Results& results);

/// Head and results as one JSON object.
std::string as_json(const Head& head, const Results& results);

}  // namespace gpuccl::bench
