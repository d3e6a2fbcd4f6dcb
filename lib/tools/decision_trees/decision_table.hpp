#pragma once

#include <cstdint>
#include <vector>

// What a pixel, or a block of 2x2 pixels, gets for a label, as far as the pixels around it say.
//
//   C. Grana, D. Borghesani, R. Cucchiara, "Optimized Block-based Connected Components Labeling with Decision
//   Trees", IEEE Transactions on Image Processing 19(6), 2010 (decision tables with alternative actions)
namespace gpuccl::decision_trees {

/// The cells of the mask, in raster order; the last is the one to be labeled, the others are labeled already.
///
///     P Q R
///     S X
inline constexpr int kX = 4;

/// A set of labeled cells to be united, whose label X takes: bit i is cell i. The empty set is a new label.
using Action = int;
inline constexpr Action kBackground = 1 << kX;  // X has no foreground

/// Bit i is action i.
using Actions = std::uint32_t;

struct Pixel {
  char name;  // letters, in raster order
  int x, y;   // from the first pixel of X
  int cell;
};

/// For each rule, which is a combination of values of the pixels, the actions that are right: bit i of the
/// rule's index is pixel i.
struct DecisionTable {
  const char* cells;  // their names: "PQRSX", or those of the pixels that they are
  std::vector<Pixel> pixels;
  std::vector<Actions> rules;
};

/// Of cells of side x side pixels, 8-connectivity. Pixels of other cells than X that touch none but their own
/// are left out.
DecisionTable make_decision_table(int side);

}  // namespace gpuccl::decision_trees
