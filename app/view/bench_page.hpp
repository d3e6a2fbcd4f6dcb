#pragma once

#include <string>

namespace gpuccl::app {

/// The work of thread blocks as a picture (--test work), with its legend; no bytes: none.
struct WorkPicture {
  std::string png;
  std::string legend;
};

/// The page of results in the JSON of `gpuccl bench --json`: one file that needs nothing else.
std::string bench_page(const std::string& json, const WorkPicture& picture);

}  // namespace gpuccl::app
