// Pairs of labels and how often they occur: overlaps of two label images, contacts within one. With the same
// table, ranks of labels that are far apart.
//
//   count      a thread walks down a column of a tile; a hash table in shared memory gathers the pairs of the
//              tile, and one in global memory receives each of them once
//   sort       the entries of the global table, by pair
//   write      one row for each entry

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/core/tile.cuh"
#include "cuda/runtime/arena.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "cuda/tables/label_rows.cuh"
#include "cuda/tables/pairs.cuh"

namespace gpuccl::cuda::tables {
namespace {

constexpr int kColumns = 128, kRows = 32;  // of a tile
using Grid = ThreadGrid<1, kRows, 1, kColumns, 1>;

/// Two labels. The first takes the upper bits, so keys have the order of rows.
using Key = unsigned long long;
constexpr Key kNoKey = ~Key{0};  // above all others

__device__ unsigned hash_of(Key key) {
  return static_cast<unsigned>((key ^ key >> 32) * 0x9e3779b97f4a7c15u >> 32);
}

/// Counts of a pair, or of a part of it, and its first element in raster order.
template <int counts>
struct Part {
  unsigned count[counts];
  unsigned long long first;
};

/// A hash table of pairs in global memory with `counts` counts each, and with one, their first elements.
template <int counts>
struct Pairs {
  static constexpr bool kHasFirst = counts == 1;

  Key* keys;                  // [slots]
  unsigned long long* count;  // [counts][slots]
  unsigned long long* first;  // [slots]
  unsigned* overflow;         // 1 if a pair found no slot
  std::uint32_t slots;        // a power of 2
  int bits;                   // of the second label in a key

  __device__ Key key_of(Label a, Label b) const { return Key{a} << bits | b; }

  /// Returns the slot of a key, which takes it if it has none, or `slots` if it finds none.
  __device__ std::uint32_t slot_of(Key key) const {
    constexpr int kProbes = 128;
    std::uint32_t slot = hash_of(key) & (slots - 1);
    for (int probe = 0; probe < kProbes; ++probe, slot = (slot + 1) & (slots - 1)) {
      Key present = plain_load(keys + slot);
      if (present == kNoKey) present = atomicCAS(keys + slot, kNoKey, key);
      if (present == kNoKey || present == key) return slot;
    }
    plain_store(overflow, 1u);
    return slots;
  }

  __device__ void add(Key key, const Part<counts>& part) const {
    const std::uint32_t slot = slot_of(key);
    if (slot == slots) return;
#pragma unroll
    for (int i = 0; i < counts; ++i)
      if (part.count[i] > 0)
        atomicAdd(count + std::size_t{slots} * i + slot, static_cast<unsigned long long>(part.count[i]));
    if constexpr (kHasFirst) atomicMin(first + slot, part.first);
  }

  /// Returns the number of pairs, `found` of which have a slot: above `capacity` if there was no room for
  /// all.
  __device__ unsigned long long counted(unsigned long long found, std::size_t capacity) const {
    const unsigned long long more = capacity + 1;
    return *overflow != 0 && found < more ? more : found;
  }
};

/// The pairs of one tile, in shared memory. First elements count from the corner of the tile.
template <int counts>
struct TilePairs {
  static constexpr unsigned kEntries = 2 * kColumns;
  static constexpr unsigned kFirsts = Pairs<counts>::kHasFirst ? kEntries : 1;

  Key key[kEntries];
  unsigned count[counts][kEntries];
  unsigned first[kFirsts];

  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < kEntries; i += kColumns) {
      key[i] = kNoKey;
      for (auto& all : count) all[i] = 0;
      if constexpr (kFirsts > 1) first[i] = ~0u;
    }
  }
  /// Returns false if there is no free entry.
  __device__ bool add(Key pair, const Part<counts>& part) {
    constexpr int kProbes = 4;
    unsigned entry = hash_of(pair) % kEntries;
    for (int probe = 0; probe < kProbes; ++probe, entry = (entry + 1) % kEntries) {
      Key present = plain_load(key + entry);
      if (present == kNoKey) present = atomicCAS(key + entry, kNoKey, pair);
      if (present != kNoKey && present != pair) continue;
#pragma unroll
      for (int i = 0; i < counts; ++i)
        if (part.count[i] > 0) atomicAdd(count[i] + entry, part.count[i]);
      if constexpr (kFirsts > 1) atomicMin(first + entry, static_cast<unsigned>(part.first));
      return true;
    }
    return false;
  }
  /// Calls add(key, part) for each entry.
  template <class Add>
  __device__ void each(const Add& add) const {
    for (unsigned i = threadIdx.x; i < kEntries; i += kColumns) {
      if (key[i] == kNoKey) continue;
      Part<counts> part;
      for (int k = 0; k < counts; ++k) part.count[k] = count[k][i];
      part.first = first[kFirsts > 1 ? i : 0];
      add(key[i], part);
    }
  }
};

