// Block-run-based labeling (BRB), 2D, 8-connectivity.
//
//   P. Chen, H. Zhao, C. Tao, H. Sang, "Block-run-based connected component labelling algorithm for GPGPU
//   using shared memory", Electronics Letters 47(24), 2011, doi:10.1049/el.2011.2941 (details as in the
//   authors' code in YACCLAB)
//
// The image is divided into partitions of a few rows of 2x2 blocks, one per thread block. FirstScan visits
// the rows downward with two of them in shared memory. It finds the groups of a row: runs of touching blocks
// that are connected, directly or through rows above. Each block is linked to the group of the next row that
// continues its own group. If there is none, the block is linked to the first block of its own group.
// SecondScan visits the rows upward and follows each link by one step. PartitionMerge merges the blocks on
// either side of a border between partitions.
//
// Runs are found with warp votes, so they are split at every 32nd block and merged there. The authors' code
// differs in three points. It finds groups by iterating until nothing changes, instead of with union-find. It
// merges partitions between the scans with one thread block, instead of after the scans with all threads. It
// supports images of up to 2,048 columns and 2^16 labels; here, the rows of wider images are in global memory
// instead of in shared memory.

#include "cuda/device/thread_grid.cuh"
#include "cuda/device/tile.cuh"
#include "papers/cuda/labelers/block_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {
namespace brb {
namespace {

constexpr int kPartitionRows = 4;  // of blocks
constexpr int kThreads = 512;
constexpr Label kNone = ~Label{0};

GPUCCL_HD constexpr int half(int pixels) { return pixels / 2 + pixels % 2; }

/// Rows of blocks that a thread block scans.
struct Partition {
  int first, last, z;

  GPUCCL_HD static unsigned a_slice(Extent extent) {
    return ceil_div(static_cast<unsigned>(half(extent.height)), kPartitionRows);
  }
  __device__ static Partition of_this_block(Extent extent) {
    const unsigned partitions = a_slice(extent);
    const int first = static_cast<int>(blockIdx.x % partitions) * kPartitionRows;
    return {first, min(first + kPartitionRows, half(extent.height)) - 1,
            static_cast<int>(blockIdx.x / partitions)};
  }
};

/// Calls visit(column) for this thread's columns of blocks. All lanes of a warp make the same number of
/// calls, so some visit columns beyond the last.
template <class Visit>
__device__ void for_each_column(int columns, Visit visit) {
  const int first = static_cast<int>(threadIdx.x), lane = first % static_cast<int>(kWarp);
  for (int column = first; column - lane < columns; column += kThreads) visit(column);
}

/// A row of blocks and the one above it.
class TwoRows {
 public:
  static constexpr int kShared = 1024;  // blocks per row that fit in shared memory
  static constexpr int kArrays = 8;     // each with one label per block

  __device__ TwoRows(Label* memory, ImageRef<const Pixel> image, ImageRef<Label> labels, int z)
      : image_(image), labels_(labels), columns_(half(image.extent.width)), z_(z) {
    forest_ = memory;
    down_ = memory + 2 * columns_;
    groups_ = memory + 4 * columns_;
    groups_above_ = memory + 5 * columns_;
    least_ = memory + 6 * columns_;
    least_above_ = memory + 7 * columns_;
  }

  /// Finds the groups of the next row, and links the blocks of the row above to them.
  __device__ void scan(int row, bool has_above) {
    find_runs(row);
    __syncthreads();
    unite_runs(row, has_above);
    __syncthreads();
    name_groups();
    __syncthreads();
    if (has_above) link_blocks_above(row);
    for_each_column(columns_, [&](int column) {
      if (is_block(groups_, column)) store(groups_ + column, group_of(own_node(load(groups_ + column))));
    });
    __syncthreads();
    swap(groups_, groups_above_);
    swap(least_, least_above_);
  }

