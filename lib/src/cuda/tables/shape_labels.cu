// Sums for measures of shape and topology of labels, connected or not: second moments, boundary elements,
// pairs of neighbors, Euler number.
//
// A thread walks down a column of a tile and compares each element with those around it. Bit i of a word
// tells whether element i of the column has the label of its neighbor in one direction. So 30 elements are
// counted at once, by the formulas of the CPU (lib/src/measure), for which the columns are rows. Words are
// exchanged with the columns on both sides. Counts are added up as in runs/statistics/gather_sums.cu.

#include <cstddef>
#include <cstdint>

#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile_sums.cuh"
#include "cuda/runs/statistics/sums_part.cuh"
#include "cuda/tables/label_rows.cuh"
#include "cuda/tables/shape_labels.cuh"
#include "measure/euler_number.hpp"
#include "measure/neighbors.hpp"
#include "measure/shape_formulas.hpp"

namespace gpuccl::cuda::tables {
namespace {

using Bits = std::uint32_t;

constexpr int kThreads = 128;         // columns of a tile
constexpr int kLeft = 2, kRight = 1;  // of these are only looked at
constexpr int kInner = kThreads - kLeft - kRight;
constexpr int kRows = 30;  // of a tile, and one above and one below, which are only looked at
constexpr Bits kInnerRows = 0x7ffffffe;
using Grid = ThreadGrid<1, kRows, 1, kInner, 1>;

/// A column of a slice and those on both sides, with labels as they are in the image; 0 outside of it.
template <class Id>
struct Column {
  const Id* first;  // row 0
  std::int64_t pitch;
  unsigned height;
  bool exists[3];  // by dx + 1

  __device__ Column(const Rows<Id>& labels, const Extent& extent, int x, int z)
      : first(labels.data + z * labels.slice + x),
        pitch(labels.row),
        height(static_cast<unsigned>(extent.height)),
        exists{extent.contains(x - 1, 0, z), extent.contains(x, 0, z), extent.contains(x + 1, 0, z)} {}
  __device__ bool exist() const { return exists[0] && exists[1] && exists[2]; }
  __device__ const Id* row(int y) const { return first + y * pitch; }
  __device__ bool has(int y) const { return static_cast<unsigned>(y) < height; }
  __device__ Id at(int dx, int y) const { return exists[dx + 1] && has(y) ? load_input(row(y) + dx) : Id{0}; }
};

/// Which elements of a column have the label of a neighbor. Bit 0 is the element above the tile.
template <bool is_volume>
struct SameAsAround {
  Bits own = 0;  // elements that have a label up to the largest
  Bits left = 0, right = 0, up = 0, down = 0, up_left = 0, up_right = 0, down_left = 0, down_right = 0;
  Bits before[is_volume ? 3 : 1][3] = {};  // in the slice before: by dx + 1, dy + 1

