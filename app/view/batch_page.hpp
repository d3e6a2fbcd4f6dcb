#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/image/label_image.hpp"

namespace gpuccl::app {

/// The work of thread blocks as a picture (--test work), with its legend; no bytes: none.
struct WorkPicture {
  std::string png;
  std::string legend;
};

/// The page of results in the JSON of `gpuccl bench --json`: one file that needs nothing else.
std::string bench_page(const std::string& json, const WorkPicture& picture);

/// One input of a batch, as the index of its pages shows it.
struct IndexEntry {
  std::string input;
  std::string status;  // "labeled", "failed", ...
  std::string error;   // of one that failed, in one line
  std::string page;    // next to the index; "" if there is none
  std::uint64_t components = 0;
  double foreground = 0;  // share of the elements in components
  std::vector<std::string> hints;
  std::string thumbnail;  // the bytes of a PNG, or none
};

/// Returns the file name of the page of an input of this name: UTF-8 of at most 255 bytes a part, so that
/// browsers and servers find it, and unlike that of any other name.
std::string page_name(const std::string& name);

/// Returns a small PNG of the labels, of a volume its middle slice. Components smaller than a pixel are seen
/// too.
std::string thumbnail(const io::MappedLabels& labels);

/// Returns the index of the pages of a batch, one file next to them.
std::string batch_page(const std::vector<IndexEntry>& entries);

/// Whether a file, of which this is the beginning without white space, is such an index.
bool is_batch_page(std::string_view beginning);

/// Returns these figures as a table of MultiQC (custom content).
std::string multiqc_table(const std::vector<IndexEntry>& entries);
bool is_multiqc_table(std::string_view beginning);

}  // namespace gpuccl::app