  /// Links the blocks of the last row, whose groups end.
  __device__ void end(int row) const {
    for_each_column(columns_, [&](int column) {
      if (column >= columns_) return;
      const Label group = load(groups_above_ + column);
      link(row, column, group == kNone ? node(row, column) : load(least_above_ + group));
    });
  }

 private:
  __device__ static Label load(const Label* p) { return SharedByBlock::load(p); }
  __device__ static void store(Label* p, Label v) { SharedByBlock::store(p, v); }
  __device__ static void swap(Label*& a, Label*& b) {
    Label* const was = a;
    a = b;
    b = was;
  }

  __device__ bool is_block(const Label* groups, int column) const {
    return column < columns_ && load(groups + column) != kNone;
  }
  __device__ Index node(int row, int column) const { return labels_.index(2 * column, 2 * row, z_); }
  __device__ void link(int row, int column, Index to) const {
    SharedByThreads::store(labels_.data + node(row, column), ZeroBased::pack(to));
  }
  /// Nodes of the forest: first the groups of the row above, then the runs of this one.
  __device__ Index own_node(Label run) const { return static_cast<Index>(columns_) + run; }
  __device__ Label group_of(Index forest_node) const { return load(down_ + forest().find(forest_node)); }
  __device__ TileForest forest() const { return TileForest(forest_); }
  __device__ Window touching(int row, int column) const {
    return column < columns_ ? touching_pixels(image_, Block2x2{2 * column, 2 * row, z_}) : 0;
  }

  /// Finds runs. A run is identified by the column of its first block.
  __device__ void find_runs(int row) const {
    for_each_column(columns_, [&](int column) {
      const Window window = touching(row, column);
      const int lane = column % static_cast<int>(kWarp);
      const bool starts = lane == 0 || (window & kS) == 0;
      const unsigned starts_before = __ballot_sync(kAllLanes, starts) << (31 - lane);
      if (column >= columns_) return;
      const Label run = static_cast<Label>(column - __clz(static_cast<int>(starts_before)));
      store(groups_ + column, of_block(window) != 0 ? run : kNone);
      store(least_ + column, node(row, column));
      forest().make_set(static_cast<Index>(column));
      forest().make_set(own_node(static_cast<Label>(column)));
      store(down_ + column, kNone);
      store(down_ + columns_ + column, kNone);
    });
  }

  __device__ void unite_runs(int row, bool has_above) const {
    for_each_column(columns_, [&](int column) {
      if (!is_block(groups_, column)) return;
      const Window window = touching(row, column);
      const Index run = own_node(load(groups_ + column));
      const auto with_group_above = [&](int other) { forest().unite(run, load(groups_above_ + other)); };
      if (has_above) {
        if (window & kP) with_group_above(column - 1);
        if (window & kQ) with_group_above(column);
        if (window & kR) with_group_above(column + 1);
      }
      if (window & kS && column % static_cast<int>(kWarp) == 0)
        forest().unite(run, own_node(load(groups_ + column - 1)));
    });
  }

  /// Identifies each group of this row by the column of its first run.
  __device__ void name_groups() const {
    for_each_column(columns_, [&](int column) {
      const auto run = static_cast<Label>(column);
      if (is_block(groups_, column) && load(groups_ + column) == run)
        SharedByBlock::fetch_min(down_ + forest().find(own_node(run)), run);
    });
  }

  __device__ void link_blocks_above(int row) const {
    for_each_column(columns_, [&](int column) {
      if (column >= columns_) return;
      const Label group = load(groups_above_ + column);
      const Label next = group == kNone ? kNone : group_of(group);
      if (group == kNone) {
        link(row - 1, column, node(row - 1, column));
      } else if (next == kNone) {
        link(row - 1, column, load(least_above_ + group));
      } else {
        link(row - 1, column, node(row, static_cast<int>(next)));
        if (group == static_cast<Label>(column))
          SharedByBlock::fetch_min(least_ + next, load(least_above_ + group));
      }
    });
  }