  /// Compares all but those that the columns on both sides have compared. `y`: the row of bit 0. `around`:
  /// false if only `own` and `down` are needed. `in_image`: whether all elements around them exist.
  template <bool around, bool in_image, class Id>
  __device__ void compare(const Column<Id>& column, const Column<Id>& column_before, std::uint32_t largest,
                          int y) {
    constexpr int kAtOnce = in_image ? 8 : 2;  // rows that a thread loads before it uses them
    constexpr bool kBefore = around && is_volume;
    const auto is_label = [&](Id id) {  // others are equal to none
      using Wide = std::conditional_t<sizeof(Id) == 8, std::uint64_t, std::uint32_t>;
      return Wide{id} - 1 < largest;
    };
    Id here[3], previous[3][3];  // of the row; of the slice before by dx + 1, dy + 1
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      here[i] = around || i == 1 ? column.at(i - 1, y) : Id{0};
      previous[i][1] = kBefore ? column_before.at(i - 1, y - 1) : Id{0};
      previous[i][2] = kBefore ? column_before.at(i - 1, y) : Id{0};
    }
    const bool from_above = is_label(here[1]) && here[1] == column.at(0, y - 1);
    const Id *row = column.row(y), *row_before = column_before.row(y);
#pragma unroll 1
    for (int begin = 0; begin < static_cast<int>(kWarp); begin += kAtOnce) {
      Bits some = 0, to_right = 0, to_down = 0, to_left_below = 0, to_right_below = 0;
      Bits to_before[3][3] = {};
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        Id next[3];
        row += column.pitch;
        row_before += column.pitch;
        const int next_y = y + begin + i + 1;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          const auto load = [&](const Column<Id>& from, const Id* from_row) {
            if constexpr (in_image) return load_input(from_row + k - 1);  // without branches
            return from.at(k - 1, next_y);
          };
          next[k] = around || k == 1 ? load(column, row) : Id{0};
          previous[k][0] = previous[k][1];
          previous[k][1] = previous[k][2];
          previous[k][2] = kBefore ? load(column_before, row_before) : Id{0};
        }
        const Id label = here[1];
        const auto put = [&](Bits& word, bool bit) { word |= bit ? Bits{1} << i : 0; };
        put(some, is_label(label));
        put(to_down, label == next[1]);
        if constexpr (around) {
          put(to_right, label == here[2]);
          put(to_left_below, label == next[0]);
          put(to_right_below, label == next[2]);
        }
        if constexpr (kBefore) {
#pragma unroll
          for (int k = 0; k < 3; ++k)
#pragma unroll
            for (int l = 0; l < 3; ++l) put(to_before[k][l], label == previous[k][l]);
        }
#pragma unroll
        for (int k = 0; k < 3; ++k) here[k] = next[k];
      }
      const auto append = [&](Bits& word, Bits more) {
        word = word >> kAtOnce | more << (static_cast<int>(kWarp) - kAtOnce);
      };
      append(own, some);
      append(down, to_down & some);
      if constexpr (around) {
        append(right, to_right & some);
        append(down_left, to_left_below & some);
        append(down_right, to_right_below & some);
      }
      if constexpr (kBefore) {
#pragma unroll
        for (int k = 0; k < 3; ++k)
#pragma unroll
          for (int l = 0; l < 3; ++l) append(before[k][l], to_before[k][l] & some);
      }
    }
    up = down << 1 | static_cast<Bits>(from_above);
  }

  /// Returns the elements whose neighbor in direction `to` has their label.
  template <measuring::Direction to>
  __device__ Bits in() const {
    if constexpr (to.dz != 0) return before[to.dx + 1][to.dy + 1];
    if constexpr (to.dy == 0) return to.dx < 0 ? left : right;
    if constexpr (to.dx == 0) return to.dy < 0 ? up : down;
    if constexpr (to.dy < 0) return to.dx < 0 ? up_left : up_right;
    return to.dx < 0 ? down_left : down_right;
  }
};

/// A column or one next to it, where it has the label of the elements of the column, with the functions of a
/// row.
struct SameColumn {
  Bits at, above, below;

  __device__ Bits operator[](int) const { return at; }
  __device__ Bits left(int) const { return above; }
  __device__ Bits right(int) const { return below; }
  __device__ Bits beside(int, int to) const { return to == 0 ? at : to < 0 ? above : below; }
};

/// Words that columns exchange.
struct Exchanged {
  Bits right[kThreads], down_left[kThreads], down_right[kThreads], edge[kThreads];

