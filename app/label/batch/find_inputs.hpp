#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {

/// An input of a batch.
struct BatchInput {
  std::string path;
  /// Name of its outputs: its path relative to the given folder, without the extension.
  std::string name;
  std::optional<Error> problem;  // why it cannot be read, if the search has found that out
  bool is_found = false;         // found in a folder, not given by name
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
FoundInputs find_inputs(const std::vector<std::string>& given, const FindOptions& options);

/// Returns the images in a folder, in natural order. Throws io::FileError for the first one that is not a
/// file, or for a folder that cannot be read.
std::vector<BatchInput> images_in(const std::string& folder);

/// Returns the name of the outputs of a time point of an input: "cells-t0003".
std::string name_of_frame(const std::string& name, int frame);

}  // namespace gpuccl::app