template <class Id, class Other>
__global__ void __launch_bounds__(kColumns) count_overlaps(Rows<Id> labels, Rows<Other> others, Extent extent,
                                                           std::uint32_t largest, Pairs<1> pairs) {
  constexpr int kAtOnce = 8;  // rows that a thread loads before it uses them
  __shared__ TilePairs<1> tile;
  tile.clear();
  __syncthreads();
  const int3 at = Grid::origin(extent);
  const int t = static_cast<int>(threadIdx.x);
  // Adds to the image what the tile has no room for, and at last all of the tile.
  const auto add = [&](Key key, Part<1> part) {
    const auto row = static_cast<unsigned>(part.first) / kColumns;
    const unsigned column = static_cast<unsigned>(part.first) % kColumns;
    part.first = static_cast<unsigned long long>(
                     (std::int64_t{at.z} * extent.height + at.y + row) * extent.width + (at.x - t)) +
                 column;
    pairs.add(key, part);
  };
  if (extent.contains(at.x, at.y, at.z)) {
    const int rows = min(kRows, extent.height - at.y);
    Key key = 0;
    Part<1> part{};
    const auto flush = [&] {
      if (key != 0 && !tile.add(key, part)) add(key, part);
    };
    for (int begin = 0; begin < rows; begin += kAtOnce) {
      Id ids[kAtOnce];
      Other other_ids[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const bool inside = begin + i < rows;
        ids[i] = inside ? load_input(labels.at(at.x, at.y + begin + i, at.z)) : Id{0};
        other_ids[i] = inside ? load_input(others.at(at.x, at.y + begin + i, at.z)) : Other{0};
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const Key next = pairs.key_of(label_in(ids[i], largest), label_in(other_ids[i], largest));
        if (next != key) {
          flush();
          key = next;
          part = {{0}, static_cast<unsigned>((begin + i) * kColumns + t)};
        }
        ++part.count[0];
      }
    }
    flush();
  }
  __syncthreads();
  tile.each(add);
}

/// Which count of a contact a neighbor belongs to, by its distance along x, y and z: faces of each axis,
/// edges, corners.
__device__ constexpr int kind_of(int dx, int dy, int dz) {
  const int axes = (dx != 0) + (dy != 0) + (dz != 0);
  return axes > 1 ? axes + 1 : dx != 0 ? 0 : dy != 0 ? 1 : 2;
}

/// Contacts of a column with one other label at a time. Most elements have none, and those of a boundary have
/// the same one again and again.
struct ColumnContacts {
  static constexpr int kBits = 12;  // of a count: 32 elements have at most 6 neighbors of a kind

  Key key = 0;
  unsigned long long counts = 0;

  __device__ Part<5> part() const {
    Part<5> part{};
    for (int i = 0; i < 5; ++i)
      part.count[i] = static_cast<unsigned>(counts >> kBits * i) & ((1u << kBits) - 1);
    return part;
  }
};

/// Columns of a warp for contacts: its first and last lane only show their labels to their neighbors.
constexpr int kInner = static_cast<int>(kWarp) - 2;
using ContactGrid = ThreadGrid<1, kRows, 1, kColumns / kWarp * kInner, 1>;

LaunchShape contact_shape(Extent extent) { return {ContactGrid::shape(extent).grid, dim3(kColumns)}; }