  /// Waits for the columns on both sides and completes `same`. Columns without one on a side do not count.
  template <bool is_volume>
  __device__ void complete(SameAsAround<is_volume>& same) {
    const unsigned t = threadIdx.x, before = t > 0 ? t - 1 : 0, behind = t + 1 < kThreads ? t + 1 : t;
    right[t] = same.right;
    down_left[t] = same.down_left;
    down_right[t] = same.down_right;
    __syncthreads();
    same.left = right[before];
    same.up_left = down_right[before] << 1;
    same.up_right = down_left[behind] << 1;
  }
  /// Waits for the columns on both sides and returns how the contour passes the boundary elements.
  template <bool is_volume>
  __device__ measuring::EdgeKinds<Bits> edge_kinds(const SameAsAround<is_volume>& same) {
    const unsigned t = threadIdx.x, before = t > 0 ? t - 1 : 0, behind = t + 1 < kThreads ? t + 1 : t;
    const Bits at_edge = same.own & ~(same.left & same.right & same.up & same.down);
    edge[t] = at_edge;
    __syncthreads();
    const Bits at_left = edge[before], at_right = edge[behind];
    const measuring::CountWords<Bits> beside(same.left & at_left, same.right & at_right,
                                             same.up & at_edge << 1, same.down & at_edge >> 1);
    const measuring::CountWords<Bits> corners(same.up_left & at_left << 1, same.up_right & at_right << 1,
                                              same.down_left & at_left >> 1, same.down_right & at_right >> 1);
    return measuring::edge_kinds(at_edge, beside, corners);
  }
};

/// Adds the Euler number of `elements`, whose connectivity has the dimensions of `same`.
template <bool is_volume>
__device__ int euler_number(const SameAsAround<is_volume>& same, Bits elements, Connectivity connectivity) {
  const auto before = [&](int dx) -> SameColumn {
    if constexpr (!is_volume) return {};
    const Bits(&words)[3] = same.before[is_volume ? dx + 1 : 0];
    return {words[1], words[0], words[2]};
  };
  const SameColumn here{same.own, same.up, same.down}, left{same.left, same.up_left, same.down_left},
      right{same.right, same.up_right, same.down_right}, left_before = before(-1), here_before = before(0),
                                                         right_before = before(1);
  const measuring::EulerRows<SameColumn> rows{here, left, left_before, here_before, right_before, right};
  using enum Connectivity;
  if constexpr (is_volume) {
    if (connectivity == c6) return measuring::euler_number_of<c6>(rows, 0, elements);
    if (connectivity == c18) return measuring::euler_number_of<c18>(rows, 0, elements);
    return measuring::euler_number_of<c26>(rows, 0, elements);
  } else {
    return connectivity == c4 ? measuring::euler_number_of<c4>(rows, 0, elements)
                              : measuring::euler_number_of<c8>(rows, 0, elements);
  }
}

/// Removes the first elements of one label from `rest`, adds their coordinates to `part`, relative to the
/// tile, and returns them. `label_at(bit)`: the label of an element. `x`: the column in the tile.
template <bool is_volume, class LabelAt>
__device__ Bits take_label(Bits& rest, Bits down, unsigned x, const LabelAt& label_at,
                           runs::SumsPart<is_volume>& part) {
  using Values = runs::PartValues<is_volume>;
  Bits taken = 0;
  unsigned area = 0, sum = 0, square = 0;
  while (rest != 0) {
    const int bit = __ffs(static_cast<int>(rest)) - 1;
    const Label label = label_at(bit);
    if (taken != 0 && label != part.label) break;
    part.label = label;
    const Bits ends = rest & ~(down & rest >> 1), end = ends & (0u - ends);
    const Bits run = (end | (end - 1)) & ~((Bits{1} << bit) - 1);
    const auto n = static_cast<unsigned>(__popc(run)), first = static_cast<unsigned>(bit - 1);
    const unsigned steps = n * (n - 1) / 2;  // 0 + 1 + ... + n - 1
    area += n;
    sum += n * first + steps;
    square += (n * first + 2 * steps) * first + steps * (2 * n - 1) / 3;
    taken |= run;
    rest &= ~run;
  }
  part.values[Values::kArea] = area;
  part.values[Values::kSums] = area * x;
  part.values[Values::kSums + 1] = sum;
  part.values[Values::kMoments] = area * x * x;
  part.values[Values::kMoments + 1] = sum * x;
  part.values[Values::kMoments + 2] = square;
  return taken;
}

