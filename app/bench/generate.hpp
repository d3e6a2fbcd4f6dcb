#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpuccl/image.hpp"

namespace gpuccl {

/// Parameters of a test image.
struct GenerateOptions {
  std::string kind = "random";
  Extent extent{1024, 1024, 1};
  double density = 0.5;  // fraction of foreground, 0 to 1
  int granularity = 1;   // side of the squares (cubes) of equal value, in elements
  std::uint32_t seed = 1;
  int order = 4;  // of the Hilbert curve: 1 to 12, in volumes 1 to 6
};

/// A kind of test image.
struct GenerateKind {
  std::string name;
  std::string title;
  std::vector<std::string> options;  // members of GenerateOptions it uses, apart from kind and extent
};

/// random: density and granularity by MT19937 as in YACCLAB; checkerboard; dots; spiral; comb; blobs;
/// hilbert; page.
const std::vector<GenerateKind>& generate_kinds();

/// Generates a test image; the same options give the same bits on every machine. Throws Error (usage)
/// if options are invalid.
BitVolume generate(const GenerateOptions& options);

}  // namespace gpuccl
