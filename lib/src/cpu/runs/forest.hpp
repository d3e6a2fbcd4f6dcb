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

/// Links of one thread, which joins runs with those before them, one after the other.
class OwnForest : public UnionFind<ZeroBased, OneThread, Walk::halving> {
 public:
  using UnionFind::UnionFind;

  /// Joins `run`, which no run behind it has been joined with yet, and one before it. As long as it is a root
  /// nothing is linked to it, so that the first time it is linked to the other's parent without a walk.
  void join(Index run, Index before) const {
    const Index parent = parent_of(before), own = parent_of(run) == run ? parent : parent_of(run);
    link(run, own);
    if (own != parent) unite(run, before);
  }
};
using SharedForest = UnionFind<ZeroBased, SharedByThreads, Walk::halving>;

}  // namespace gpuccl::cpu
