#pragma once

#include "cuda/device/memory.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/runs/contacts.cuh"
#include "cuda/runs/same_values.cuh"

// FindPlanes: from values to bits (value_shape.cuh), in one pass over the image. A warp has 32 columns, one a
// lane, and goes down some rows of a slice, with the rows above and below and the same of the slice before at
// hand; a vote of its lanes is a word.
//
// A contact is needless if two neighbors are connected by others that lie between them, in the smallest box
// that holds both: each connects to one in the same box, by a contact that is closer. Equal values always
// do where any in the box is equal. So there is something to look for only where none of the nearest is.
namespace gpuccl::cuda::runs {

/// Values on the device; pitches count values.
template <class T>
struct ValueRows {
  const T* data;
  std::int64_t row_pitch, slice_pitch;

  __device__ const T* row(int y, int z) const { return data + (z * slice_pitch + y * row_pitch); }
};

struct PlaneBlock {
  static constexpr int kWords = 8, kRows = 32;  // of a slice
  static constexpr int kThreads = kWords * 32;
};

/// The element of this lane's column, and the one to its left.
template <class T>
struct TwoValues {
  T own{}, left{};
};

/// The same as they come from memory, where only the first lane has the one to the left.
template <class T>
class LoadedValues {
 public:
  LoadedValues() = default;
  __device__ LoadedValues(const Frame& frame, const ValueRows<T>& values, int word, int y, int z) {
    const unsigned lane = threadIdx.x % kWarp, width = static_cast<unsigned>(frame.width);
    const unsigned x = static_cast<unsigned>(word) * kWordBits + lane;
    if (!frame.has_word(word) || !frame.has_row(y, z)) return;
    const T* const row = values.row(y, z);
    if (x < width) own_ = load_input(row + x);
    if (lane == 0 && word > 0) left_ = load_input(row + x - 1);
  }

  /// All lanes call it.
  __device__ TwoValues<T> two() const {
    const T left = from_lane_before(own_);
    return {own_, threadIdx.x % kWarp == 0 ? left_ : left};
  }

