#include "papers/trees/forest.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace gpuccl::decision_trees {
namespace {

bool is_leaf(const Node& node) { return node.pixel < 0; }

/// The tree that begins with what is known, and at its leaves `tree_after(state)`. Returns its root.
template <class TreeAfter>
int grow(Forest& forest, const OptimalTrees& trees, State state, TreeAfter tree_after) {
  const auto node = forest.nodes.size();
  forest.nodes.emplace_back();
  if (const Actions actions = trees.actions(state); actions != 0) {
    forest.nodes[node].actions = actions;
    forest.nodes[node].tree = tree_after(state);
  } else {
    const int pixel = trees.best_pixel(state);
    forest.nodes[node].pixel = pixel;
    for (const int value : {0, 1}) {
      const int child = grow(forest, trees, trees.with(state, pixel, value), tree_after);
      forest.nodes[node].next[static_cast<std::size_t>(value)] = child;
    }
  }
  return static_cast<int>(node);
}

/// Makes equal subtrees of one tree one.
class Merger {
 public:
  explicit Merger(Forest& forest) : forest_(forest), sizes_(forest.nodes.size(), 1) {
    for (int i = static_cast<int>(sizes_.size()) - 1; i >= 0; --i)
      if (!is_leaf(node(i)))
        for (const int child : node(i).next) size(i) += size(child);
  }

  /// The large ones first: subtrees of those that are compared are trees then, which share nothing yet.
  void merge() {
    for (int of_size = size(forest_.roots[0]); of_size >= 1; --of_size) {
      std::vector<int> kept;
      for (const int i : nodes_in_use(forest_)) {
        if (size(i) != of_size) continue;
        const auto twin = std::find_if(kept.begin(), kept.end(), [&](int k) { return equivalent(k, i); });
        if (twin == kept.end()) {
          kept.push_back(i);
        } else {
          keep_common_actions(*twin, i);
          replace(i, *twin);
        }
      }
    }
  }

 private:
  Node& node(int i) { return forest_.nodes[static_cast<std::size_t>(i)]; }
  int& size(int i) { return sizes_[static_cast<std::size_t>(i)]; }

  bool equivalent(int one, int other) {
    const Node &a = node(one), &b = node(other);
    if (is_leaf(a) && is_leaf(b)) return (a.actions & b.actions) != 0;
    return a.pixel == b.pixel && equivalent(a.next[0], b.next[0]) && equivalent(a.next[1], b.next[1]);
  }

  void keep_common_actions(int kept, int other) {
    node(kept).actions &= node(other).actions;
    if (!is_leaf(node(kept)))
      for (const std::size_t value : {0, 1})
        keep_common_actions(node(kept).next[value], node(other).next[value]);
  }

  void replace(int old, int by) {
    for (Node& parent : forest_.nodes) std::replace(parent.next.begin(), parent.next.end(), old, by);
  }

  Forest& forest_;
  std::vector<int> sizes_;
};

/// Returns the known pixels of the mask one cell further.
State moved(const OptimalTrees& trees, const DecisionTable& table, State state) {
  State result = trees.nothing_known();
  for (std::size_t i = 0; i < table.pixels.size(); ++i)
    for (std::size_t j = 0; j < table.pixels.size(); ++j) {
      const Pixel &from = table.pixels[i], &to = table.pixels[j];
      const int value = trees.value(state, static_cast<int>(i));
      if (from.cell != to.cell && from.y == to.y && from.x == to.x + 1 && value != 2)
        result = trees.with(result, static_cast<int>(j), value);
    }
  return result;
}

/// A tree as text, with another number for each tree that follows.
std::string text(const Forest& forest, int root, const std::vector<int>& numbers) {
  const Node& node = forest.nodes[static_cast<std::size_t>(root)];
  if (is_leaf(node))
    return std::to_string(node.actions) + ':' + std::to_string(numbers[static_cast<std::size_t>(node.tree)]);
  return std::to_string(node.pixel) + '(' + text(forest, node.next[0], numbers) + ',' +
         text(forest, node.next[1], numbers) + ')';
}

/// Numbers of trees, the same for those that cannot be told from each other, from 0 in their order.
std::vector<int> distinct_trees(const Forest& forest) {
  std::vector<int> numbers(forest.roots.size(), 0);
  for (std::size_t distinct = 1, before = 0; distinct != before;) {
    std::map<std::string, int> number_of;
    std::vector<int> refined;
    for (const int root : forest.roots)
      refined.push_back(
          number_of.emplace(text(forest, root, numbers), static_cast<int>(number_of.size())).first->second);
    numbers = refined;
    before = std::exchange(distinct, number_of.size());
  }
  return numbers;
}

}  // namespace