/// `axes`: along which neighbors differ at most. `is_deep`: whether they may be in the next slice.
template <class Id, int axes, bool is_deep>
__global__ void __launch_bounds__(kColumns)
    count_contacts(Rows<Id> labels, Extent extent, std::uint32_t largest, Pairs<5> pairs,
                   unsigned long long* highest) {
  constexpr int kSlices = is_deep ? 2 : 1;
  constexpr int kAtOnce = is_deep ? 4 : 8;  // rows that a thread loads before it uses them
  __shared__ TilePairs<5> tile;
  tile.clear();
  __syncthreads();
  int3 at = ContactGrid::origin(extent);  // of the first column of all, but for y and z
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  at.x = (static_cast<int>(blockIdx.x * (kColumns / kWarp) + threadIdx.x / kWarp)) * kInner + lane - 1;
  if (at.z < extent.depth) {
    const bool is_inside = 0 <= at.x && at.x < extent.width;
    const bool is_counted = is_inside && 0 < lane && lane <= kInner;
    // Labels around a part of the column, by z, y and x. It begins a row before the part.
    Label near[kSlices][kAtOnce + 2][3];
    Id most = 0;
    const auto load_rows = [&](int first, int last, int y) {
#pragma unroll
      for (int dz = 0; dz < kSlices; ++dz)
#pragma unroll
        for (int i = 0; i < kAtOnce + 2; ++i) {
          if (i < first || i > last) continue;
          const int row = y + i - first;
          const bool is_there = is_inside && 0 <= row && row < extent.height && at.z + dz < extent.depth;
          const Id id = is_there ? load_input(labels.at(at.x, row, at.z + dz)) : Id{0};
          near[dz][i][1] = label_in(id, largest);
          most = max(most, id);
        }
#pragma unroll
      for (int dz = 0; dz < kSlices; ++dz)
#pragma unroll
        for (int i = 0; i < kAtOnce + 2; ++i) {
          if (i < first || i > last) continue;
          near[dz][i][0] = __shfl_up_sync(kAllLanes, near[dz][i][1], 1);
          near[dz][i][2] = __shfl_down_sync(kAllLanes, near[dz][i][1], 1);
        }
    };
    load_rows(kAtOnce, kAtOnce + 1, at.y - 1);
    ColumnContacts column;
    const auto flush = [&] {
      if (column.key == 0) return;
      const Part<5> part = column.part();
      if (!tile.add(column.key, part)) pairs.add(column.key, part);
    };
    const int rows = min(kRows, extent.height - at.y);
#pragma unroll 1
    for (int begin = 0; begin < rows; begin += kAtOnce) {
#pragma unroll
      for (int dz = 0; dz < kSlices; ++dz)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
          near[dz][0][dx] = near[dz][kAtOnce][dx];
          near[dz][1][dx] = near[dz][kAtOnce + 1][dx];
        }
      load_rows(2, kAtOnce + 1, at.y + begin + 1);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const Label label = is_counted ? near[0][i + 1][1] : 0;  // 0 below the image
        const auto each = [&](const auto& visit) {
#pragma unroll
          for (int dz = 0; dz < kSlices; ++dz)
#pragma unroll
            for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
              for (int dx = -1; dx <= 1; ++dx) {
                const bool is_later = dz > 0 || dy > 0 || (dy == 0 && dx > 0);
                if (is_later && (dx != 0) + (dy != 0) + (dz != 0) <= axes)
                  visit(near[dz][i + 1 + dy][dx + 1], kind_of(dx, dy, dz));
              }
        };
        // Most elements are inside of an object or of the background.
        Label difference = 0;
        each([&](Label one, int) { difference |= one ^ label; });
        if (difference == 0) continue;
        // Each label that touches, in ascending order: first the one, then how often, without branches.
        for (Label last = 0; label != 0;) {
          constexpr Label kNone = ~Label{0};
          Label other = kNone;
          each([&](Label one, int) { other = one > last && one != label ? min(one, other) : other; });
          if (other == kNone) break;
          unsigned long long counts = 0;
          each([&](Label one, int kind) {
            counts += one == other ? 1ull << ColumnContacts::kBits * kind : 0;
          });
          const Key key = pairs.key_of(min(label, other), max(label, other));
          if (key != column.key) {
            flush();
            column = {key, 0};
          }
          column.counts += counts;
          last = other;
        }
      }
    }
    flush();
    if (highest != nullptr) raise_in_warp(highest, most);
  }
  __syncthreads();
  tile.each([&](Key key, const Part<5>& part) { pairs.add(key, part); });
}

/// Clears a table, and numbers its slots. `number` and `highest` may be null.
template <int counts>
__global__ void clear_slots(Pairs<counts> pairs, std::uint32_t* order, unsigned long long* number,
                            unsigned long long* highest) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i == 0) {
    *pairs.overflow = 0;
    if (number != nullptr) *number = 0;
    if (highest != nullptr) *highest = 0;
  }
  if (i >= pairs.slots) return;
  pairs.keys[i] = kNoKey;
  order[i] = static_cast<std::uint32_t>(i);
#pragma unroll
  for (int k = 0; k < counts; ++k) pairs.count[std::size_t{pairs.slots} * k + i] = 0;
  if constexpr (Pairs<counts>::kHasFirst) pairs.first[i] = ~0ull;
}

