#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gpuccl::app {

/// Memory of one labeling: named claims, and the limit that they are compared with.
class MemoryBudget {
 public:
  /// Bytes beyond the limit that are always allowed.
  static constexpr std::int64_t kInAnyCase = std::int64_t{24} << 20;
  /// Bytes for strips of common images.
  static constexpr double kWriteBuffers = 8 << 20;

  /// Upper bounds in bytes, from what is known so far.
  struct Claims {
    double held = 0;        // input that stays in memory: of a pipe, of intensity images
    double decoding = 0;    // buffers of decoders
    double labeling = 0;    // image and tables, while it is labeled at once
    double labels = 0;      // the part of it that remains while labels are written; or a slab with its labels
    double components = 0;  // columns of all components
    double measured = 0;    // sums of measures, without those of components
    double counts = 0;      // values of samples that are counted for percentiles
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
  double writing(std::size_t strips) const {
    return claims.labels + claims.components + claims.measured + output(strips);
  }
  double finding_contacts() const { return writing(0) + claims.contacts; }
  /// All steps of an image that is labeled at once, by its header.
  double expected() const { return claims.labeling + claims.components + claims.counts + claims.contacts; }
  /// Returns the peak after the image has been read.
  double at_once() const {
    return std::max({claims.labeling + claims.components + claims.counts, writing(1) - kWriteBuffers,
                     finding_contacts()});
  }

  /// Returns the bytes to reserve for `step`, with input and buffers; at most the limit.
  std::int64_t needed(double step) const {
    return static_cast<std::int64_t>(std::ceil(std::min(step + beside(), static_cast<double>(limit_))));
  }
  /// Returns whether allowed() is enough for `step`, input and buffers.
  bool allows(double step) const { return step + beside() <= static_cast<double>(allowed_); }
  /// Returns whether `step` fits into the limit, or exceeds it by at most kInAnyCase.
  bool fits(double step) const { return step <= static_cast<double>(limit_ + kInAnyCase); }
  bool can_write(std::size_t strips = 1) const { return fits(writing(strips)); }

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
  /// Returns the bytes that results such as contacts may use in addition to `step`.
  std::int64_t left_beside(double step) const {
    return std::max(kInAnyCase, limit_ - static_cast<std::int64_t>(std::ceil(step)));
  }
  /// Returns the bytes of `memory` that measuring may use in addition to the sums of components.
  std::int64_t left_to_measure(std::int64_t memory) const {
    return std::max(kInAnyCase, memory - static_cast<std::int64_t>(std::ceil(writing(0))));
  }

 private:
  double output(std::size_t strips) const {
    return std::max(static_cast<double>(strips) * claims.strip, claims.preview);
  }
  double beside() const { return kWriteBuffers + claims.decoding + claims.held; }

  std::int64_t limit_, allowed_ = 0;
};

}  // namespace gpuccl::app