Forest make_tree(const OptimalTrees& trees) {
  Forest forest;
  forest.roots = {grow(forest, trees, trees.nothing_known(), [](State) { return 0; })};
  return forest;
}

Forest make_drag(const OptimalTrees& trees) {
  Forest forest = make_tree(trees);
  Merger(forest).merge();
  return forest;
}

Forest make_prediction(const OptimalTrees& trees, const DecisionTable& table) {
  State begin = trees.nothing_known();
  for (std::size_t i = 0; i < table.pixels.size(); ++i)
    if (table.pixels[i].x < 0) begin = trees.with(begin, static_cast<int>(i), 0);

  Forest forest;
  std::vector<State> states = {begin};  // with which trees begin
  const auto tree_after = [&](State state) {
    const State next = moved(trees, table, state);
    const auto found = std::find(states.begin(), states.end(), next);
    if (found == states.end()) states.push_back(next);
    return static_cast<int>(std::find(states.begin(), states.end(), next) - states.begin());
  };
  for (std::size_t tree = 0; tree < states.size(); ++tree)
    forest.roots.push_back(grow(forest, trees, states[tree], tree_after));

  const std::vector<int> numbers = distinct_trees(forest);
  std::vector<int> roots;
  for (std::size_t tree = 0; tree < numbers.size(); ++tree)
    if (numbers[tree] == static_cast<int>(roots.size())) roots.push_back(forest.roots[tree]);
  forest.roots = roots;
  for (Node& node : forest.nodes) node.tree = numbers[static_cast<std::size_t>(node.tree)];
  return forest;
}

std::vector<int> nodes_in_use(const Forest& forest) {
  std::vector<int> nodes, next(forest.roots.rbegin(), forest.roots.rend());
  while (!next.empty()) {
    const int i = next.back();
    next.pop_back();
    if (std::find(nodes.begin(), nodes.end(), i) != nodes.end()) continue;
    nodes.push_back(i);
    const Node& node = forest.nodes[static_cast<std::size_t>(i)];
    if (!is_leaf(node)) next.insert(next.end(), node.next.begin(), node.next.end());
  }
  return nodes;
}

int questions(const Forest& forest) {
  const std::vector<int> nodes = nodes_in_use(forest);
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [&](int i) {
    return !is_leaf(forest.nodes[static_cast<std::size_t>(i)]);
  }));
}

Action action(const Node& leaf) { return std::countr_zero(leaf.actions); }

std::string code(const Forest& forest, const DecisionTable& table) {
  const std::vector<int> nodes = nodes_in_use(forest);
  const auto name = [&](int node) {
    return "n" + std::to_string(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  const auto label = [&](Action action) -> std::string {
    if (action == kBackground) return "0";
    if (action == 0) return "at.new_label()";
    std::string result;
    for (int cell = 0; cell < kX; ++cell) {
      if ((action >> cell & 1) == 0) continue;
      const std::string one = std::string("at.of_") + table.cells[cell] + "()";
      result = result.empty() ? one : "at.joined(" + result + ", " + one + ")";
    }
    return result;
  };

  std::string result;
  for (const int i : nodes) {
    const Node& node = forest.nodes[static_cast<std::size_t>(i)];
    const auto root = std::find(forest.roots.begin(), forest.roots.end(), i);
    result += root == forest.roots.end()
                  ? name(i) + ": "
                  : "tree" + std::to_string(root - forest.roots.begin()) + ": if (at.ended()) return;\n";
    result += is_leaf(node)
                  ? "at.write(" + label(action(node)) + "); goto tree" + std::to_string(node.tree) + ";\n"
                  : std::string("if (at.") + table.pixels[static_cast<std::size_t>(node.pixel)].name +
                        "()) goto " + name(node.next[1]) + "; else goto " + name(node.next[0]) + ";\n";
  }
  return result;
}

}  // namespace gpuccl::decision_trees
