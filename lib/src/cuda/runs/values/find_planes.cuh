#pragma once

#include "common/value_rules.hpp"
#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/runs/core/contacts.cuh"

// FindPlanes: converts values to bit planes (value_shape.cuh) in one pass over the image.
//
//   1. Faces: a warp has 32 columns, one per lane, and moves down some rows of a slice. A vote of its
//      lanes is a word. This is most of the work.
//   2. Candidates: a contact along an edge or at a corner is redundant if closer contacts connect its two
//      elements within the smallest box that contains both. With equal values it is redundant unless each of
//      the two differs from its neighbors in the box. So the bits of step 1 show where lists may have
//      contacts: one thread per word.
//   3. Lists: one warp per word reads the values around these candidates again.
namespace gpuccl::cuda::runs {

/// Rule: equal values connect.
template <class T>
struct EqualValues {
  static constexpr bool kTransitive = true;

  __device__ static bool is_set(T value) { return is_set_value(value); }
  /// Requires that `a` is set.
  __device__ bool are_near(T a, T b) const { return a == b; }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
};

/// Rule: values that differ by at most delta connect.
template <class T>
struct NearValues {
  static constexpr bool kTransitive = false;
  Within<T> within;

  explicit NearValues(double delta) : within(delta) {}

  __device__ static bool is_set(T value) { return is_set_value(value); }
  /// Requires that `a` is set.
  __device__ bool are_near(T a, T b) const { return is_set_value(b) && within(a, b); }
  __device__ bool operator()(T a, T b) const { return is_set_value(a) && are_near(a, b); }
};

/// Values on the device; pitches count values.
template <class T>
struct ValueRows {
  const T* data;
  std::int64_t row_pitch, slice_pitch;

  __device__ const T* row(int y, int z) const { return data + (z * slice_pitch + y * row_pitch); }
};

struct PlaneBlock {
  static constexpr int kWords = 8, kRows = 32;  // of one slice
  static constexpr int kThreads = kWords * kRows;
  static constexpr int kRowsAtOnce = 4;  // that a warp loads at a time
  /// Target number of thread blocks per SM: fewer if more is loaded.
  template <Connectivity connectivity>
  static constexpr int kAtOnce = kThreadsOfSm / kThreads*(ValuePlanes<connectivity>::kSides > 2 ? 5 : 6) / 8;
};

/// The element in this lane's column, and the element to its left.
template <class T>
struct TwoValues {
  T own, left;
};

/// Reads values of 32 columns, one per lane. Values outside of the image are 0.
template <class T>
struct ValueColumns {
  const TiledImage& frame;
  const ValueRows<T>& values;
  unsigned x;

  __device__ bool inside() const { return x < static_cast<unsigned>(frame.width); }
  __device__ bool has_left() const { return inside() && x > 0; }
  __device__ TwoValues<T> at(int y, int z) const {
    if (!frame.has_row(y, z)) return {};
    const T* const row = values.row(y, z);
    return {inside() ? load_input(row + x) : T{}, has_left() ? load_input(row + x - 1) : T{}};
  }
};

/// Values around an element in a lane's column.
template <class T>
struct ValuesAround {
  TwoValues<T> own, below;
  TwoValues<T> at_side[4];  // row (y - 1, z), (y, z - 1), (y - 1, z - 1), (y + 1, z - 1)

