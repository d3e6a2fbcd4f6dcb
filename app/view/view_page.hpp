#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/view/view_table.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

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
