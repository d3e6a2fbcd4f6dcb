#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/bit_volume.hpp"
#include "gpuccl/components.hpp"
#include "gpuccl/connectivity.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/extent.hpp"
#include "gpuccl/labels.hpp"

// Out-of-core labeling of images larger than memory. Slabs are labeled twice: first to find the
// components, then to render them.
namespace gpuccl {

/// Slices [z0, z1) of a volume with all their rows, or rows [y0, y1) of one slice.
struct Slab {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;

  friend bool operator==(const Slab&, const Slab&) = default;
};

/// Returns the size of a slab.
inline Extent extent_of(const Slab& slab, Extent whole) {
  return {whole.width, slab.y1 - slab.y0, slab.z1 - slab.z0};
}

/// Cuts an image into the minimum number of slabs of at most `max_elements` elements, about equally
/// large. A slab has at least one slice of a volume with 3D connectivity, or one row otherwise.
std::vector<Slab> cut_into_slabs(Extent extent, Connectivity connectivity, std::int64_t max_elements);

/// Callbacks and limits for label_by_slabs().
struct SlabWork {
  /// Reads the bits of a slab into `out`, which has its size. Called in ascending order, and again
  /// from the first slab each time labels are rendered.
  std::function<void(const Slab& slab, BitVolume& out)> read;
  /// Labels a slab. Must be deterministic.
  std::function<Labeled(BitView slab)> label;
  /// Reads and labels a slab, instead of `read` and `label`. The labels must own the image.
  std::function<Labeled(const Slab& slab)> label_slab;
  /// Limit in bytes for the components of all slabs, which are more than those of the whole image.
  std::int64_t max_kept = INT64_MAX;
  /// If true, a slab that may have too many components according to most_components() is not labeled.
  /// Otherwise components are counted after labeling.
  bool looks_ahead = false;
};

/// Thrown if the components of all slabs exceed SlabWork::max_kept. Other slab sizes may succeed.
class TooManyComponents : public Error {
 public:
  using Error::Error;
};

/// Labels an image slab by slab. The result is identical to labeling it in one piece. Memory: one slab,
/// and 60 bytes per component of each slab. The returned labels keep `work` and repeat it; call
/// LabelSource::prepare() before rendering.
/// Throws TooManyComponents over `max_kept`, Error (data) if the input changes between passes.
Labeled label_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs, SlabWork work);

/// Labels an image in memory in slabs of half its elements, a quarter and so on, until `label` has
/// enough memory. Each slab is labeled once; the labels stay in memory and reference the image.
/// Throws Error (memory) if slabs would have fewer than `fewest` elements; other errors are passed on.
Labeled label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                               const std::function<Labeled(BitView slab)>& label);

}  // namespace gpuccl
