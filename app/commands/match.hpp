#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/label/label_options.hpp"
#include "app/label/labeled_image.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/labels.hpp"
#include "io/files/file_error.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;

/// Options for the objects of a label image: their definition, and the image of the file.
struct ObjectOptions {
  io::PlaneChoice planes = {.options = {.every_frame = true, .per_slice = false}};
  std::optional<io::PlaneChoice> prediction_channel = {};  // instead of that of `planes`, for the prediction
  bool every_frame = false;
  bool recursive = false;       // folders are searched with their folders
  AlgorithmOptions components;  // only its connectivity is used
  bool label = false;           // objects are components of a mask
  bool round = false;           // values to integers
  bool per_value = false;       // objects are components of equal values, which are classes
  std::int64_t memory = 0;      // --memory; 0: the default
  int share = 3;                // eighths of it for each image

  void add_to(const Command& command);
  /// Adds the options of two images or folders.
  void add_folders_to(const Command& command);
  /// Error (usage) if options contradict each other.
  void check() const;
  /// Returns the options of the true or the predicted image.
  ObjectOptions of(bool prediction) const;

 private:
  /// Parses "0" and "DAPI" for both images, and "truth=0,prediction=DAPI".
  std::string parse_channels(const std::string& given);
};

/// The objects of one label image. Its labels may be those of slabs, which are read again: call
/// LabelRows::prepare().
struct Objects {
  Extent extent;
  io::Geometry geometry;
  std::int64_t bytes = 0;                // upper bound of the memory that it holds or needs again
  std::unique_ptr<LabeledImage> source;  // which the labels refer to
  std::unique_ptr<LabelRows> labels;
  Components components;                          // before small ones are removed
  Connectivity connectivity{};                    // with which they are labeled
  std::vector<std::uint64_t> ids;                 // value of label i + 1, or the label itself for components
  std::vector<std::uint64_t> areas;               // pixels
  std::vector<std::uint64_t> classes;             // values of components, with per_value
  std::vector<std::uint64_t> without_background;  // both values, if two take all pixels
};

/// Reads the objects of an image, or of one of its time points, with its share of the memory, in slabs if
/// they need more. Prints hints. Throws io::FileError. `kept`: as in io::ReadOptions.
Objects read_objects(const std::string& path, const ObjectOptions& options, std::optional<int> frame,
                     const std::shared_ptr<io::KeptInputs>& kept);

/// Warns if elements of the same index lie at different places; `what` are compared.
void warn_of_grids(const std::string& a, const io::Geometry& of_a, const std::string& b,
                   const io::Geometry& of_b, const Extent& extent, const std::string& what);

/// Returns the number of time points of an image. Throws io::FileError.
int count_frames(const std::string& path, const ObjectOptions& options, const std::string& option);

/// Two label images that are matched; `name` is what they have in common in two folders.
struct ImagePair {
  std::string name, truth, prediction;
  std::optional<int> frame = {};  // time point of both
  std::string still = {};         // the one that is an image by itself, and a time point of the other
};

/// The error of two images in a folder whose names differ only in the extension: either could be meant.
io::FileError two_of_a_name(const std::string& path, const std::string& other);

/// A pair that was not matched, by its name.
struct Failure {
  std::string name;
  std::optional<int> frame;
  io::FileError error;
};

struct FoundPairs {
  bool is_batch = false;  // whether pairs are from two folders
  std::vector<ImagePair> pairs = {};
  std::set<int> codes = {};  // exit codes of failures in a batch
  std::vector<Failure> failed = {};

  /// Reports the failure of the pair `name`.
  void fail(const std::string& name, std::optional<int> frame, const io::FileError& error);
  /// Does `work` for one pair. A failure in a batch is reported, and the batch continues.
  void attempt(const ImagePair& pair, const std::function<void()>& work);
};

/// Finds the pair of two files, or those of two folders that belong together by name: names of predictions
/// follow the pattern `prediction_name`. If all time points are asked for, each is a pair of its own; those
/// of a file belong to the images of a folder in their order. In folders a file without a partner is
/// reported, and the others are paired. Throws Error.
FoundPairs find_pairs(const io::Source& truth, const io::Source& prediction,
                      const std::string& prediction_name, const ObjectOptions& objects);

struct MinSize {
  std::uint64_t pixels = 0;
  std::optional<PhysicalSize> physical = {};  // instead of pixels

  bool is_given() const { return pixels > 0 || physical; }
};

struct MatchOptions {
  io::Source truth, prediction;
  std::vector<double> thresholds{0.5};
  ObjectOptions objects;
  std::set<std::uint64_t> classes;    // with per_value: those to score; empty: all
  std::string empty;                  // --empty: what a pair without objects gets
  std::array<MinSize, 2> min_size{};  // of true and of predicted objects
  bool distances = false;             // between surfaces
  bool regions = false;               // scores in the regions of true objects
  std::optional<double> tolerance;
  io::LengthUnit tolerance_unit = io::LengthUnit::unknown;  // unknown: that of the spacing
  std::string tolerance_text;                               // as given, if it has a unit
  std::optional<io::GivenSpacing> spacing;
  std::string prediction_name;  // pattern of names of predictions
  io::Source series;            // --track: image with several time points, or folder with an image for each
  std::string folder;           // --track: folder for label images with the numbers of tracks
  io::Target csv, summary, json;
  OutputOptions file;
};

/// Links the objects of successive time points by their overlaps. Returns the exit code. Throws
/// io::FileError.
int track_frames(const MatchOptions& options);

}  // namespace gpuccl::app
