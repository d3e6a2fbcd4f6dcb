#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Image properties and engine of one labeling.
struct LabelWork {
  Extent extent;
  Connectivity connectivity = Connectivity::c8;
  EngineOptions engine;
  bool selects = false;            // components are filtered or sorted
  bool wraps = false;              // components across periodic borders are united
  bool labels_background = false;  // also labels the background, for holes or cavities
  MeasureRequest measures = {};
  std::optional<ValueType> values = {};  // of a label map
  double delta = 0;
  bool by_object = false;    // each value is one component
  bool sums_values = false;  // the components of each value are counted
};

/// Plan for labeling an input within a memory limit.
struct MemoryPlan {
  std::vector<Slab> slabs;    // empty: all at once
  double slab_bytes = 0;      // upper bound for labeling one of them
  std::int64_t max_kept = 0;  // bytes of the components of all slabs
  int halvings = 0;           // how often the whole was halved
  double start_up_ms = 0;     // until the driver has told the memory of the GPU
};

/// Returns an upper bound of the host memory for labeling at once, without components.
double bytes_at_once(const LabelWork& work);

/// Returns the bytes of an image that was labeled at once, and of its labels, while they are written.
double bytes_of_labels(const LabelWork& work, std::int64_t runs);

/// Returns an upper bound of the bytes of at most `most` components.
double bytes_of_components(const LabelWork& work, std::int64_t most);

/// Plans from the header alone. `memory`: bytes of the host, of which `held` are already in use. The memory
/// of the GPU, if one is used, limits slabs too. Error (memory) if not even the smallest slab fits.
MemoryPlan plan_memory(const LabelWork& work, std::int64_t memory, std::int64_t held);

/// Plans the largest slabs that fit, for an image whose components may not fit in addition to it: there are
/// no more than `most`.
MemoryPlan plan_large_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                            std::int64_t most = 0);

/// Returns the next plan if there were too many components: smaller slabs, which leave more memory for
/// components. Smaller slabs have more components in total, because each counts its own. None if slabs
/// cannot be smaller; slabs of label maps have whole slices, unless values are objects.
std::optional<MemoryPlan> plan_smaller_slabs(const LabelWork& work, std::int64_t memory, std::int64_t held,
                                             const MemoryPlan& than);

/// Returns whether an image that is labeled at once fits, with at most `most` components (by default, the
/// maximum possible).
bool components_fit(const LabelWork& work, std::int64_t memory, std::int64_t most = INT64_MAX);

/// Returns the number of objects that fit in addition to an image that is labeled at once.
std::int64_t most_that_fit(const LabelWork& work, std::int64_t memory);

/// Memory of one labeling: named claims, and the limit that they are compared with.
class MemoryBudget {
 public:
  /// Bytes beyond the limit that are always allowed.
  static constexpr std::int64_t kInAnyCase = std::int64_t{24} << 20;
  /// Bytes for strips of common images.
  static constexpr double kWriteBuffers = 8 << 20;

  /// Upper bounds in bytes, from what is known so far.
  struct Claims {
    double input = 0;       // that stays in memory: of a pipe, of intensity images; and buffers of decoders
    double labeling = 0;    // image, tables, and samples counted for percentiles, while it is labeled at once
    double labels = 0;      // the part of it that remains while labels are written; or a slab with its labels
    double components = 0;  // columns of all components, and their measures once these are known
    double contacts = 0;    // rows in which contacts are found
    double strip = 0;       // one strip of the label image
    double preview = 0;     // rows of the preview
  };
  Claims claims;

  explicit MemoryBudget(std::int64_t limit = INT64_MAX) : limit_(limit) {}

  std::int64_t limit() const { return limit_; }
  /// Returns the bytes that labeling may use while jobs share the memory; 0 until known.
  std::int64_t allowed() const { return allowed_; }
  void allow(std::int64_t bytes) { allowed_ = std::min(bytes, limit_); }
  bool is_shared() const { return allowed_ < limit_; }

  // Bytes of consecutive steps:

  /// Writing, with this number of strips in memory.
  double writing(std::size_t strips) const { return claims.labels + claims.components + output(strips); }
  double finding_contacts() const { return writing(0) + claims.contacts; }
  /// All steps of an image that is labeled at once, by its header.
  double expected() const { return claims.labeling + claims.components + claims.contacts; }
  /// Returns the peak after the image has been read.
  double at_once() const {
    return std::max({claims.labeling + claims.components, writing(1) - kWriteBuffers, finding_contacts()});
  }

  /// Returns the bytes to reserve for `step`, with input and buffers; at most the limit.
  std::int64_t needed(double step) const {
    return static_cast<std::int64_t>(std::ceil(std::min(step + overhead(), static_cast<double>(limit_))));
  }
  /// Returns whether allowed() is enough for `step`, input and buffers.
  bool allows(double step) const { return step + overhead() <= static_cast<double>(allowed_); }
  /// Returns whether `step` fits into the limit, or exceeds it by at most kInAnyCase.
  bool fits(double step) const { return step <= static_cast<double>(limit_ + kInAnyCase); }
  bool can_write(std::size_t strips = 1) const { return fits(writing(strips)); }
  /// Throws Error (memory) if `step` does not fit. `work`: in words, as in "to find contacts".
  void check_fits(double step, const std::string& work) const;

  /// Returns the number of strips that may be in memory at a time, at least one.
  std::size_t strips_at_once() const {
    const double one = output(1);
    const double left = static_cast<double>(allowed_) - writing(1);
    return one > 0 && left > 0 ? 1 + static_cast<std::size_t>(left / one) : 1;
  }
  /// Returns the part of the limit that slabs leave for contacts or outlines, whose size is known only after
  /// labeling.
  std::int64_t reserved_for_results() const {
    constexpr std::int64_t kShare = 4;
    return std::max<std::int64_t>(0, limit_ / kShare - kInAnyCase);
  }
  /// Returns the bytes of the limit, or of `memory`, that results such as contacts may use in addition to
  /// `step`.
  std::int64_t left_after(double step) const { return left_after(step, limit_); }
  static std::int64_t left_after(double step, std::int64_t memory) {
    return std::max(kInAnyCase, memory - static_cast<std::int64_t>(std::ceil(step)));
  }

 private:
  double output(std::size_t strips) const {
    return std::max(static_cast<double>(strips) * claims.strip, claims.preview);
  }
  double overhead() const { return kWriteBuffers + claims.input; }

  std::int64_t limit_, allowed_ = 0;
};

}  // namespace gpuccl::app