/// Writes the rows, in the order of `keys`. `order`: the slots of these.
template <int counts>
__global__ void write_pairs(Pairs<counts> pairs, const Key* keys, const std::uint32_t* order,
                            DevicePairs out) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= pairs.slots || keys[i] == kNoKey) return;
  if (out.count != nullptr && (i + 1 == pairs.slots || keys[i + 1] == kNoKey))
    *out.count = pairs.counted(i + 1, out.capacity);
  if (i >= out.capacity) return;
  if (out.a != nullptr) out.a[i] = static_cast<std::int64_t>(keys[i] >> pairs.bits);
  if (out.b != nullptr) out.b[i] = static_cast<std::int64_t>(keys[i] & ((Key{1} << pairs.bits) - 1));
  if (pairs.kHasFirst && out.first != nullptr)
    out.first[i] = static_cast<std::int64_t>(pairs.first[order[i]]);
#pragma unroll
  for (int k = 0; k < counts; ++k)
    if (out.counts[k] != nullptr)
      out.counts[k][i] = static_cast<std::int64_t>(pairs.count[std::size_t{pairs.slots} * k + order[i]]);
}

/// Calls visit(id, index) for the elements of a thread's column, from the top. `index`: in the image.
template <class Id, class Visit>
__device__ void each_in_column(const Rows<Id>& labels, Extent extent, const Visit& visit) {
  const int3 at = Grid::origin(extent);
  if (!extent.contains(at.x, at.y, at.z)) return;
  const int end = at.y + min(kRows, extent.height - at.y);
  for (int y = at.y; y < end; ++y)
    visit(load_input(labels.at(at.x, y, at.z)),
          (std::int64_t{at.z} * extent.height + y) * extent.width + at.x);
}

/// Gives each label a slot. The key of a label is one less, as background needs none.
template <class Id>
__global__ void __launch_bounds__(kColumns) gather_ids(Rows<Id> labels, Extent extent, Pairs<1> ids) {
  Id last = 0;
  each_in_column(labels, extent, [&](Id id, std::int64_t) {
    if (id != last && id != 0) ids.slot_of(Key{id} - 1);
    last = id;
  });
}

/// Numbers labels in the order of `keys`. `order`: the slots of these.
__global__ void number_ids(Pairs<1> ids, const Key* keys, const std::uint32_t* order,
                           std::uint32_t* rank_of_slot, DeviceRanking out) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i == 0) out.ids[0] = 0;
  if (i >= ids.slots || keys[i] == kNoKey) return;
  if (i + 1 == ids.slots || keys[i + 1] == kNoKey) *out.count = ids.counted(i + 1, out.capacity);
  rank_of_slot[order[i]] = static_cast<std::uint32_t>(i + 1);
  if (i < out.capacity) out.ids[i + 1] = keys[i] + 1;
}

template <class Id>
__global__ void __launch_bounds__(kColumns)
    write_ranks(Rows<Id> labels, Extent extent, Pairs<1> ids, const std::uint32_t* rank_of_slot,
                std::uint32_t* ranks) {
  Id last = 0;
  std::uint32_t rank = 0;
  each_in_column(labels, extent, [&](Id id, std::int64_t index) {
    if (id != last) {
      const std::uint32_t slot = id != 0 ? ids.slot_of(Key{id} - 1) : ids.slots;
      rank = slot < ids.slots ? rank_of_slot[slot] : 0;
    }
    last = id;
    ranks[index] = rank;
  });
}

/// Arrays in the workspace of a call.
template <int counts>
struct Workspace {
  Pairs<counts> pairs;
  Key* sorted;
  std::uint32_t *slots, *order;
  std::byte* sorting;
  std::size_t sorting_bytes = 0;

  Workspace(std::size_t capacity, std::uint32_t largest, Arena& arena) {
    constexpr std::size_t kFewest = 1024, kMax = std::size_t{1} << 31;
    if (capacity > kMax / 2) throw Error(ErrorCode::memory, "so many pairs of labels are too many for a GPU");
    const auto slots_of_all = static_cast<std::uint32_t>(std::bit_ceil(std::max(kFewest, 2 * capacity)));
    pairs = {arena.take<Key>(slots_of_all),
             arena.take<unsigned long long>(counts * std::size_t{slots_of_all}),
             Pairs<counts>::kHasFirst ? arena.take<unsigned long long>(slots_of_all) : nullptr,
             arena.take<unsigned>(1),
             slots_of_all,
             static_cast<int>(std::bit_width(largest))};
    sorted = arena.take<Key>(slots_of_all);
    slots = arena.take<std::uint32_t>(slots_of_all);
    order = arena.take<std::uint32_t>(slots_of_all);
    sort(nullptr, nullptr);
    sorting = arena.take<std::byte>(sorting_bytes);
  }

