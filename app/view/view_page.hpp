#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"

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

/// Contents of the page of one label image, except its labels.
struct ViewPage {
  std::string title;
  std::uint64_t components = 0;
  io::Geometry geometry;
  ViewTable table;
  std::string table_file;                // that it comes from; "" if it is made from the labels
  std::span<const std::uint64_t> names;  // labels that 1..N stand for; empty: themselves
  std::string image;                     // below the labels; "" for none
  io::ReadOptions read_image;
  // Command that makes the labels again. `made`: it is the run that the page is part of.
  std::string input, options, output;
  bool made = false;
  std::string index;  // of the pages of a batch, from the folder of this one; "" for a page alone
  std::vector<std::string> hints;
  std::vector<std::pair<std::string, std::string>> about;  // input, options, ...
  std::size_t most_bytes = kUsualBytes;

  static constexpr std::size_t kUsualBytes = 10'000'000;
};

/// Components of at most so many rows are given to a page, the largest.
inline constexpr std::size_t kMostViewRows = 1'000'000;

/// Returns the bytes that a page of an image with so many runs takes at most, in addition to labels and
/// table.
std::int64_t bytes_to_make_view(const Extent& extent, std::int64_t runs);

/// Writes the page (docs/view.md): one file that needs nothing else. FileError of the image below or of
/// the file of the table.
void write_view(io::AtomicFile& file, const io::MappedLabels& labels, ViewPage page);

}  // namespace gpuccl::app
