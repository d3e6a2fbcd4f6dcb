#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/label/batch/find_inputs.hpp"
#include "app/options/name_pattern.hpp"

namespace gpuccl::app {

/// The images of a folder by the names of a batch: where they lie below the folder, without the extension.
class IntensityImages {
 public:
  /// Has no images if `folder` is empty. `pattern`: of --intensity-name. Error (usage) if not a folder, which
  /// names `option`.
  IntensityImages(std::string folder, const std::string& pattern, const std::string& option = "--intensity");

  /// The file, or with `stack` the folder of slices or the file, for this input; empty if there is no
  /// folder. Error (no_input) if there is none, or more than one.
  std::string find(const std::string& input, bool stack);

 private:
  using Names = std::multimap<std::string, std::string>;  // of files, by themselves without the extension

  const Names& names_in(const std::filesystem::path& folder);

  std::string folder_, what_;
  NamePattern pattern_;
  std::map<std::filesystem::path, Names> searched_;
};

/// Removes the images of folders whose names do not match one of these patterns of --intensity-name, and adds
/// a warning with their number.
void leave_out_unmatched(FoundInputs& found, const std::vector<std::string>& patterns);

}  // namespace gpuccl::app
