#pragma once

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "gpuccl/compare.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"

namespace gpuccl {

constexpr std::uint64_t key_of_pair(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
inline std::uint64_t key_of(const Contact& one) { return key_of_pair(one.a, one.b); }
inline std::uint64_t key_of(const Overlap& one) { return key_of_pair(one.truth, one.prediction); }

/// Sums by pair of labels: a hash table with linear probing. `Sums` begin with the pair; entries have stable
/// addresses. Pairs of the last rows are cached, because they are the most likely next ones.
template <class Sums>
class PairSums {
 public:
  /// on_new(): called before a pair is added; it may throw.
  explicit PairSums(std::function<void()> on_new = {}) : on_new_(std::move(on_new)) {}
  PairSums(const PairSums&) = delete;
  PairSums& operator=(const PairSums&) = delete;

  Sums& of(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = key_of_pair(a, b);
    Known& known = known_[(a + 31 * b) % known_.size()];
    if (known.key != key || known.sums == nullptr) known = {key, &find(key, Sums{a, b})};
    return *known.sums;
  }
  std::size_t size() const { return entries_.size(); }
  const std::deque<Sums>& entries() const { return entries_; }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  struct Known {
    std::uint64_t key = 0;
    Sums* sums = nullptr;  // null: of no pair
  };

  Sums& find(std::uint64_t key, const Sums& none) {
    if (4 * entries_.size() >= 3 * slots_.size()) grow();
    Sums*& slot = slots_[slot_of(key)];
    if (slot == nullptr) {
      if (on_new_) on_new_();
      slot = &entries_.emplace_back(none);
    }
    return *slot;
  }

  /// Returns the slot of a pair, or the free slot for it.
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = key * std::uint64_t{0x9e3779b97f4a7c15} >> (64 - std::bit_width(mask));
    while (slots_[slot] != nullptr && key_of(*slots_[slot]) != key) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), nullptr);
    for (Sums& one : entries_) slots_[slot_of(key_of(one))] = &one;
  }

  std::function<void()> on_new_;
  std::deque<Sums> entries_;
  std::vector<Sums*> slots_;  // at least a quarter are free
  std::array<Known, 1024> known_{};
};

/// Entries of tables, one of each thread.
template <class Sums>
using EntriesOfThreads = std::vector<const std::deque<Sums>*>;

/// Returns the sums of all tables by ascending pair. add(into, more): adds the sums of the same pair.
template <class Sums, class Add>
std::vector<Sums> sorted_sums(const EntriesOfThreads<Sums>& tables, Add add) {
  std::vector<std::size_t> begins{0};
  for (const std::deque<Sums>* const entries : tables) begins.push_back(begins.back() + entries->size());
  UninitializedVector<Sums> all(begins.back());
  tbb::parallel_for(std::size_t{0}, tables.size(), [&](std::size_t i) {
    std::copy(tables[i]->begin(), tables[i]->end(), all.begin() + static_cast<std::ptrdiff_t>(begins[i]));
  });
  tbb::parallel_sort(all.begin(), all.end(),
                     [](const Sums& a, const Sums& b) { return key_of(a) < key_of(b); });
  std::vector<Sums> sums;
  sums.reserve(all.size());
  for (const Sums& one : all) {
    if (!sums.empty() && key_of(sums.back()) == key_of(one)) {
      add(sums.back(), one);
    } else {
      sums.push_back(one);
    }
  }
  return sums;
}

}  // namespace gpuccl
