#pragma once

#include <string>

#include "gpuccl/measures.hpp"

namespace gpuccl::app {

class Command;

/// What is measured of components beyond area, box and centroid.
struct MeasureOptions {
  MeasureSet wanted;
  std::string words;           // as given
  bool needs_spacing = false;  // asked for by name, not by `all`

  void add_to(const Command& command);
};

}  // namespace gpuccl::app