/// Counts of a part, three in a value while they are added up in a warp: 30 elements of a column and 32
/// columns make fewer than 2^10.
template <bool is_volume>
struct PackedCounts {
  using Values = runs::PartValues<is_volume>;
  static constexpr int kFirst = Values::kPerimeter, kCounts = Values::kEuler - kFirst, kEach = 3, kBits = 10;

  /// Returns a bit per value that is used in tiles of one slice, with packed counts. `around`: there are
  /// counts.
  GPUCCL_HD static constexpr std::uint32_t used(bool around) {
    std::uint32_t values = 1u << Values::kArea | 3u << Values::kSums | 7u << Values::kMoments;
    if (!around) return values;
    for (int i = 0; i < kCounts; i += kEach) values |= 1u << (kFirst + i / kEach);
    return values | 1u << Values::kEuler;
  }
  __device__ static void pack(unsigned (&values)[Values::kAll]) {
#pragma unroll
    for (int i = 0; i < kCounts; ++i) {
      const unsigned value = values[kFirst + i] << i % kEach * kBits;
      values[kFirst + i] = 0;
      values[kFirst + i / kEach] = (i % kEach == 0 ? 0 : values[kFirst + i / kEach]) | value;
    }
  }
  __device__ static void unpack(unsigned (&values)[Values::kAll]) {
#pragma unroll
    for (int i = kCounts - 1; i >= 0; --i)
      values[kFirst + i] = values[kFirst + i / kEach] >> i % kEach * kBits & ((1u << kBits) - 1);
  }
};

/// `around`: false if there are only moments.
template <class Id, bool is_volume, bool around>
__global__ void __launch_bounds__(kThreads, is_volume ? 5 : 1)
    gather_shapes(Rows<Id> labels, Extent extent, std::uint32_t largest, Connectivity connectivity,
                  runs::GlobalSums<is_volume> sums) {
  using Values = runs::PartValues<is_volume>;
  using Table = PartTable<runs::SharedSums<is_volume, kThreads>, 4>;
  __shared__ Table table;
  __shared__ Exchanged exchanged;
  const int t = static_cast<int>(threadIdx.x);
  table.clear(t);
  const int3 origin = Grid::origin(extent);  // of a grid that begins kLeft columns before the tile
  const int x = origin.x - kLeft, y = origin.y - 1, z = origin.z;
  SameAsAround<is_volume> same;
  const Column<Id> column(labels, extent, x, z), column_before(labels, extent, x, z - 1);
  const bool in_image = 1 <= y && y < extent.height - static_cast<int>(kWarp) && column.exist() &&
                        (!is_volume || !around || column_before.exist());
  if (__all_sync(kAllLanes, in_image))
    same.template compare<around, true>(column, column_before, largest, y);
  else if (__any_sync(kAllLanes, column.exists[1]))
    same.template compare<around, false>(column, column_before, largest, y);
  measuring::EdgeKinds<Bits> kinds{};
  const SumsLayout& layout = sums.layout;
  if constexpr (around) {
    exchanged.complete(same);
    if constexpr (!is_volume)
      if (layout.perimeter >= 0) kinds = exchanged.edge_kinds(same);
  }
  __syncthreads();  // the table is clear

  const int corner[3] = {origin.x - t, origin.y, origin.z};
  Bits rest = kLeft <= t && t < kLeft + kInner ? same.own & kInnerRows : 0;
  while (__any_sync(kAllLanes, rest != 0)) {
    runs::SumsPart<is_volume> part;
    if (rest != 0) {
      const Bits elements = take_label(
          rest, same.down, static_cast<unsigned>(t - kLeft),
          [&](int bit) { return static_cast<Label>(column.at(0, y + bit)); }, part);
      const auto count = [&](int i, Bits word) {
        part.values[i] = static_cast<unsigned>(__popc(word & elements));
      };
      if constexpr (!is_volume) {
        count(Values::kPerimeter, kinds.straight);
        count(Values::kPerimeter + 1, kinds.diagonal);
        count(Values::kPerimeter + 2, kinds.bent);
      }
      if (around && layout.crofton >= 0) {
        const auto count_pairs = [&]<const auto & directions, std::size_t... i>(std::index_sequence<i...>) {
          (count(Values::kCrofton + static_cast<int>(i), same.template in<directions[i]>()), ...);
        };
        constexpr std::make_index_sequence<Values::kDirections> kEach;
        if constexpr (is_volume)
          count_pairs.template operator()<measuring::kDirectionsOfVolume>(kEach);
        else
          count_pairs.template operator()<measuring::kDirectionsOfImage>(kEach);
      }
      if (around && layout.euler >= 0)
        part.values[Values::kEuler] = static_cast<unsigned>(euler_number(same, elements, connectivity));
    }
    using Packed = PackedCounts<is_volume>;
    if constexpr (around) Packed::pack(part.values);
    runs::add_up_in_warp<Packed::used(around)>(part);
    if constexpr (around) Packed::unpack(part.values);
    if (part.label != 0 && !table.add(part)) sums.add(part, corner);
  }
  __syncthreads();
  if (table.label[t] != 0) sums.add(table.part(t), corner);
}

