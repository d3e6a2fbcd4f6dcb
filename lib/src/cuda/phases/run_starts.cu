#include "cuda/device/bundle_word.cuh"
#include "cuda/phases/run_starts.cuh"

namespace gpuccl::cuda {
namespace {

template <cpu::RowSet set>
__global__ void mark_runs(BitRows bits, Word64* starts) {
  let_next_launch_begin();
  const auto at = BundleWord<set>::of_this_thread(bits.extent);
  if (!at.inside(bits)) return;

  Word64 word = 0, left = 0;
  at.for_each_row(bits, [&](std::uint64_t i) {
    word |= bits.words[i];
    if (at.column > 0) left |= bits.words[i - 1];
  });
  starts[at.index(bits)] = word & ~(word << 1 | left >> 63);
}

}  // namespace

void RunStarts::reserve(const BitRows& bits, Connectivity connectivity) {
  const cpu::RowSet set = cpu::rows_of_bundle(connectivity);
  const auto bundles = [](int rows, int of_bundle) {
    return std::uint64_t{ceil_div(unsigned(rows), unsigned(of_bundle))};
  };
  words_ = bundles(bits.extent.height, cpu::height_of(set)) * bundles(bits.extent.depth, cpu::depth_of(set)) *
           bits.words_a_row;
  starts_.reserve(static_cast<std::int64_t>(2 * words_), "allocating for runs");
}

void RunStarts::find(const BitRows& bits, Connectivity connectivity, PhaseClock& phase) {
  starts_.expect_next();
  const Bitmap starts = starts_.bitmap();
  clear_padding(starts, phase.stream());
  clear_progress(starts, phase.stream());
  with_rows_of_bundle(connectivity, [&]<cpu::RowSet set>() {
    phase("MarkRuns", mark_runs<set>, BundleWord<set>::Grid::shape(bits.extent), bits,
          reinterpret_cast<Word64*>(starts.words));
  });
  count_bits("CountRuns", starts, phase);
}

namespace {

/// Gathers one label per run of a bundle. A run's elements, in several rows, all have the same label.
template <cpu::RowSet set>
__global__ void gather_runs_kernel(BitRows bits, const Label* image, CountedBits starts, Label* labels) {
  const auto at = BundleWord<set>::of_this_thread(bits.extent);
  if (!at.inside(bits)) return;

  const std::uint64_t index = at.index(bits);
  const Word64 begin = reinterpret_cast<const Word64*>(starts.words)[index];
  if (begin == 0) return;
  const int first = __ffsll(static_cast<long long>(begin)) - 1;
  Label* const of_word = labels + starts.up_to(64 * index + static_cast<unsigned>(first)) - 1;
  Word64 rest = begin;
  at.for_each_row(bits, [&](std::uint64_t i) {
    const Word64 here = rest & bits.words[i];
    rest &= ~here;
    for_each_bit(here, [&](int bit) {
      of_word[__popcll(begin & ((Word64{1} << bit) - 1))] = image[64 * i + static_cast<unsigned>(bit)];
    });
  });
}

}  // namespace

void gather_runs(const LabelingBuffers& buffers, Connectivity connectivity, CountedBits starts, Label* labels,
                 PhaseClock& phase) {
  with_rows_of_bundle(connectivity, [&]<cpu::RowSet set>() {
    phase("GatherRuns", gather_runs_kernel<set>, BundleWord<set>::Grid::shape(buffers.bits.extent),
          buffers.bits, buffers.labels.data, starts, labels);
  });
}

}  // namespace gpuccl::cuda
