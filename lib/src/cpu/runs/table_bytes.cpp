#include <algorithm>

#include "common/threads_at_work.hpp"
#include "cpu/algorithms.hpp"
#include "cpu/runs/bundle_runs.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

template <class S>
std::int64_t bytes_of(Extent extent) {
  const std::int64_t words = words_per_row(extent.width) / 2;
  const std::int64_t per_layer = (std::int64_t{extent.height} + height_of(S::rows) - 1) / height_of(S::rows);
  const std::int64_t layers = (std::int64_t{extent.depth} + depth_of(S::rows) - 1) / depth_of(S::rows);
  const std::int64_t bundles = per_layer * layers;
  const std::int64_t runs = bundles * ((std::int64_t{extent.width} + 1) / 2);

  const std::int64_t of_runs = runs * std::int64_t{2 * sizeof(Label)};  // links and labels
  const std::int64_t of_bundles = (bundles + 1) * std::int64_t{sizeof(Index)};
  const std::int64_t row_of_zeros = words * std::int64_t{sizeof(Word)};
  const std::int64_t of_recent = BundleRuns::together<S>(per_layer, layers) *
                                 (words * BundleRuns::bytes_of_word<S> + std::int64_t{sizeof(BundleRuns)});
  return of_runs + of_bundles + row_of_zeros + of_recent * threads_at_work();
}

}  // namespace

std::int64_t runs_table_bytes(Connectivity connectivity, Extent extent) {
  switch (connectivity) {
    case Connectivity::c4:
      return bytes_of<Shape<Connectivity::c4>>(extent);
    case Connectivity::c8:
      return bytes_of<Shape<Connectivity::c8>>(extent);
    case Connectivity::c6:
      return bytes_of<Shape<Connectivity::c6>>(extent);
    case Connectivity::c18:
      return bytes_of<Shape<Connectivity::c18>>(extent);
    case Connectivity::c26:
      return bytes_of<Shape<Connectivity::c26>>(extent);
  }
  throw Error(Failure::usage, "no such connectivity");
}

}  // namespace gpuccl::cpu
