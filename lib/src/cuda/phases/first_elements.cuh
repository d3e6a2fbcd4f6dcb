#pragma once

#include "cuda/device/numbers.cuh"
#include "cuda/phases/counted_bitmap.cuh"
#include "cuda/phases/job.cuh"
#include "cuda/runtime/device_buffer.hpp"
#include "cuda/runtime/phase_clock.cuh"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda {

/// Renumbering: finds the first element of every component, counts, and writes labels 1..N in their order.
///
/// What is looked at are bits of the input; labels are read only where a component may begin.
class FirstElements {
 public:
  /// Memory for images of this size. Not part of any phase.
  void reserve(const BitRows& bits);

  /// For algorithms that label pixels: the root of a component is its first element and has label index + 1.
  void mark_pixels(const Job& job, Connectivity connectivity, PhaseClock& phase);
  /// For algorithms that label blocks, before FinalLabeling: the root is the first block, where the first
  /// pixel need not be. Moves the links of such roots to the first pixel.
  template <class Block>
  void mark_blocks(const Job& job, PhaseClock& phase);

  /// After marking: makes numbers() valid on the device.
  void count(PhaseClock& phase);
  Numbers numbers() const { return {first_.bitmap().counted()}; }
  /// Number of components. Waits no longer than for the device to have counted.
  Label total(const Stream& stream) const { return static_cast<Label>(first_.total(stream)); }
  /// Where the device leaves it.
  const unsigned long long* count_on_host() const { return first_.bitmap().total.count; }

  /// Turns labels that are the index of the first element + 1 into numbers.
  void relabel(const Job& job, PhaseClock& phase) const;
  /// After FinalLabeling with numbers: the first pixel of moved roots is background.
  void clear_moved(const Job& job, PhaseClock& phase) const;

 private:
  Word64* first() const { return reinterpret_cast<Word64*>(first_.bitmap().words); }

  std::uint64_t words_ = 0;
  BitmapMemory first_;              // one bit an element
  DeviceBuffer<Word64> elsewhere_;  // candidates for a first pixel outside of the root block
  DeviceBuffer<Word64> moved_;      // roots that were moved
};

}  // namespace gpuccl::cuda
