#include "decision_trees/optimal_trees.hpp"

#include <algorithm>

namespace gpuccl::decision_trees {

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
