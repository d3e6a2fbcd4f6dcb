#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/image/paths.hpp"

namespace gpuccl::app {

/// An input of a batch.
struct BatchInput {
  io::Source path;
  /// Name of its outputs: its path relative to the given folder, without the extension.
  std::string name;
  std::optional<Error> problem;  // why it cannot be read, if the search has found that out
  bool is_found = false;         // found in a folder, not given by name
  std::string in_plate = {};     // its path in a plate of OME-Zarr
};

struct FindOptions {
  bool stack = false;  // inputs are folders of slices
  bool recursive = false;
  std::vector<io::FileIdentity> outputs;  // folders that are not searched, and files that are not inputs
};

struct FoundInputs {
  std::vector<BatchInput> inputs;       // in the order given, those of a folder in natural order
  std::vector<std::string> warnings;    // of what was left out
  bool folders_left_out = false;        // folders of images were skipped, without `recursive`
  std::set<io::FileIdentity> searched;  // folders whose images, or folders of slices, are inputs
};

/// Finds the inputs of a batch. `given` are files, folders and @lists with one of these per line. Files may
/// have any name; in folders only image names count. io::FileError if a list cannot be read or contains "-".
FoundInputs find_inputs(const std::vector<io::Source>& given, const FindOptions& options);

/// Returns the images in a folder, in natural order. Throws io::FileError for the first one that is not a
/// file, or for a folder that cannot be read or has no images. `or_none`: the latter is a warning.
std::vector<BatchInput> images_in(const std::string& folder, bool recursive, bool or_none = false);

/// Returns the name of the outputs of a time point of an input: "cells-t0003".
std::string name_of_frame(const std::string& name, int frame);

/// The images of a folder by name: their path below the folder, without the extension; those of a plate of
/// OME-Zarr by their path in it.
class IntensityImages {
 public:
  /// Has no images if `folder` is empty. `pattern`: of --intensity-name. Error (usage) if not a folder, which
  /// names `option`. `limits`: of a plate.
  IntensityImages(std::string folder, const std::string& pattern, const io::Limits& limits,
                  const std::string& option = "--intensity");

  /// Returns the file for this input, or with `stack` the folder of slices; "" if there is no folder. Error
  /// (no_input) if there is none, or more than one.
  io::Source find(const BatchInput& input, bool stack);

 private:
  using Names = std::multimap<std::string, std::string>;  // of files, by themselves without the extension

  const Names& names_in(const std::filesystem::path& folder);

  std::string folder_, what_;
  NamePattern pattern_;
  std::string remedy_;           // for a missing image
  std::set<std::string> plate_;  // paths of the images, if it is one
  std::map<std::filesystem::path, Names> searched_;
};

/// Adds a warning with the number of label images that an earlier run wrote, as the reports next to them say,
/// if there are other images, too.
void warn_of_written(FoundInputs& found);

/// Removes the images of folders whose names do not match one of these patterns of --intensity-name, and adds
/// a warning with their number.
void skip_unmatched(FoundInputs& found, const std::vector<std::string>& patterns);

}  // namespace gpuccl::app
