#include "papers/trees/optimal_trees.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

namespace gpuccl::decision_trees {
namespace {

using Cells = int;  // bit i is cell i

bool touch(const Pixel& one, const Pixel& other) {
  return std::abs(one.x - other.x) <= 1 && std::abs(one.y - other.y) <= 1;
}

std::vector<Pixel> pixels_of_mask(int side) {
  std::vector<Pixel> all;
  char name = 'a';
  for (int y = -side; y < side; ++y)
    for (int x = -side; x < (y < 0 ? 2 * side : side); ++x)
      all.push_back({name++, x, y, (y + side) / side * 3 + (x + side) / side});

  std::vector<Pixel> pixels;
  std::copy_if(all.begin(), all.end(), std::back_inserter(pixels), [&](const Pixel& pixel) {
    return pixel.cell == kX || std::any_of(all.begin(), all.end(), [&](const Pixel& other) {
             return other.cell != pixel.cell && touch(pixel, other);
           });
  });
  return pixels;
}

/// Returns for each cell the cells that its foreground touches; a cell with foreground touches itself.
std::array<Cells, kX + 1> touched_cells(const std::vector<Pixel>& pixels, unsigned rule) {
  std::array<Cells, kX + 1> touched{};
  for (std::size_t i = 0; i < pixels.size(); ++i)
    for (std::size_t j = 0; j < pixels.size(); ++j)
      if ((rule >> i & 1u) != 0 && (rule >> j & 1u) != 0 && touch(pixels[i], pixels[j]))
        touched[static_cast<std::size_t>(pixels[i].cell)] |= 1 << pixels[j].cell;
  return touched;
}

/// Each of the actions, with one more cell, which is any of the group's.
Actions with_one_of(Cells group, Actions actions) {
  Actions result = 0;
  for (Action action = 0; action < kBackground; ++action)
    for (int cell = 0; cell < kX; ++cell)
      if ((actions >> action & 1u) != 0 && (group >> cell & 1) != 0)
        result |= Actions{1} << (action | 1 << cell);
  return result;
}

/// Cells that touch have been united before, so that X takes one label of each group of them that it touches.
Actions right_actions(const std::vector<Pixel>& pixels, unsigned rule) {
  const auto touched = touched_cells(pixels, rule);
  if (touched[kX] == 0) return Actions{1} << kBackground;

  Actions actions = 1;  // a new label
  for (Cells left = touched[kX] & ~(1 << kX); left != 0;) {
    Cells group = left & -left;
    for (int step = 0; step < kX; ++step)
      for (std::size_t cell = 0; cell < kX; ++cell)
        if ((group >> cell & 1) != 0) group |= touched[cell] & ~(1 << kX);
    actions = with_one_of(group, actions);
    left &= ~group;
  }
  return actions;
}

}  // namespace

DecisionTable make_decision_table(int side) {
  DecisionTable table{side == 1 ? "abcde" : "PQRSX", pixels_of_mask(side), {}};
  const unsigned rules = 1u << table.pixels.size();
  for (unsigned rule = 0; rule < rules; ++rule) table.rules.push_back(right_actions(table.pixels, rule));
  return table;
}

OptimalTrees::OptimalTrees(const DecisionTable& table) {
  State states = 1;
  for (std::size_t i = 0; i < table.pixels.size(); ++i, states *= 3) powers_.push_back(states);
  words_.resize(states);

  std::vector<unsigned> digits(table.pixels.size(), 0);
  std::vector<State> unknown;  // powers of the pixels that are
  for (State state = 0; state < states; ++state) {
    unknown.clear();
    std::size_t rule = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (digits[i] == 2) unknown.push_back(powers_[i]);
      rule |= static_cast<std::size_t>(digits[i]) << i;
    }
    // States in which more is known are smaller numbers: they were done before.
    Word& word = words_[state];
    word = unknown.empty() ? kLeaf | table.rules[rule]
                           : words_[state - unknown[0]] & words_[state - 2 * unknown[0]];
    if (word <= kLeaf) {  // a child is no leaf, or they have no action in common
      word = ~Word{0};
      for (const State power : unknown) word = std::min(word, cost_of_children(state, power));
      word += (Word{1} << (unknown.size() + kNodeBits)) + 1;
    }
    for (std::size_t i = 0; i < digits.size() && ++digits[i] == 3; ++i) digits[i] = 0;
  }
}

Actions OptimalTrees::actions(State state) const {
  return (words_[state] & kLeaf) != 0 ? words_[state] & ~kLeaf : 0;
}

int OptimalTrees::best_pixel(State state) const {
  int best = -1;
  for (int pixel = 0; pixel < static_cast<int>(powers_.size()); ++pixel)
    if (value(state, pixel) == 2 &&
        (best < 0 || cost_of_children(state, power(pixel)) <= cost_of_children(state, power(best))))
      best = pixel;  // the last of several, which gives subtrees most in common
  return best;
}

double OptimalTrees::mean_depth(State state) const {
  double depth = cost(state) >> kNodeBits;
  for (int pixel = 0; pixel < static_cast<int>(powers_.size()); ++pixel)
    if (value(state, pixel) == 2) depth /= 2;
  return depth;
}

}  // namespace gpuccl::decision_trees
