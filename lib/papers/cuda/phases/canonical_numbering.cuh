#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"
#include "papers/cuda/device/numbers.cuh"

namespace gpuccl::cuda {

/// Renumbering: finds the first element of each component, counts them, and writes labels 1..N in their
/// order.
///
/// Reads the bits of the image, and labels only where a component may begin.
class FirstElements {
 public:
  /// Allocates memory for images of this size. Not part of any phase.
  void reserve(const BitRows& bits);

  /// For algorithms on pixels: marks roots. A root is the first element of its component and has label index
  /// + 1.
  void mark_pixels(const LabelingBuffers& buffers, Connectivity connectivity, PhaseClock& phase);
  /// For algorithms on blocks, before FinalLabeling: marks first pixels. The root is the component's first
  /// block, which need not contain the first pixel. Moves the links of such roots to the first pixel.
  template <class Block>
  void mark_blocks(const LabelingBuffers& buffers, PhaseClock& phase);

  /// Counts marked elements, after which numbers() is valid on the device.
  void count(PhaseClock& phase);
  Numbers numbers() const { return {first_.bitmap().counted()}; }
  /// Returns the number of components. Waits only until the device has counted them.
  Label total(const Stream& stream) const { return static_cast<Label>(first_.total(stream)); }
  /// Returns the location of that number.
  const unsigned long long* count_on_host() const { return first_.bitmap().total.count; }

  /// Replaces labels that are the index of the first element + 1 by labels 1..N.
  void relabel(const LabelingBuffers& buffers, PhaseClock& phase) const;
  /// Clears the first pixels of moved roots, which are background. Call it after FinalLabeling with
  /// consecutive labels.
  void clear_moved(const LabelingBuffers& buffers, PhaseClock& phase) const;

 private:
  Word64* first() const { return reinterpret_cast<Word64*>(first_.bitmap().words); }

  std::uint64_t words_ = 0;
  BitmapMemory first_;              // one bit per element
  DeviceBuffer<Word64> elsewhere_;  // candidates for a first pixel outside of the root block
  DeviceBuffer<Word64> moved_;      // roots that were moved
};

}  // namespace gpuccl::cuda