/// All that derives values from sums.
struct ShapeFormulas {
  measuring::MomentFormulas moments;
  measuring::CroftonFormulas crofton = {};
  measuring::BorderFormulas border;
  SumsLayout layout;
  std::uint32_t missing[kMeasures / 32 + 1] =
      {};  // a bit per measure that labels of these dimensions do not have

  ShapeFormulas(const DeviceMeasuring& request, const SumsLayout& of) : layout(of) {
    const bool is_volume = is_3d(request.connectivity);
    const auto& spacing = request.spacing;
    const Extent extent = request.labels.extent;
    moments = {is_volume, {spacing[0], spacing[1], spacing[2]}};
    if (layout.crofton >= 0) crofton = measuring::CroftonFormulas(is_volume, spacing);
    border = {is_volume ? 3 : 2, {extent.width, extent.height, extent.depth}, {}};
    for (const Measure& measure : measures())
      if (has_shape(measure.id) && measure.in == (is_volume ? MeasuredIn::images : MeasuredIn::volumes))
        missing[static_cast<std::size_t>(measure.id) / 32] |= 1u << static_cast<std::size_t>(measure.id) % 32;
  }
};

__global__ void write_shapes(const DeviceComponent* components, const unsigned long long* words,
                             std::size_t count, CountedBits occurs, std::size_t rows, ColumnSet columns,
                             ShapeFormulas formulas) {
  const std::uint64_t i = ThreadLine<>::of_this_thread();
  if (i >= count) return;
  const DeviceComponent component = components[i];
  TableRow values{columns, row_of(component, i, occurs)};
  if (values.row >= rows) return;
  const SumsLayout& layout = formulas.layout;
  const unsigned long long* const sums = words + i * static_cast<unsigned>(layout.words);
  for (std::size_t id = 0; id < kMeasures; ++id)
    if ((formulas.missing[id / 32] >> id % 32 & 1u) != 0) values.at(id) = measuring::kNoValue;
  formulas.border.derive(component.min, component.max, values);
  if (layout.moments >= 0) {
    const auto product = [&](int k) { return sums[layout.moments + k]; };
    formulas.moments.derive(component.area, component.min, component.sum, product, values);
  }
  if (layout.perimeter >= 0) values[MeasureId::perimeter] = measuring::perimeter_of(sums + layout.perimeter);
  if (layout.crofton >= 0) formulas.crofton.derive(component.area, sums + layout.crofton, values);
  if (layout.euler >= 0)
    values[MeasureId::euler_number] = static_cast<double>(static_cast<long long>(sums[layout.euler]));
}

}  // namespace

