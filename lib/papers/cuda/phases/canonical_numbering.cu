#include "cuda/device/memory.cuh"
#include "cuda/device/thread_grid.cuh"
#include "papers/cuda/phases/canonical_numbering.cuh"

namespace gpuccl::cuda {
namespace {

using Line = ThreadLine<>;          // one thread per word of bits, or per four elements
constexpr Label kNone = ~Label{0};  // larger than any index

template <Connectivity connectivity>
__global__ void mark_first_pixels(BitRows bits, const Label* labels, Word64* first) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= bits.count()) return;

  const Index word_begin = static_cast<Index>(64 * i);
  Word64 roots = 0;
  for_each_bit(elements_without_predecessor<connectivity>(bits, WordPlace::at(bits, i)), [&](int bit) {
    const Index element = word_begin + static_cast<Index>(bit);
    if (labels[element] == element + 1) roots |= Word64{1} << bit;
  });
  first[i] = roots;
}

// ---- blocks: X is the block of an element, r the root block of its component

/// A root block, located from its node.
template <class Block>
struct RootBlock {
  Index node;
  Index x, y, z;

  __device__ static RootBlock at(ImageRef<Label> labels, Index node) {
    const Index z = node / labels.slice_pitch;
    const Index in_slice = node - z * labels.slice_pitch;
    const Index y = in_slice / labels.pitch;
    return {node, in_slice - y * labels.pitch, y, z};
  }

  /// Returns the index of the block's first foreground pixel.
  __device__ Index first_pixel(const BitRows& bits, ImageRef<Label> labels) const {
    for (Index dz = 0; dz < Block::kDepth && z + dz < static_cast<Index>(labels.extent.depth); ++dz)
      for (Index dy = 0; dy < 2 && y + dy < static_cast<Index>(labels.extent.height); ++dy) {
        const Index row = node + dz * labels.slice_pitch + dy * labels.pitch;
        if (const unsigned pair = bits.pair(row); pair != 0) return row + (pair & 1u ? 0 : 1);
      }
    return kNone;
  }

  /// Returns a pixel of the block that contains neither a link nor information (BlockInfoStore), if other
  /// blocks may have a pixel before this block's first one. The minimum is computed there.
  __device__ Label* earliest(ImageRef<Label> labels) const {
    Label* const link = labels.data + node;
    if (x + 1 == static_cast<Index>(labels.extent.width)) return link + 1;  // padding
    return y + 1 < static_cast<Index>(labels.extent.height) ? link + labels.pitch : link + labels.slice_pitch;
  }
};

template <class Block>
__device__ Index node_of(ImageRef<Label> labels, WordPlace at, int bit) {
  return Block::of_pixel(64 * at.column + bit, at.y, at.z).node(labels);
}

/// Returns false if `element` cannot precede a pixel of the root block. Only elements up to the end of the
/// root block's first row, in its last slice, can.
template <class Block>
__device__ bool may_precede(ImageRef<Label> labels, Index element, Index root) {
  const std::uint64_t reach = labels.pitch + (Block::kDepth == 1 ? 0 : std::uint64_t{labels.slice_pitch});
  return element - root < reach;
}

template <class Block, Connectivity connectivity>
__global__ void mark_first_in_blocks(BitRows bits, ImageRef<Label> labels, Word64* first, Word64* elsewhere,
                                     Word64* moved) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= bits.count()) return;

  const WordPlace at = WordPlace::at(bits, i);
  const Index word_begin = static_cast<Index>(64 * i);
  Word64 in_root = 0, in_others = 0;
  for_each_bit(elements_without_predecessor<connectivity>(bits, at), [&](int bit) {
    const Index element = word_begin + static_cast<Index>(bit);
    const Index node = node_of<Block>(labels, at, bit);
    const Index root = labels.data[node];
    if (root == node) {
      in_root |= Word64{1} << bit;
    } else if (may_precede<Block>(labels, element, root)) {
      const auto block = RootBlock<Block>::at(labels, root);
      if (element > block.first_pixel(bits, labels)) return;
      in_others |= Word64{1} << bit;
      SharedByThreads::store(block.earliest(labels), kNone);
    }
  });
  first[i] = in_root;
  elsewhere[i] = in_others;
  moved[i] = 0;
}

template <class Block>
__global__ void find_earliest(BitRows bits, ImageRef<Label> labels, const Word64* elsewhere) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= bits.count() || elsewhere[i] == 0) return;

  const WordPlace at = WordPlace::at(bits, i);
  for_each_bit(elsewhere[i], [&](int bit) {
    const Index root = labels.data[node_of<Block>(labels, at, bit)];
    atomicMin(RootBlock<Block>::at(labels, root).earliest(labels),
              static_cast<Index>(64 * i) + static_cast<Index>(bit));
  });
}

