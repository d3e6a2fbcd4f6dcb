#pragma once

#include <cstdint>
#include <vector>

// Decision tables: the label that a pixel, or a block of 2x2 pixels, gets from the pixels around it.
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

/// Returns the table for cells of side x side pixels at 8-connectivity. Leaves out pixels of other cells than
/// X that touch only their own cell.
DecisionTable make_decision_table(int side);

/// Known pixels of a table: one digit per pixel to base 3, the value of the pixel, 2 if unknown.
using State = std::uint32_t;

/// The decision trees that ask for fewest pixels on average, if all rules are equally frequent, and of these
/// one with fewest nodes: from whatever is known, by dynamic programming over all states.
///
///   H. Schumacher, K. C. Sevcik, "The Synthetic Approach to Decision Table Conversion", Communications of
///   the ACM 19(6), 1976
class OptimalTrees {
 public:
  explicit OptimalTrees(const DecisionTable& table);

  State nothing_known() const { return static_cast<State>(words_.size()) - 1; }
  int value(State state, int pixel) const { return static_cast<int>(state / power(pixel) % 3); }
  /// With a pixel known that was not.
  State with(State state, int pixel, int value) const {
    return state - static_cast<State>(2 - value) * power(pixel);
  }

  /// Actions that are correct for every value of the unknown pixels; 0 if none.
  Actions actions(State state) const;
  /// The pixel to ask for if nothing is.
  int best_pixel(State state) const;
  /// How many are asked for on average, and how many nodes of the tree ask.
  double mean_depth(State state) const;
  int questions(State state) const { return static_cast<int>(cost(state) & ((1u << kNodeBits) - 1)); }

 private:
  // Either kLeaf and the actions, or the pixels asked for, summed over all rules, above the number of nodes.
  using Word = std::uint32_t;
  static constexpr Word kLeaf = 1u << 31;
  static constexpr int kNodeBits = 11;

  State power(int pixel) const { return powers_[static_cast<std::size_t>(pixel)]; }
  Word cost(State state) const { return (words_[state] & kLeaf) != 0 ? 0 : words_[state]; }
  Word cost_of_children(State state, State power) const {
    return cost(state - power) + cost(state - 2 * power);
  }

  std::vector<State> powers_;  // of 3
  std::vector<Word> words_;
};

}  // namespace gpuccl::decision_trees