  __device__ ValuesAround(const ValueColumns<T>& column, int y, int z)
      : own(column.at(y, z)),
        below(column.at(y + 1, z)),
        at_side{column.at(y - 1, z), column.at(y, z - 1), column.at(y - 1, z - 1), column.at(y + 1, z - 1)} {}
};

__device__ inline Word vote(bool value) { return __ballot_sync(kAllLanes, value); }

/// Returns true if a and b connect, and no path through the elements between them makes the contact
/// redundant.
template <class T, class Same, class... Between>
__device__ bool is_needed(const Same& same, T a, T b, Between... between) {
  if constexpr (Same::kTransitive)
    return same(a, b) && !(... || same(a, between));
  else
    return same(a, b) && !(... || (same(a, between) && same(between, b)));
}

/// Returns true if this lane has a needed contact of kind `shift` with the row at side `side`.
template <int side, int shift, class T, class Same>
__device__ bool is_listed(const Same& same, const ValuesAround<T>& around) {
  const TwoValues<T>&own = around.own, &other = around.at_side[side];
  const T a = shift == kOwnLeft ? own.left : own.own, beside_a = shift == kOwnLeft ? own.own : own.left;
  const T b = shift == kOtherLeft ? other.left : other.own;
  const T beside_b = shift == kOtherLeft ? other.own : other.left;
  if constexpr (side < 2) {
    return is_needed(same, a, b, beside_a, beside_b);
  } else {
    const TwoValues<T>&in_slice = side == 2 ? around.at_side[0] : around.below, &before = around.at_side[1];
    if constexpr (shift == kNoShift)
      return is_needed(same, a, b, in_slice.own, before.own);
    else
      return is_needed(same, a, b, beside_a, beside_b, in_slice.own, in_slice.left, before.own, before.left);
  }
}

/// Words of a row: elements that are not 0, and that connect to the left, to the row above and to the slice
/// before. For the row in the slice before: the first three.
struct alignas(16) FaceWords {
  Word set, left, above, before;
  Word before_set, before_left, before_above;

  /// Returns words outside of this block: any value is possible, so no contact is excluded.
  __device__ static FaceWords unknown(bool in_image) {
    const Word set = in_image ? ~0u : 0;
    return {set, 0, 0, 0, set, 0, 0};
  }
  /// Returns the words shifted by one, so that each column has the bit of the column to its left. `other`:
  /// the word to the left.
  __device__ FaceWords to_left(const FaceWords& other) const {
    const auto shifted = [](Word word, Word from) { return word << 1 | from >> 31; };
    return {shifted(set, other.set),
            shifted(left, other.left),
            shifted(above, other.above),
            shifted(before, other.before),
            shifted(before_set, other.before_set),
            shifted(before_left, other.before_left),
            shifted(before_above, other.before_above)};
  }
};

/// Words of a row, and the same words for the columns to the left.
struct FaceRow {
  FaceWords at, left;
};

/// Returns the columns in which equal values may have contacts to list: both elements are set, and each
/// differs from its neighbors in their box.
template <int side, int shift>
__device__ Word where_listed(const FaceRow& own, const FaceRow& above, const FaceRow& below) {
  const FaceWords& a = shift == kOwnLeft ? own.left : own.at;
  if constexpr (side < 2) {
    const Word b_set = side == 0             ? (shift == kOtherLeft ? above.left.set : above.at.set)
                       : shift == kOtherLeft ? own.left.before_set
                                             : own.at.before_set;
    const Word faces = side == 0 ? own.at.left | above.at.left | own.at.above | own.left.above
                                 : own.at.left | own.at.before_left | own.at.before | own.left.before;
    return a.set & b_set & ~faces;
  } else {
    // Side 2 lies above, side 3 below. `above` of the lower row tells whether the two rows connect.
    const FaceRow &other = side == 2 ? above : below, &lower = side == 2 ? own : below;
    const FaceWords& b = shift == kOtherLeft ? other.left : other.at;
    const FaceWords& lower_a = shift == kOwnLeft ? lower.left : lower.at;
    const FaceWords& lower_b = shift == kOtherLeft ? lower.left : lower.at;
    Word faces = a.before | lower_a.above | b.before | lower_b.before_above;
    if constexpr (shift != kNoShift) faces |= own.at.left | other.at.before_left;
    return a.set & b.before_set & ~faces;
  }
}

using FacesOfBlock = FaceWords[PlaneBlock::kRows][PlaneBlock::kWords];

/// Lists of the words of a thread block. Takes no shared memory if the connectivity has none.
struct ListsOfBlock {
  Word of_word[PlaneBlock::kRows][PlaneBlock::kWords];  // lists that may have contacts, later that have
  std::uint8_t queue[PlaneBlock::kThreads];  // threads of the words that may have contacts in lists
  unsigned queued;
};

/// Position of a thread block's words in the image.
struct PlanePlace {
  int first_word, first_y, z, rows;

