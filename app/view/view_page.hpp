#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/json.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/paths.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

/// The table of components in a page: the content of --stats as numbers.
class ViewTable {
 public:
  /// Reads a table of --stats, complete or piece by piece, and keeps components of at least the set area
  /// (set_least_area()). Error (data) if it is not such a table.
  void add_csv(std::string_view piece);
  /// Call it after the last piece.
  void end_csv();
  void set_least_area(double elements) { least_area_ = elements; }
  /// Adds a component of a report. Throws Error (data) if it is none, or differs from the first in its
  /// fields.
  void add_component(const std::vector<io::JsonField>& component);
  void set_unit(const std::string& unit) { unit_ = unit; }

  std::size_t rows() const { return labels_.size(); }
  std::span<const std::uint64_t> labels() const { return labels_; }
  /// Returns whether the areas in the table are those of the labels. `names`: as in pack().
  bool has_areas(std::span<const std::uint64_t> names, std::span<const std::uint64_t> areas) const;
  /// Replaces the numbers 1..N of rows by their labels `names`, in any order.
  void name_labels(std::span<const std::uint64_t> names);
  /// Returns the number of the first slice of the label image in the table. `names`: as in pack(); `boxes`:
  /// of these labels.
  int first_slice(std::span<const std::uint64_t> names, std::span<const Box> boxes) const;
  /// Keeps only the `rows` largest components, in order.
  void keep_largest(std::size_t rows);

  /// Columns in the format of the page, and their descriptions. The first column has the numbers of
  /// components. Without name_labels(), these are the places of the labels in `names`, which ascends.
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

  std::string rest_;  // beginning of a line whose end follows
  std::vector<std::string> head_;
  std::vector<std::uint64_t> labels_;
  std::vector<std::uint64_t> ids_;  // numbers of components, once labels have other names
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
  std::span<const std::uint64_t> names;  // the labels of numbers 1..N; empty: the same
  io::Source image;                      // below the labels; may be empty
  io::ReadOptions read_image;            // of the channel to show first; foreground.invert: light as dark
  // Command that makes the labels again. `made`: the page belongs to this run.
  std::string input, options, output;
  bool made = false;
  bool in_batch = false;  // options may name folders of images
  std::string index;      // relative path of the index of a batch; "" for a single page
  std::vector<std::string> hints;
  std::vector<std::pair<std::string, std::string>> about;  // input, options, ...
  std::size_t most_bytes = kUsualBytes;

  static constexpr std::size_t kUsualBytes = 10'000'000;
};

/// Maximum number of components in a page; the largest are kept.
inline constexpr std::size_t kMaxViewRows = 1'000'000;

/// Returns an upper bound of the bytes for making a page of an image with `runs` runs, in addition to labels
/// and table.
std::int64_t bytes_to_make_view(const Extent& extent, std::int64_t runs, bool with_image);

/// Writes the page (docs/view.md): one file that needs nothing else. Returns a small PNG of the labels over
/// the image for the index of a batch; "" for a single page. FileError of the image below or of the file of
/// the table.
std::string write_view(io::AtomicFile& file, const io::MappedLabels& labels, ViewPage page);

}  // namespace gpuccl::app