  /// Without memory, finds the bytes that sorting needs.
  void sort(std::byte* memory, cudaStream_t stream) {
    const int end = std::min(2 * pairs.bits + 1, 64);  // with a bit that all pairs have not
    check(cub::DeviceRadixSort::SortPairs(memory, sorting_bytes, pairs.keys, sorted, slots, order,
                                          pairs.slots, 0, end, stream),
          "sorting pairs of labels");
  }
};

/// Enqueues the clearing of a table, then what count() enqueues, then the sort of keys.
template <int counts, class Count>
void enqueue_sorted(Workspace<counts>& workspace, unsigned long long* number, unsigned long long* highest,
                    PhaseClock& phase, const Count& count) {
  const Pairs<counts>& pairs = workspace.pairs;
  phase("Clear", clear_slots<counts>, ThreadLine<>::shape(pairs.slots), pairs, workspace.slots, number,
        highest);
  count();
  workspace.sort(workspace.sorting, phase.stream());
}

template <int counts, class Count>
void enqueue_pairs(const PairCall& call, const Count& count) {
  Arena arena(call.workspace);
  Workspace<counts> workspace(call.pairs.capacity, call.largest, arena);
  const Pairs<counts>& pairs = workspace.pairs;
  PhaseClock phase{call.stream, nullptr};
  enqueue_sorted(workspace, call.pairs.count, call.pairs.highest, phase, [&] { count(pairs, phase); });
  phase("Write", write_pairs<counts>, ThreadLine<>::shape(pairs.slots), pairs, workspace.sorted,
        workspace.order, call.pairs);
}

}  // namespace

std::size_t pairs_workspace_bytes(std::size_t capacity, bool contacts) {
  Arena arena(nullptr);
  if (contacts)
    Workspace<5>(capacity, ~0u, arena);
  else
    Workspace<1>(capacity, ~0u, arena);
  return arena.used();
}

void enqueue_ranking(const DeviceRanking& request, void* memory, cudaStream_t stream) {
  Arena arena(memory);
  Workspace<1> workspace(request.capacity, ~0u, arena);
  const Pairs<1>& ids = workspace.pairs;
  std::uint32_t* const rank_of_slot = workspace.slots;  // which are sorted by then
  PhaseClock phase{stream, nullptr};
  const Extent extent = request.labels.extent;
  with_id(request.labels.type, [&]<class Id>(Id) {
    const Rows<Id> labels(request.labels);
    enqueue_sorted(workspace, request.count, nullptr, phase,
                   [&] { phase("Gather", gather_ids<Id>, Grid::shape(extent), labels, extent, ids); });
    phase("Number", number_ids, ThreadLine<>::shape(ids.slots), ids, workspace.sorted, workspace.order,
          rank_of_slot, request);
    phase("Ranks", write_ranks<Id>, Grid::shape(extent), labels, extent, ids, rank_of_slot, request.ranks);
  });
}

void enqueue_overlaps(const PairCall& call) {
  enqueue_pairs<1>(call, [&](const Pairs<1>& pairs, PhaseClock& phase) {
    with_id(call.labels.type, [&]<class Id>(Id) {
      with_id(call.others.type, [&]<class Other>(Other) {
        const Extent extent = call.labels.extent;
        phase("Overlaps", count_overlaps<Id, Other>, Grid::shape(extent), Rows<Id>(call.labels),
              Rows<Other>(call.others), extent, call.largest, pairs);
      });
    });
  });
}

void enqueue_contacts(const PairCall& call) {
  enqueue_pairs<5>(call, [&](const Pairs<5>& pairs, PhaseClock& phase) {
    with_id(call.labels.type, [&]<class Id>(Id) {
      const Extent extent = call.labels.extent;
      runs::with_connectivity(call.connectivity, [&]<Connectivity connectivity>() {
        phase("Contacts", count_contacts<Id, max_axes(connectivity), is_3d(connectivity)>,
              contact_shape(extent), Rows<Id>(call.labels), extent, call.largest, pairs, call.pairs.highest);
      });
    });
  });
}

}  // namespace gpuccl::cuda::tables
