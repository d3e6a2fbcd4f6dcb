#pragma once

#include "cuda/labelers/pixel_labeler.cuh"
#include "cuda/phases/block_phases.cuh"

namespace gpuccl::cuda {

/// Base of block-based algorithms. An algorithm implements link_blocks(): all phases before FinalLabeling,
/// after which the node of each block contains the root block's node. `Pixels`: the source from which
/// FinalLabeling gets a block's pixels.
template <class Block, class Pixels>
class BlockLabeler : public PixelLabeler {
 public:
  explicit BlockLabeler(int gpu)
      : PixelLabeler(gpu, Block::kDepth == 1 ? Connectivity::c8 : Connectivity::c26) {}

 protected:
  virtual void link_blocks(const Job& job, PhaseClock& phase) = 0;
  /// Allocates memory of the algorithm in addition to image and labels.
  virtual void reserve_maps(const Job&) {}

  BlockInfoStore info(const Job& job) const { return {job.labels, needs_spare_ ? spare_.data() : nullptr}; }

 private:
  void reserve(const Job& job) final {
    needs_spare_ = BlockInfoStore::needs_spare<Block>(job.image.extent);
    if (needs_spare_)
      spare_.reserve(static_cast<std::size_t>(job.image.extent.depth), "allocating block information");
    reserve_maps(job);
  }

  void enqueue(const Job& job, PhaseClock& phase) final {
    link_blocks(job, phase);
    write_labels(job, phase, ProvisionalNumbers{});
  }

  void enqueue_numbered(const Job& job, PhaseClock& phase, FirstElements& first) final {
    link_blocks(job, phase);
    first.mark_blocks<Block>(job, phase);
    first.count(phase);
    write_labels(
        job, phase,
        NumbersOfBlocks<Block>{
            first.numbers(), {job.labels.data, job.labels.extent, job.labels.pitch, job.labels.slice_pitch}});
    first.clear_moved(job, phase);
  }

  template <class NumberOf>
  void write_labels(const Job& job, PhaseClock& phase, const NumberOf& number_of) {
    phase("FinalLabeling", final_labeling<Block, Pixels, NumberOf>, Block::Grid::shape(job.image.extent),
          job.labels, Pixels{job.image, info(job)}, number_of);
  }

  DeviceBuffer<Label> spare_;
  bool needs_spare_ = false;
};

}  // namespace gpuccl::cuda
