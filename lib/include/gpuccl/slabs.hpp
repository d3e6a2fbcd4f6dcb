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

// Volumes larger than memory. They are labeled slab by slab, twice: the first time to learn which components
// there are, the second time to render them.
namespace gpuccl {

/// Slices [z0, z1) of a volume with all their rows, or rows [y0, y1) of one slice.
struct Slab {
  int z0 = 0, z1 = 0;
  int y0 = 0, y1 = 0;

  friend bool operator==(const Slab&, const Slab&) = default;
};

inline Extent extent_of(const Slab& slab, Extent whole) {
  return {whole.width, slab.y1 - slab.y0, slab.z1 - slab.z0};
}

/// As few slabs of at most `max_elements` elements as there can be, about equally large. A slab is never less
/// than a slice of a volume whose slices touch, or than a row of any other image.
std::vector<Slab> cut_into_slabs(Extent extent, Connectivity connectivity, std::int64_t max_elements);

struct SlabWork {
  /// Reads the bits of a slab into `out`, which has its size. Called slab by slab in ascending order, then
  /// again from the first, as often as labels are wanted.
  std::function<void(const Slab& slab, BitVolume& out)> read;
  /// Labels a slab, the same bits always in the same way.
  std::function<Labeled(BitView slab)> label;
  /// Both at once, in place of these two, where the labels own what they look at.
  std::function<Labeled(const Slab& slab)> label_slab;
  /// Bytes for what is kept of components found in single slabs, of which there are more than in the whole.
  std::int64_t max_kept = INT64_MAX;
  /// Whether a slab is left unlabeled that may have more components than can be kept, going by
  /// most_components(). Otherwise they are counted when they are there.
  bool looks_ahead = false;
};

/// More components than SlabWork::max_kept; larger slabs may have fewer, and so may smaller ones that leave
/// more memory for them.
class TooManyComponents : public Error {
 public:
  using Error::Error;
};

/// The labels and components of a whole that `slabs` are the parts of, the same as if it had been labeled at
/// once. Memory is that of one slab, and 60 bytes for each component of a slab. The labels keep `work` and
/// do it again; they need LabelSource::prepare(). TooManyComponents (memory) over `max_kept`, Error (data)
/// when an input has changed meanwhile.
Labeled label_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs, SlabWork work);

/// The same for an image in memory that is too large for `label`: slabs of at most half its elements, a
/// quarter and so on, until `label` has memory enough. Each is labeled once, and its labels stay in memory
/// as `label` returned them. Error (memory) if it would take slabs of less than `fewest` elements; other
/// errors go on. The labels look at the image.
Labeled label_in_smaller_parts(BitView image, Connectivity connectivity, std::int64_t fewest,
                               const std::function<Labeled(BitView slab)>& label);

}  // namespace gpuccl
