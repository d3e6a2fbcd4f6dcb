#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

// Images in pieces: slabs of one process, and parts of several.
#pragma GCC visibility push(default)
namespace gpuccl {

// Out-of-core labeling of images larger than memory. Slabs are labeled twice: first to find the
// components, then to render them.

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
  std::function<Labeling(BitView slab)> label;
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
/// LabelRows::prepare() before rendering.
/// Throws TooManyComponents over `max_kept`, Error (data) if the input changes between passes.
Labeling label_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs, SlabWork work);

// Multi-label images whose slabs or parts are labeled separately.

/// Boundary elements of a slab of an image with a delta: its first and last slice (or row), in native
/// byte order. Empty without a delta, because the value of a component is that of all its elements.
struct ValueFaces {
  ValueType type = ValueType::u8;
  double delta = 0;
  std::vector<std::byte> first, last;
};
/// Returns the boundary elements of `image`, which is that slab of the whole.
ValueFaces faces_of(const ValueImage& image, const Slab& slab, Extent whole, Connectivity connectivity);
/// A labeled slab, ready to be joined with others.
struct SlabSummary {
  Labeling labeled;
  UninitializedVector<ValueBits> values;  // one per component; empty for a binary image
  ValueFaces faces;
};

/// Labels a multi-label image slab by slab; the result is that of label_values(). `label` reads and
/// labels one slab of whole slices; it is called again when labels are rendered, as in
/// label_by_slabs(). `of_objects`: each value is one object, connected or not, as in label_by_value(), with
/// which `label` must label its slab. Throws as label_by_slabs().
ValueLabeling label_values_by_slabs(Extent extent, Connectivity connectivity, std::vector<Slab> slabs,
                                    std::function<SlabSummary(const Slab& slab)> label,
                                    std::int64_t max_kept = INT64_MAX, bool of_objects = false);

// Distributed labeling: parts of one image are labeled concurrently by several processes or hosts, and
// exchange what they know of components at their boundaries. The labels are those of the
// whole image. docs/internals/distributed.md explains the algorithm.
// Functions marked "collective" must be called by all parts, in the same order and with the same
// options.

/// Bytes that one part sends to another.
using Message = std::vector<std::byte>;

/// Communication of one part with the others. Any call throws if another part has failed or exited. Not
/// thread-safe: one thread per part. The default scan() and gather() go through part 0.
class PartLink {
 public:
  virtual ~PartLink() = default;
  /// Returns the index of this part, and the number of parts.
  virtual int part() const = 0;
  virtual int parts() const = 0;

  /// Sends a message without waiting for its receipt. Messages to one part arrive in order.
  virtual void send(int to, Message message) = 0;
  /// Waits for the next message of part `from`.
  virtual Message receive(int from) = 0;

  /// Exclusive prefix sum over the preceding parts, and the sum of all parts.
  struct Sums {
    std::uint64_t before = 0, all = 0;
  };
  /// Collective. Computes the prefix sum of `value`.
  virtual Sums scan(std::uint64_t value);
  /// Collective. Returns the messages of all parts, in their order.
  virtual std::vector<Message> gather(Message message);
};

/// The only part of an image that is not divided. The steps of parts then process the whole image at no extra
/// cost.
class SoloLink final : public PartLink {
 public:
  int part() const override { return 0; }
  int parts() const override { return 1; }
  /// Throws Error (internal), because there is no other part.
  void send(int to, Message message) override;
  Message receive(int from) override;
};

/// Cuts an image into `parts` ranges of about equal size: slices of a volume, rows of a single slice.
/// If there are more parts than these, the last ones are empty.
std::vector<Slab> cut_into_parts(Extent whole, int parts);
/// A slab with its own labels, and the final label of each (`numbers`; entry 0 is background).
struct SlabLabels {
  Slab slab;
  std::unique_ptr<LabelRows> labels;
  std::vector<Label> numbers;

  const Label* map() const { return numbers.empty() ? nullptr : numbers.data(); }
};

/// State of a part after unite_part(). A component belongs to the part that contains its first element.
struct PartResult {
  SlabLabels labels;
  Components components;                  // that belong to the part and remain; with LabelOrder::size, part 0
                                          // has all
  UninitializedVector<ValueBits> values;  // of these components, for a multi-label image
  UninitializedVector<ValueBits> values_of_labels;  // of the part's own labels, unless it is the only part
  MeasureTable measured;                            // of these components, if measured
  std::vector<std::uint64_t> nans;                  // NaN samples of these components, per image
  Label first = 0;            // label offset: these components have labels from first + 1 on
  Label count = 0;            // labels in the whole image
  std::uint64_t dropped = 0;  // components removed in the whole image
  std::uint64_t largest = 0;  // size of the largest component before the selection

  // With several parts, until the selection: final labels of components in this part that belong to earlier
  // parts, ascending, and final labels in its last slice or row.
  std::vector<Label> before;
  std::vector<Label> at_last;
};

/// Collective. Merges components across part boundaries and assigns final labels, after each part has
/// labeled its slab of cut_into_parts(). The result does not depend on the number of parts.
/// `values`: one per component, for a multi-label image; then equal values connect, or with a delta the
/// elements of `at_faces`.
/// Communication: O(log parts) rounds of messages, of the size of two boundary slices. Throws Error
/// (data) if there are more components than labels.
PartResult unite_part(PartLink& link, const Slab& slab, Extent whole, Connectivity connectivity,
                      Labeling labeled, UninitializedVector<ValueBits> values = {}, ValueFaces at_faces = {});

}  // namespace gpuccl
#pragma GCC visibility pop