  ImageRef<const Pixel> image_;
  ImageRef<Label> labels_;
  int columns_, z_;
  Label* forest_;
  Label* down_;                    // per root of the forest: the group of this row that contains the tree
  Label *groups_, *groups_above_;  // per block: its run or group; kNone: background
  Label *least_, *least_above_;    // per group: its first block in all rows so far
};

__global__ void first_scan(ImageRef<const Pixel> image, ImageRef<Label> labels, Label* rows) {
  __shared__ Label shared[TwoRows::kArrays * TwoRows::kShared];
  const std::size_t columns = static_cast<std::size_t>(half(image.extent.width));
  Label* const memory = columns <= TwoRows::kShared ? shared : rows + blockIdx.x * TwoRows::kArrays * columns;
  const Partition part = Partition::of_this_block(image.extent);
  TwoRows two_rows(memory, image, labels, part.z);
  for (int row = part.first; row <= part.last; ++row) two_rows.scan(row, row > part.first);
  two_rows.end(part.last);
}

__global__ void second_scan(ImageRef<Label> labels) {
  const Partition part = Partition::of_this_block(labels.extent);
  const int columns = half(labels.extent.width);
  for (int row = part.last - 1; row >= part.first; --row) {
    for_each_column(columns, [&](int column) {
      if (column >= columns) return;
      Label* const own = &labels(2 * column, 2 * row, part.z);
      const Index to = ZeroBased::unpack(SharedByThreads::load(own));
      if (to > labels.index(2 * column, 2 * row, part.z))  // in the row below
        SharedByThreads::store(own, SharedByThreads::load(labels.data + to));
    });
    __syncthreads();
  }
}

/// One thread per block in the first rows of partitions.
using BorderThread = ThreadGrid<2, 2 * kPartitionRows, 1, 32, 4>;

__global__ void partition_merge(ImageRef<const Pixel> image, ImageRef<Label> labels) {
  const int3 at = BorderThread::origin(image.extent);
  const Block2x2 X{at.x, at.y, at.z};
  if (!X.inside(image.extent) || X.y == 0) return;

  const BlockForest forest{labels.data};
  const Window touching = touching_pixels(image, X);
  Index node = X.node(labels);
  if (touching & kP) node = forest.unite(node, X.node(labels, -1, -1));
  if (touching & kQ) node = forest.unite(node, X.node(labels, 0, -1));
  if (touching & kR) forest.unite(node, X.node(labels, 1, -1));
}

// ---- host

class Brb final : public BlockLabeler<Block2x2, PixelsFromImage> {
  using BlockLabeler::BlockLabeler;

  static unsigned partitions(Extent extent) {
    return Partition::a_slice(extent) * static_cast<unsigned>(extent.depth);
  }

  void reserve_maps(const LabelingBuffers& buffers) override {
    const auto columns = static_cast<std::size_t>(half(buffers.image.extent.width));
    if (columns > TwoRows::kShared)
      rows_.reserve(partitions(buffers.image.extent) * TwoRows::kArrays * columns,
                    "allocating rows of blocks");
  }

  void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) override {
    const Extent extent = buffers.image.extent;
    const LaunchShape a_partition_each{dim3(partitions(extent)), dim3(kThreads)};

    phase("FirstScan", first_scan, a_partition_each, buffers.image, buffers.labels, rows_.data());
    phase("SecondScan", second_scan, a_partition_each, buffers.labels);
    phase("PartitionMerge", partition_merge, BorderThread::shape(extent), buffers.image, buffers.labels);
    phase("Compression", compression<Block2x2, Compression::at_end>, Block2x2::Grid::shape(extent),
          buffers.labels);
  }

  DeviceBuffer<Label> rows_;
};

}  // namespace
}  // namespace brb

Variants brb_variants() { return {variant<brb::Brb, Connectivity::c8>()}; }

}  // namespace gpuccl::cuda
