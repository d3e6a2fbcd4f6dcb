#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuccl::app {

/// The table of components that a page shows: what --stats writes, as numbers.
class ViewTable {
 public:
  /// Takes such a table, whole or piece by piece, and of it the components of at least so many elements.
  /// Error (data) if it is none.
  void add_csv(std::string_view piece);
  /// To be called after the last piece.
  void end_csv();
  void set_least_area(double elements) { least_area_ = elements; }
  /// Takes the components of a report. Error (data) if it is none.
  void add_report(const nlohmann::ordered_json& report);

  std::size_t rows() const { return labels_.size(); }
  std::span<const std::uint64_t> labels() const { return labels_; }
  const std::string& unit() const { return unit_; }
  /// Gives rows the labels that 1..N stand for.
  void name_labels(std::span<const std::uint64_t> names);
  /// Leaves the largest components, in order.
  void keep_largest(std::size_t rows);

  /// Columns as a page has them, and what it says of each: the first is that of ids, which runs of labels
  /// have: where `names` has the label.
  struct Packed {
    std::vector<std::string> lines;
    std::string heads;  // a list in JSON
  };
  Packed pack(std::span<const std::uint64_t> names, bool volume) const;

 private:
  struct Column {
    std::string name;
    std::vector<double> values;
  };

  void add_line(std::string_view line);
  void add_head(std::string_view line);
  Column& column(const std::string& name);

  std::string rest_;  // a line of which the end is to come
  std::vector<std::string> head_;
  std::vector<std::uint64_t> labels_;
  std::vector<Column> columns_;
  std::string unit_;
  double least_area_ = 0;
};

}  // namespace gpuccl::app