template <class Block>
__global__ void move_roots(BitRows bits, ImageRef<Label> labels, const Word64* elsewhere, Word64* first,
                           Word64* moved) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= bits.count() || elsewhere[i] == 0) return;

  const WordPlace at = WordPlace::at(bits, i);
  for_each_bit(elsewhere[i], [&](int bit) {
    const Index element = static_cast<Index>(64 * i) + static_cast<Index>(bit);
    const Index root = labels.data[node_of<Block>(labels, at, bit)];
    const auto block = RootBlock<Block>::at(labels, root);
    if (*block.earliest(labels) != element) return;
    const Index not_first = block.first_pixel(bits, labels);
    atomicAnd(first + not_first / 64, ~(Word64{1} << (not_first % 64)));
    atomicOr(first + i, Word64{1} << bit);
    atomicOr(moved + root / 64, Word64{1} << (root % 64));
    labels.data[root] = element;
  });
}

__global__ void clear_moved_roots(const Word64* moved, std::uint64_t words, Label* labels) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= words) return;

  for_each_bit(moved[i], [&](int bit) { labels[64 * i + static_cast<unsigned>(bit)] = 0; });
}

// ----

/// Relabels four elements per thread. Adjacent foreground elements have equal labels, so four elements have
/// at most two.
__global__ void relabel_kernel(const unsigned char* bits, uint4* labels, std::uint64_t quads,
                               Numbers number) {
  const std::uint64_t i = Line::of_this_thread();
  if (i >= quads) return;

  const unsigned foreground = __ldg(bits + i / 2) >> (4 * (i % 2)) & 0xfu;
  if (foreground == 0) return;

  uint4 quad = labels[i];
  Label* const of = &quad.x;
  Label last = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if ((foreground >> k & 1u) == 0) {
      last = 0;
      of[k] = 0;
    } else {
      if (last == 0) last = number(of[k] - 1);
      of[k] = last;
    }
  }
  labels[i] = quad;
}

}  // namespace

void FirstElements::reserve(const BitRows& bits) {
  constexpr const char* kDoing = "allocating for renumbering";
  words_ = bits.count();
  first_.reserve(static_cast<std::int64_t>(2 * words_), kDoing);
  elsewhere_.reserve(words_, kDoing);
  moved_.reserve(words_, kDoing);
}

void FirstElements::mark_pixels(const LabelingBuffers& buffers, Connectivity connectivity,
                                PhaseClock& phase) {
  using enum Connectivity;
  const auto kernel = connectivity == c4    ? mark_first_pixels<c4>
                      : connectivity == c8  ? mark_first_pixels<c8>
                      : connectivity == c6  ? mark_first_pixels<c6>
                      : connectivity == c18 ? mark_first_pixels<c18>
                                            : mark_first_pixels<c26>;
  phase("Renumber: mark", kernel, Line::shape(words_), buffers.bits, buffers.labels.data, first());
}

template <class Block>
void FirstElements::mark_blocks(const LabelingBuffers& buffers, PhaseClock& phase) {
  constexpr Connectivity kConnectivity = Block::kDepth == 1 ? Connectivity::c8 : Connectivity::c26;
  const LaunchShape shape = Line::shape(words_);
  phase("Renumber: mark", mark_first_in_blocks<Block, kConnectivity>, shape, buffers.bits, buffers.labels,
        first(), elsewhere_.data(), moved_.data());
  phase("Renumber: mark", find_earliest<Block>, shape, buffers.bits, buffers.labels, elsewhere_.data());
  phase("Renumber: mark", move_roots<Block>, shape, buffers.bits, buffers.labels, elsewhere_.data(), first(),
        moved_.data());
}

template void FirstElements::mark_blocks<Block2x2>(const LabelingBuffers&, PhaseClock&);
template void FirstElements::mark_blocks<Block2x2x2>(const LabelingBuffers&, PhaseClock&);

void FirstElements::count(PhaseClock& phase) {
  first_.expect_next();
  const Bitmap first = first_.bitmap();
  clear_padding(first, phase.stream());
  clear_progress(first, phase.stream());
  count_bits("Renumber: count", first, phase);
}

void FirstElements::relabel(const LabelingBuffers& buffers, PhaseClock& phase) const {
  const std::uint64_t quads = words_ * 16;
  phase("Renumber: write", relabel_kernel, Line::shape(quads),
        reinterpret_cast<const unsigned char*>(buffers.bits.words),
        reinterpret_cast<uint4*>(buffers.labels.data), quads, numbers());
}

void FirstElements::clear_moved(const LabelingBuffers& buffers, PhaseClock& phase) const {
  phase("Renumber: write", clear_moved_roots, Line::shape(words_), moved_.data(), words_,
        buffers.labels.data);
}

}  // namespace gpuccl::cuda