  __device__ explicit PlanePlace(const TiledImage& frame) {
    const auto blocks_x = static_cast<unsigned>((frame.pitch - 1) / PlaneBlock::kWords + 1);
    const auto blocks_y = static_cast<unsigned>((frame.height - 1) / PlaneBlock::kRows + 1);
    first_word = static_cast<int>(blockIdx.x % blocks_x) * PlaneBlock::kWords;
    first_y = static_cast<int>(blockIdx.x / blocks_x % blocks_y) * PlaneBlock::kRows;
    z = static_cast<int>(blockIdx.x / blocks_x / blocks_y);
    rows = frame.height - first_y < PlaneBlock::kRows ? frame.height - first_y : PlaneBlock::kRows;
  }
};

/// Step 1. Loads of several rows overlap, because their addresses depend only on the lane. Lanes outside of
/// the image load a valid element, which is ignored.
template <Connectivity connectivity, class T, class Same>
__device__ void find_faces(const TiledImage& frame, const ValueRows<T>& values, const Same& same,
                           const PlanePlace& place, FacesOfBlock& faces) {
  using Block = PlaneBlock;
  constexpr bool kBefore = ValuePlanes<connectivity>::kSides > 1;     // read the slice before
  constexpr bool kAllAround = ValuePlanes<connectivity>::kSides > 2;  // and its neighboring columns and rows
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned x = (static_cast<unsigned>(place.first_word) + warp) * kWordBits + lane;
  const auto width = static_cast<unsigned>(frame.width);
  const bool inside = x < width, has_left = inside && x > 0, has_before = kBefore && place.z > 0;
  const T* at = values.row(place.first_y, place.z) + (inside ? x : width - 1);
  const T* at_before = has_before ? at - values.slice_pitch : at;
  T above{}, before_above{};
  if (place.first_y > 0) above = load_input(at - values.row_pitch);
  if (kAllAround && place.first_y > 0) before_above = load_input(at_before - values.row_pitch);
  for (int first = 0; first < place.rows; first += Block::kRowsAtOnce) {
    T own[Block::kRowsAtOnce], left[Block::kRowsAtOnce], before[Block::kRowsAtOnce],
        before_left[Block::kRowsAtOnce];
#pragma unroll
    for (int i = 0; i < Block::kRowsAtOnce; ++i) {
      own[i] = load_input(at);
      left[i] = has_left ? load_input(at - 1) : T{};
      if constexpr (kBefore) before[i] = load_input(at_before);
      if constexpr (kAllAround) before_left[i] = has_left ? load_input(at_before - 1) : T{};
      const std::int64_t to_next = first + i + 1 < place.rows ? values.row_pitch : 0;
      at += to_next;
      at_before += to_next;
    }
#pragma unroll
    for (int i = 0; i < Block::kRowsAtOnce; ++i) {
      FaceWords words{};
      const bool set = inside && same.is_set(own[i]);
      words.set = vote(set);
      words.left = vote(set && same.are_near(own[i], left[i]));
      words.above = vote(set && same.are_near(own[i], above));
      if constexpr (kBefore) {
        const bool before_set = inside && has_before && same.is_set(before[i]);
        words.before = vote(before_set && same.are_near(before[i], own[i]));
        if constexpr (kAllAround) {
          words.before_set = vote(before_set);
          words.before_left = vote(before_set && same.are_near(before[i], before_left[i]));
          words.before_above = vote(before_set && same.are_near(before[i], before_above));
        }
        before_above = before[i];
      }
      above = own[i];
      if (lane == 0) faces[first + i][warp] = words;
    }
  }
}

/// Step 2, for this thread's word: queues the word if its lists may have contacts.
template <Connectivity connectivity, class Same>
__device__ void queue_word(const TiledImage& frame, const PlanePlace& place, int word, int row,
                           const FacesOfBlock& faces, ListsOfBlock& lists) {
  using Planes = ValuePlanes<connectivity>;
  const auto row_of = [&](int i) {
    const int y = place.first_y + i;
    const bool known = i >= 0 && i < place.rows, in_image = y >= 0 && y < frame.height;
    const FaceWords at = known ? faces[i][word] : FaceWords::unknown(in_image);
    const FaceWords left =
        known && word > 0 ? faces[i][word - 1] : FaceWords::unknown(in_image && place.first_word + word > 0);
    return FaceRow{at, at.to_left(left)};
  };
  const FaceRow own = row_of(row), above = row_of(row - 1);
  const FaceRow below = Planes::kSides > 2 ? row_of(row + 1) : FaceRow{};
  Word wanted = 0;
  for_each_index<Planes::kSides>([&]<int side>() {
    for_each_index<kShifts>([&]<int shift>() {
      if constexpr (Planes::template kHasList<side, shift>) {
        const Word where = Same::kTransitive   ? where_listed<side, shift>(own, above, below)
                           : shift == kOwnLeft ? own.left.set
                                               : own.at.set;
        if (where != 0) wanted |= 1u << Planes::template kList<side, shift>;
      }
    });
  });
  lists.of_word[row][word] = wanted;
  if (wanted != 0) lists.queue[atomicAdd(&lists.queued, 1u)] = static_cast<std::uint8_t>(threadIdx.x);
}

/// Step 3: writes the lists of the queued words.
template <Connectivity connectivity, class T, class Same>
__device__ void write_lists(const TiledImage& frame, const ValueRows<T>& values, const Same& same,
                            const PlanePlace& place, ListsOfBlock& lists, Word* planes) {
  using Planes = ValuePlanes<connectivity>;
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  for (unsigned i = warp; i < lists.queued; i += PlaneBlock::kThreads / kWarp) {
    const int column = lists.queue[i] % PlaneBlock::kWords, row = lists.queue[i] / PlaneBlock::kWords;
    const int word = place.first_word + column, y = place.first_y + row;
    const Word wanted = lists.of_word[row][column];
    Word listed = 0;
    const ValuesAround<T> around({frame, values, static_cast<unsigned>(word) * kWordBits + lane}, y, place.z);
    for_each_index<Planes::kSides>([&]<int side>() {
      for_each_index<kShifts>([&]<int shift>() {
        if constexpr (Planes::template kHasList<side, shift>) {
          constexpr int kList = Planes::template kList<side, shift>;
          if ((wanted >> kList & 1) == 0) return;
          const Word contacts = vote(is_listed<side, shift>(same, around));
          if (contacts == 0) return;
          listed |= 1u << kList;
          if (lane == 0)
            planes[frame.plane(Planes::kFirstList + kList) + frame.word_index(word, y, place.z)] = contacts;
        }
      });
    });
    __syncwarp();
    if (lane == 0) lists.of_word[row][column] = listed;
  }
}

template <Connectivity connectivity, class T, class Same>
__global__ void __launch_bounds__(PlaneBlock::kThreads, PlaneBlock::kAtOnce<connectivity>)
    find_planes(TiledImage frame, ValueRows<T> values, Same same, Word* planes) {
  using Planes = ValuePlanes<connectivity>;
  __shared__ FacesOfBlock faces;
  __shared__ ListsOfBlock lists;
  const PlanePlace place(frame);
  if (Planes::kLists > 0 && threadIdx.x == 0) lists.queued = 0;
  find_faces<connectivity>(frame, values, same, place, faces);
  __syncthreads();

  const int word = static_cast<int>(threadIdx.x) % PlaneBlock::kWords;
  const int row = static_cast<int>(threadIdx.x) / PlaneBlock::kWords;
  const bool in_image = row < place.rows && frame.has_word(place.first_word + word);
  if constexpr (Planes::kLists > 0) {
    if (in_image) queue_word<connectivity, Same>(frame, place, word, row, faces, lists);
    __syncthreads();
    write_lists<connectivity>(frame, values, same, place, lists, planes);
    __syncthreads();
  }

  if (!in_image) return;
  const FaceWords& own = faces[row][word];
  const std::int64_t index = frame.word_index(place.first_word + word, place.first_y + row, place.z);
  planes[frame.plane(Planes::kSet) + index] = own.set;
  planes[frame.plane(Planes::kLeft) + index] = own.left;
  planes[frame.plane(Planes::kSameAsOther) + index] = own.above;
  if constexpr (Planes::kSides > 1) planes[frame.plane(Planes::kSameAsOther + 1) + index] = own.before;
  if constexpr (Planes::kLists > 0) planes[frame.plane(Planes::kListMask) + index] = lists.of_word[row][word];
}

}  // namespace gpuccl::cuda::runs
