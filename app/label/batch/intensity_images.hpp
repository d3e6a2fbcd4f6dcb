#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpuccl::app {

/// The images of a folder by the names of a batch: where they lie below the folder, without the extension.
class IntensityImages {
 public:
  /// None if `folder` is empty. Error (usage) if it is no folder.
  explicit IntensityImages(std::string folder);

  /// The file, or with `stack` the folder of slices or the file, that is called `name`; empty if there is no
  /// folder. Error (no_input) if there is none, or more than one.
  std::string find(const std::string& name, bool stack);

 private:
  using Names = std::multimap<std::string, std::string>;  // of files, by themselves without the extension

  const Names& names_in(const std::filesystem::path& folder);

  std::string folder_;
  std::map<std::filesystem::path, Names> searched_;
};

}  // namespace gpuccl::app
