#pragma once

#include <atomic>

#include "common/union_find.hpp"

// Union-find of runs: a link is the number of a run, so the root is the first run of its set.
namespace gpuccl::cpu {

/// Links that several threads read and write.
struct SharedByThreads {
  static Label load(Label* p) { return std::atomic_ref<Label>(*p).load(std::memory_order_relaxed); }
  static void store(Label* p, Label v) { std::atomic_ref<Label>(*p).store(v, std::memory_order_relaxed); }
  static Label fetch_min(Label* p, Label v) {
    std::atomic_ref<Label> link(*p);
    Label was = link.load(std::memory_order_relaxed);
    while (v < was && !link.compare_exchange_weak(was, v, std::memory_order_relaxed)) {
    }
    return was;
  }
};

/// Union-find of one thread, which merges each run with earlier runs, in order.
class OwnForest : public UnionFind<ZeroBased, OneThread, Walk::halving> {
 public:
  using UnionFind::UnionFind;

  /// Merges `run` with an earlier run. Nothing links to `run` yet, so its first union sets its parent
  /// directly, without a find().
  void join(Index run, Index before) const {
    const Index parent = parent_of(before), own = parent_of(run) == run ? parent : parent_of(run);
    link(run, own);
    if (own != parent) unite(run, before);
  }
};
using SharedForest = UnionFind<ZeroBased, SharedByThreads, Walk::halving>;

}  // namespace gpuccl::cpu
