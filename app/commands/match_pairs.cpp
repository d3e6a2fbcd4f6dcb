#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>

#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/label/batch/find_inputs.hpp"
#include "app/options/name_pattern.hpp"
#include "io/files/file_error.hpp"
#include "io/zarr/ome_image.hpp"

namespace gpuccl::app {
namespace {

/// Returns the error of a file whose partner is missing. `folder`: the folder without it.
io::FileError without_partner(const ImagePair& pair, const NamePattern& pattern, const std::string& folder,
                              bool has_pattern) {
  const bool no_truth = pair.truth.empty();
  const std::string& path = no_truth ? pair.prediction : pair.truth;
  const std::optional<std::string> missing = no_truth ? pair.name : pattern.name_for(pair.name);
  if (!missing)
    return {path, Failure::no_input,
            "has a name that does not match " + pattern.from() + ", the pattern of --prediction-name"};
  return {path, Failure::no_input,
          "has no partner called '" + *missing + "' in " + folder +
              (has_pattern ? "" : "; --prediction-name pairs other names")};
}

/// The files of two folders by name.
class PairsByName {
 public:
  /// Takes a file as the one of its name. `place`: ImagePair::truth or ImagePair::prediction.
  void take(const std::string& name, const std::string& path, std::string ImagePair::*place) {
    ImagePair& pair = pairs_[name];
    pair.name = name;
    if (!(pair.*place).empty()) doubtful_.emplace(name, two_of_a_name(path, pair.*place));
    pair.*place = path;
  }
  const std::map<std::string, ImagePair>& all() const { return pairs_; }
  /// Why it is unclear which files belong to a name; null if it is clear.
  const io::FileError* doubt_of(const std::string& name) const {
    const auto found = doubtful_.find(name);
    return found == doubtful_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, ImagePair> pairs_;
  std::map<std::string, io::FileError> doubtful_;
};

/// Returns the pairs of two folders. A file without a partner, or one of two with its name, is a failure of
/// its own.
FoundPairs pairs_of_folders(const std::string& truth, const std::string& prediction,
                            const std::string& prediction_name) {
  const NamePattern pattern(prediction_name);
  PairsByName pairs;
  for (const BatchInput& input : images_in(truth)) pairs.take(input.name, input.path, &ImagePair::truth);
  for (const BatchInput& input : images_in(prediction))
    if (const std::optional<std::string> name = pattern.name_before(input.name))  // else another image
      pairs.take(*name, input.path, &ImagePair::prediction);
  FoundPairs found{.is_batch = true};
  for (const auto& [name, pair] : pairs.all()) {
    if (const io::FileError* const doubt = pairs.doubt_of(name))
      found.codes.insert(report_failure(*doubt));
    else if (!pair.truth.empty() && !pair.prediction.empty())
      found.pairs.push_back(pair);
    else
      found.codes.insert(report_failure(
          without_partner(pair, pattern, pair.truth.empty() ? truth : prediction, !prediction_name.empty())));
  }
  return found;
}

/// Adds a pair for each time point.
void add_frames(const ImagePair& pair, const ObjectOptions& objects, std::vector<ImagePair>& frames) {
  const int count = count_frames(pair.truth, objects);
  const int other = count_frames(pair.prediction, objects);
  if (count != other)
    throw io::FileError(pair.prediction, Failure::data,
                        "has " + counted(static_cast<std::uint64_t>(other), "time point") + ", but " +
                            display_name(pair.truth) + " has " + std::to_string(count));
  for (int frame = 0; frame < count; ++frame)
    frames.push_back({pair.name, pair.truth, pair.prediction, frame});
}

}  // namespace

io::FileError two_of_a_name(const std::string& path, const std::string& other) {
  return {path, Failure::usage,
          "differs from " + display_name(other) + " only in the extension; move one of them elsewhere"};
}

void FoundPairs::attempt(const std::function<void()>& work) {
  if (!is_batch) return work();
  try {
    work();
  } catch (const Error& error) {
    codes.insert(report_failure(error));
  }
}

FoundPairs find_pairs(const std::string& truth, const std::string& prediction,
                      const std::string& prediction_name, const ObjectOptions& objects) {
  std::error_code unknown;
  const bool are_folders = std::filesystem::is_directory(truth, unknown) &&
                           std::filesystem::is_directory(prediction, unknown) && !io::is_zarr(truth);
  if (!are_folders && !prediction_name.empty())
    throw Error(Failure::usage, "--prediction-name is for two folders");
  FoundPairs found = are_folders ? pairs_of_folders(truth, prediction, prediction_name)
                                 : FoundPairs{.pairs = {{"", truth, prediction}}};
  if (!objects.every_frame) return found;
  std::vector<ImagePair> frames;
  for (const ImagePair& pair : found.pairs) found.attempt([&] { add_frames(pair, objects, frames); });
  found.pairs = std::move(frames);
  return found;
}

}  // namespace gpuccl::app
