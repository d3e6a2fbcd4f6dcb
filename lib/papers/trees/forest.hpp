#pragma once

#include <array>
#include <string>
#include <vector>

#include "papers/trees/optimal_trees.hpp"

namespace gpuccl::decision_trees {

/// Asks for a pixel and goes on with one of two nodes. Or is a leaf: one of the actions is right, and the
/// next cell of the row begins with a tree.
struct Node {
  int pixel = -1;             // -1: a leaf
  std::array<int, 2> next{};  // nodes where the pixel is 0 and where it is 1
  Actions actions = 0;        // of a leaf
  int tree = 0;               // of a leaf
};

/// Trees that may have nodes in common. A row begins with the first.
struct Forest {
  std::vector<Node> nodes;
  std::vector<int> roots;  // of the trees
};

/// The optimal tree (BBDT for blocks).
Forest make_tree(const OptimalTrees& trees);

/// The optimal tree as a directed rooted acyclic graph (DRAG): of subtrees that ask for the same pixels and
/// have, leaf by leaf, an action in common, one is left.
Forest make_drag(const OptimalTrees& trees);

/// Pixel prediction (PRED): an optimal tree for each that the cell before may have made known. Of equal trees
/// that are followed by equal trees, one is left.
Forest make_prediction(const OptimalTrees& trees, const DecisionTable& table);

/// The nodes that can be reached from the roots, each once, and how many of them ask.
std::vector<int> nodes_in_use(const Forest& forest);
int questions(const Forest& forest);

/// Returns the action of a leaf: the first of the correct ones.
Action action(const Node& leaf);

/// C++ that labels one row, the body of a function that returns nothing. It asks `at` for the pixels of the
/// mask, at.a(), and the labels of its cells, at.of_P() for P; unites labels, at.joined(one, other); and goes
/// on to the next cell with at.write(label) until at.ended().
std::string code(const Forest& forest, const DecisionTable& table);

}  // namespace gpuccl::decision_trees
