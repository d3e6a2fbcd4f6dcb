#pragma once

#include <string>

#include "app/commands/match.hpp"
#include "app/options/option_helpers.hpp"

namespace gpuccl::app {

/// Options of gpuccl match --track.
struct TrackOptions {
  std::string series;  // image with several time points, or folder with an image for each
  double threshold = 0.5;
  ObjectOptions objects;
  std::string csv, json;
  std::string folder;  // folder for label images with the numbers of tracks
  OutputOptions file;
};

/// Links the objects of successive time points by their overlaps. Returns the exit code. Throws
/// io::FileError.
int track_frames(const TrackOptions& options);

}  // namespace gpuccl::app
