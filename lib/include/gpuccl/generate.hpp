#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/bit_volume.hpp"

namespace gpuccl {

struct GenerateOptions {
  std::string kind = "random";
  Extent extent{1024, 1024, 1};
  double density = 0.5;  // share of foreground, 0 to 1
  int granularity = 1;   // side of the squares (cubes) of equal value, in elements
  std::uint32_t seed = 1;
  int order = 4;  // of the curve: 1 to 12, of a volume 1 to 6
};

struct GenerateKind {
  std::string name;
  std::string title;
  std::vector<std::string> options;  // members of GenerateOptions that change it, beside kind and extent
};

/// random: density and granularity by MT19937 as in YACCLAB; checkerboard; dots; spiral; comb; blobs;
/// hilbert; page.
const std::vector<GenerateKind>& generate_kinds();

/// Error with Failure::usage names what is wrong with the options. Same options, same bits, on every machine.
BitVolume generate(const GenerateOptions& options);

}  // namespace gpuccl
