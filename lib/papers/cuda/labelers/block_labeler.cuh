#pragma once

#include "papers/cuda/labelers/pixel_labeler.cuh"
#include "papers/cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {

/// Base of block-based algorithms. An algorithm implements link_blocks(): all phases before FinalLabeling,
/// after which the node of each block contains the root block's node. `Pixels`: the source from which
/// FinalLabeling gets a block's pixels.
template <class Block, class Pixels>
class BlockLabeler : public PixelLabeler {
 public:
  using PixelLabeler::PixelLabeler;

 protected:
  virtual void link_blocks(const LabelingBuffers& buffers, PhaseClock& phase) = 0;
  /// Allocates memory of the algorithm in addition to image and labels.
  virtual void reserve_maps(const LabelingBuffers&) {}

  BlockInfoStore info(const LabelingBuffers& buffers) const {
    return {buffers.labels, needs_spare_ ? spare_.data() : nullptr};
  }

 private:
  void reserve(const LabelingBuffers& buffers) final {
    needs_spare_ = BlockInfoStore::needs_spare<Block>(buffers.image.extent);
    if (needs_spare_)
      spare_.reserve(static_cast<std::size_t>(buffers.image.extent.depth), "allocating block information");
    reserve_maps(buffers);
  }

  void enqueue(const LabelingBuffers& buffers, PhaseClock& phase) final {
    link_blocks(buffers, phase);
    write_labels(buffers, phase, ProvisionalNumbers{});
  }

  void enqueue_numbered(const LabelingBuffers& buffers, PhaseClock& phase, FirstElements& first) final {
    link_blocks(buffers, phase);
    first.mark_blocks<Block>(buffers, phase);
    first.count(phase);
    write_labels(buffers, phase,
                 NumbersOfBlocks<Block>{first.numbers(),
                                        {buffers.labels.data, buffers.labels.extent, buffers.labels.pitch,
                                         buffers.labels.slice_pitch}});
    first.clear_moved(buffers, phase);
  }

  template <class NumberOf>
  void write_labels(const LabelingBuffers& buffers, PhaseClock& phase, const NumberOf& number_of) {
    phase("FinalLabeling", final_labeling<Block, Pixels, NumberOf>, Block::Grid::shape(buffers.image.extent),
          buffers.labels, Pixels{buffers.image, info(buffers)}, number_of);
  }

  DeviceBuffer<Label> spare_;
  bool needs_spare_ = false;
};

}  // namespace gpuccl::cuda
