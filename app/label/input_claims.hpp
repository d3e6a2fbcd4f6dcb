#pragma once

#include <set>
#include <span>
#include <string>

#include "app/label/label_paths.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {

/// Every file that inputs are read from, which no output may replace, under whatever name.
class InputClaims {
 public:
  void add(const std::string& input, bool stack);
  /// An image of intensities: a folder is a stack.
  void add_intensity(const std::string& path);
  /// A file that is not an image.
  void add_file(const std::string& path);

  /// Error (usage) if an output of `files` is one of these, lies in a Zarr that is read and is not a group of
  /// labels of it, would be a slice of a stack that is read, or is a Zarr that has what is read, or another
  /// output, in it.
  /// `identities`: of files.outputs().
  void refuse_outputs(const LabelPaths& files, std::span<const io::FileIdentity> identities) const;
  /// Error (usage) if this folder, to which files come and from which they go, is or lies in a Zarr that is
  /// read, or has an output of `files` in it.
  void refuse_parts_in(const std::string& folder, const LabelPaths& files) const;
  void refuse_output(const std::string& path, const io::FileIdentity& identity) const;

 private:
  void add_folders_of(const std::string& path);

  std::set<io::FileIdentity> files_, stores_;
  std::set<io::FileIdentity> stacks_;   // folders of which every image is a slice
  std::set<io::FileIdentity> folders_;  // that have these in them
  std::set<std::string> seen_;          // folders by their names
};

}  // namespace gpuccl::app
