#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/commands/match.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

/// Two label images that are matched; `name` is what they have in common in two folders.
struct ImagePair {
  std::string name, truth, prediction;
  std::optional<int> frame = {};  // time point of both
};

/// The error of two images in a folder whose names differ only in the extension: either could be meant.
io::FileError two_of_a_name(const std::string& path, const std::string& other);

struct FoundPairs {
  bool is_batch = false;  // whether pairs are from two folders
  std::vector<ImagePair> pairs = {};
  std::set<int> codes = {};  // exit codes of failures in a batch

  /// Does `work` for one pair. A failure in a batch is reported, and the batch continues.
  void attempt(const std::function<void()>& work);
};

/// Finds the pair of two files, or those of two folders that belong together by name: names of predictions
/// follow the pattern `prediction_name`. If all time points are asked for, each is a pair of its own. In
/// folders a file without a partner is reported, and the others are paired. Throws Error.
FoundPairs find_pairs(const std::string& truth, const std::string& prediction,
                      const std::string& prediction_name, const ObjectOptions& objects);

}  // namespace gpuccl::app
