#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/algorithm_options.hpp"
#include "gpuccl/labels.hpp"
#include "io/image/geometry.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;

/// Options for the objects of a label image: their definition, and the image of the file.
struct ObjectOptions {
  io::PlaneChoice planes;
  bool every_frame = false;
  AlgorithmOptions components;  // only its connectivity is used
  bool label = false;           // objects are components of a mask
  bool per_value = false;       // objects are components of equal values, which are classes

  void add_to(const Command& command);
  /// Error (usage) if options contradict each other.
  void check() const;
};

/// The objects of one label image.
struct Objects {
  Extent extent;
  io::Geometry geometry;
  std::unique_ptr<LabelSource> labels;
  std::vector<std::uint64_t> ids = {};      // value of label i + 1, or the label itself for components
  std::vector<std::uint64_t> areas = {};    // pixels
  std::vector<std::uint64_t> classes = {};  // values of components, with per_value
  std::vector<std::array<double, 3>> centroids = {};  // in pixels
};

/// Reads the objects of an image, or of one of its time points. Prints hints. Throws io::FileError.
Objects read_objects(const std::string& path, const ObjectOptions& options, std::optional<int> frame = {});

/// Returns the number of time points of an image. Throws io::FileError.
int count_frames(const std::string& path, const ObjectOptions& options);

}  // namespace gpuccl::app