 private:
  T own_{}, left_{};
};

/// What a warp finds in the rows around one of its own.
template <class T>
struct ValuesAround {
  TwoValues<T> own, below;
  TwoValues<T> at_side[4];  // row (y - 1, z), (y, z - 1), (y - 1, z - 1), (y + 1, z - 1)
};

/// Whether two neighbors connect, and nothing of what lies between them makes that needless.
template <class T, class Same, class... Between>
__device__ bool is_needed(const Same& same, T a, T b, Between... between) {
  if constexpr (Same::kTransitive)
    return same(a, b) && !(... || same(a, between));
  else
    return same(a, b) && !(... || (same(a, between) && same(between, b)));
}

/// Whether this lane has a contact of that way with the row at that side that is needed.
template <int side, int way, class T, class Same>
__device__ bool is_listed(const Same& same, const ValuesAround<T>& around) {
  const TwoValues<T>&own = around.own, &other = around.at_side[side];
  const T a = way == kOwnToLeft ? own.left : own.own, beside_a = way == kOwnToLeft ? own.own : own.left;
  const T b = way == kOtherToLeft ? other.left : other.own;
  const T beside_b = way == kOtherToLeft ? other.own : other.left;
  if constexpr (side < 2) {
    return is_needed(same, a, b, beside_a, beside_b);
  } else {
    const TwoValues<T>&in_slice = side == 2 ? around.at_side[0] : around.below, &before = around.at_side[1];
    if constexpr (way == kStraight)
      return is_needed(same, a, b, in_slice.own, before.own);
    else
      return is_needed(same, a, b, beside_a, beside_b, in_slice.own, in_slice.left, before.own, before.left);
  }
}

template <Connectivity connectivity, class T, class Same>
__global__ void __launch_bounds__(PlaneBlock::kThreads)
    find_planes(Frame frame, ValueRows<T> values, Same same, Word* planes) {
  using Planes = ValuePlanes<connectivity>;
  using Block = PlaneBlock;
  constexpr bool kBefore = Planes::kSides > 1;     // the slice before is looked at
  constexpr bool kAllAround = Planes::kSides > 2;  // and rows above and below in it
  __shared__ Word whole[Planes::kWhole][Block::kRows][Block::kWords];

  const auto blocks_x = static_cast<unsigned>((frame.pitch - 1) / Block::kWords + 1);
  const auto blocks_y = static_cast<unsigned>((frame.height - 1) / Block::kRows + 1);
  const unsigned lane = threadIdx.x % kWarp, column = threadIdx.x / kWarp;
  const int word = static_cast<int>(blockIdx.x % blocks_x * Block::kWords + column);
  const int first_y = static_cast<int>(blockIdx.x / blocks_x % blocks_y * Block::kRows);
  const int z = static_cast<int>(blockIdx.x / blocks_x / blocks_y);
  const int rows = frame.height - first_y < Block::kRows ? frame.height - first_y : Block::kRows;
  const auto load = [&](int y, int slice) { return LoadedValues<T>(frame, values, word, y, slice); };
  const auto vote = [](bool value) { return __ballot_sync(kAllLanes, value); };

  ValuesAround<T> around;
  around.own = load(first_y, z).two();
  around.at_side[0] = load(first_y - 1, z).two();
  if constexpr (kBefore) around.at_side[1] = load(first_y, z - 1).two();
  if constexpr (kAllAround) around.at_side[2] = load(first_y - 1, z - 1).two();
  Word above = vote(same(around.own.own, around.at_side[0].own));
  LoadedValues<T> next = load(first_y + 1, z), next_before;
  if constexpr (kBefore) next_before = load(first_y + 1, z - 1);

  for (int i = 0; i < rows; ++i) {
    const int y = first_y + i;
    around.below = next.two();
    next = load(y + 2, z);
    if constexpr (kBefore) {
      around.at_side[3] = next_before.two();
      next_before = load(y + 2, z - 1);
    }

    const Word set = vote(same.is_set(around.own.own));
    const Word left = vote(same(around.own.own, around.own.left));
    const Word below = vote(same(around.own.own, around.below.own));
    const Word before = kBefore ? vote(same(around.own.own, around.at_side[1].own)) : ~0u;
    Word which = 0;
    if constexpr (Planes::kLists > 0) {
      const Word left_set = vote(same.is_set(around.own.left));
      // Elements without some neighbor in the same column; and those to the left of a column.
      const Word alone = set & ~(above & before), left_alone = left_set & ~(above << 1 & before << 1);
      const Word corners = ~left & (alone | left_alone);
      const Word edges = kAllAround ? set & ~before & ~(above & below) : 0;
      if (Same::kTransitive ? (corners | edges) != 0 : (set | left_set) != 0) {
        for_each_index<Planes::kSides>([&]<int side>() {
          for_each_index<kWays>([&]<int way>() {
            if constexpr (Planes::template kHasList<side, way>) {
              constexpr int kList = Planes::template kList<side, way>;
              const Word found = vote(is_listed<side, way>(same, around));
              if (found == 0) return;
              which |= 1u << kList;
              if (lane == 0)
                planes[frame.plane(Planes::kFirstList + kList) + frame.word_index(word, y, z)] = found;
            }
          });
        });
      }
    }
    if (lane < Planes::kWhole) {
      Word mine = set;
      if (lane == Planes::kLeft) mine = left;
      if (lane == Planes::kOthers) mine = above;
      if (kBefore && lane == Planes::kOthers + 1) mine = before;
      if (Planes::kLists > 0 && lane == Planes::kWhichLists) mine = which;
      whole[lane][i][column] = mine;
    }

    above = below;
    around.at_side[0] = around.own;
    around.own = around.below;
    if constexpr (kBefore) {
      around.at_side[2] = around.at_side[1];
      around.at_side[1] = around.at_side[3];
    }
  }
  __syncthreads();

  const int mine = static_cast<int>(threadIdx.x) % Block::kWords;
  const int image_word = word - static_cast<int>(column) + mine;
  if (!frame.has_word(image_word)) return;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) / Block::kWords; i < rows; i += Block::kThreads / Block::kWords)
#pragma unroll
    for (int plane = 0; plane < Planes::kWhole; ++plane)
      planes[frame.plane(plane) + frame.word_index(image_word, first_y + i, z)] = whole[plane][i][mine];
}

}  // namespace gpuccl::cuda::runs
