#pragma once

#include <string>

#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;

/// Help texts of the options.
struct PlanesHelp {
  const char *channel, *frame, *series, *page;
  bool* every_frame = nullptr;  // set by `all` instead of a time point, unless null
};

/// Options that choose one of several images in a file, named `prefix` and channel, frame, series and page.
/// An option without a help text is not added.
void add_planes(const Command& command, const std::string& prefix, io::PlaneChoice& planes,
                const PlanesHelp& help);

}  // namespace gpuccl::app
