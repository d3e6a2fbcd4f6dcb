// The decision trees of `drag` and `pred`: how good they are.

#include "papers/trees/forest.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::decision_trees;

namespace {

/// The leaf that a rule leads to from a root.
const Node& leaf_of(const Forest& forest, int root, std::size_t rule) {
  const Node* node = &forest.nodes.at(static_cast<std::size_t>(root));
  while (node->pixel >= 0)
    node = &forest.nodes.at(static_cast<std::size_t>(node->next.at(rule >> node->pixel & 1u)));
  return *node;
}

bool is_right(const DecisionTable& table, std::size_t rule, const Node& leaf) {
  return (table.rules[rule] >> action(leaf) & 1u) != 0;
}

}  // namespace

TEST_CASE("of pixels, the optimal tree is that of SAUF, and PRED has eight") {
  const DecisionTable table = make_decision_table(1);
  REQUIRE(table.pixels.size() == 5);
  const OptimalTrees trees(table);
  CHECK(trees.mean_depth(trees.nothing_known()) ==
        2.125);  // 1 + 1/2 (1 + 1/2 (1 + 3/4 + 1/4 ...)): e, b, c, a, d
  CHECK(trees.questions(trees.nothing_known()) == 7);

  const Forest forest = make_prediction(trees, table);
  CHECK(forest.roots.size() == 8);
  for (std::size_t rule = 0; rule < table.rules.size(); ++rule) {
    CAPTURE(rule);
    const bool begins_row = (rule & 0b01001u) == 0;  // neither a nor d
    if (begins_row) CHECK(is_right(table, rule, leaf_of(forest, forest.roots[0], rule)));
  }
}

TEST_CASE("of blocks, tree and graph have as many nodes as those that were published") {
  const DecisionTable table = make_decision_table(2);
  REQUIRE(table.pixels.size() == 16);
  const OptimalTrees trees(table);
  CHECK(trees.questions(trees.nothing_known()) == 136);
  CHECK(trees.mean_depth(trees.nothing_known()) == 371000.0 / 65536);

  const Forest bbdt = make_tree(trees), drag = make_drag(trees);
  CHECK(questions(bbdt) == 136);
  CHECK(questions(drag) == 72);
  int wrong = 0;
  for (const Forest* forest : {&bbdt, &drag})
    for (std::size_t rule = 0; rule < table.rules.size(); ++rule)
      if (!is_right(table, rule, leaf_of(*forest, forest->roots[0], rule))) ++wrong;
  CHECK(wrong == 0);
}
