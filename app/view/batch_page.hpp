#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuccl::app {

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

/// Returns the index of the pages of a batch, one file next to them.
std::string batch_page(const std::vector<IndexEntry>& entries);

/// Returns these figures as a table of MultiQC (custom content).
std::string multiqc_table(const std::vector<IndexEntry>& entries);

}  // namespace gpuccl::app
