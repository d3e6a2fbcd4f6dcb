#include "cuda/device/bundle_word.cuh"
#include "cuda/phases/gather_runs.cuh"

namespace gpuccl::cuda {
namespace {

/// The elements where a run begins, of which it may have several in different rows, have one label.
template <cpu::RowSet set>
__global__ void gather_runs_kernel(BitRows bits, const Label* image, CountedBits starts, Label* labels) {
  const auto at = BundleWord<set>::mine(bits.extent);
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

void gather_runs(const Job& job, Connectivity connectivity, CountedBits starts, Label* labels,
                 PhaseClock& phase) {
  with_rows_of_bundle(connectivity, [&]<cpu::RowSet set>() {
    phase("GatherRuns", gather_runs_kernel<set>, BundleWord<set>::Grid::shape(job.bits.extent), job.bits,
          job.labels.data, starts, labels);
  });
}

}  // namespace gpuccl::cuda