bool has_shape(MeasureId id) {
  using enum MeasureId;
  return (moments_central_2_0 <= id && id <= sphericity) || id == euler_number ||
         (border_sides <= id && id <= percolates_z) ||
         (axis_major_length_physical <= id && id <= sphericity_physical);
}

ShapeSums::ShapeSums(const DeviceMeasuring& request, Arena& arena) {
  using enum MeasureId;
  const bool is_volume = is_3d(request.connectivity);
  const auto any_column = [&](const auto& is_wanted) {  // columns may have no addresses yet
    return std::any_of(request.columns.begin(), request.columns.end(), [&](const DeviceColumn& column) {
      return column.measure && is_wanted(*column.measure);
    });
  };
  wanted = any_column(has_shape);
  const auto place = [&](int& at, int count, bool needed) {
    if (!needed) return;
    at = layout.words;
    layout.words += count;
  };
  const auto wants = [&](MeasureId first, MeasureId last) {
    return any_column([&](MeasureId id) { return first <= id && id <= last; });
  };
  place(layout.moments, is_volume ? 6 : 3,
        wants(moments_central_2_0, flatness) || wants(axis_major_length_physical, flatness_physical));
  const auto longest = static_cast<std::uint64_t>(
      std::max({1, request.labels.extent.width, request.labels.extent.height, request.labels.extent.depth}));
  if (layout.moments >= 0 &&
      static_cast<std::uint64_t>(request.labels.extent.elements()) > ~std::uint64_t{0} / longest / longest)
    throw Error(ErrorCode::memory, "second moments of so many pixels are too large for the GPU engine");
  place(layout.perimeter, 3, !is_volume && wants(perimeter, perimeter));
  place(layout.crofton,
        is_volume ? measuring::CroftonFormulas::kInVolumes : measuring::CroftonFormulas::kInImages,
        wants(perimeter_crofton, sphericity) || wants(perimeter_crofton_physical, sphericity_physical));
  place(layout.euler, 1, wants(euler_number, euler_number));
  words = arena.take<unsigned long long>(std::size_t{request.largest} * static_cast<unsigned>(layout.words));
}

void enqueue_shapes(const DeviceMeasuring& request, const ShapeSums& sums, PhaseClock& phase) {
  if (sums.layout.words == 0) return;
  const std::size_t bytes =
      std::size_t{request.largest} * static_cast<unsigned>(sums.layout.words) * sizeof(*sums.words);
  check(cudaMemsetAsync(sums.words, 0, bytes, phase.stream()), "clearing sums of labels");
  const bool around = sums.layout.perimeter >= 0 || sums.layout.crofton >= 0 || sums.layout.euler >= 0;
  LaunchShape shape = Grid::shape(request.labels.extent);
  shape.block.x = kThreads;
  with_id(request.labels.type, [&]<class Id>(Id) {
    const auto run = [&]<bool is_volume, bool looks_around>() {
      phase("Shapes", gather_shapes<Id, is_volume, looks_around>, shape, Rows<Id>(request.labels),
            request.labels.extent, request.largest, request.connectivity,
            runs::GlobalSums<is_volume>{sums.words, sums.layout});
    };
    if (is_3d(request.connectivity))
      around ? run.template operator()<true, true>() : run.template operator()<true, false>();
    else
      around ? run.template operator()<false, true>() : run.template operator()<false, false>();
  });
}

void enqueue_shape_columns(const DeviceMeasuring& request, const ShapeSums& sums,
                           const DeviceComponent* components, const CountedBits& occurs,
                           const ColumnSet& columns, PhaseClock& phase) {
  if (!sums.wanted) return;
  phase("Write shapes", write_shapes, ThreadLine<>::shape(request.largest), components, sums.words,
        std::size_t{request.largest}, occurs, request.capacity, columns, ShapeFormulas(request, sums.layout));
}

}  // namespace gpuccl::cuda::tables
