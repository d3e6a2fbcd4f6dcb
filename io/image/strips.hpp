#pragma once

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// Returns the number of strips in memory at a time: a few more than there are threads.
inline std::size_t strips_at_once() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency()) + 2;
}

/// Division of the rows of a volume into strips of about 1 MiB.
/// No strip crosses a slice boundary, unless strips have several slices: then each has the same rows of each
/// slice.
struct StripLayout {
  static constexpr std::int64_t kStripBytes = std::int64_t{1} << 20;

  Extent extent;
  std::int64_t row_bytes = 0;
  std::int64_t rows_per_strip = 1;
  std::int64_t strips_per_slice = 1;
  std::int64_t slices_per_strip = 1;
  std::size_t at_once;  // maximum number of strips in memory

  StripLayout(Extent volume, int bits_per_sample, std::size_t most_at_once = strips_at_once())
      : extent(volume),
        row_bytes((static_cast<std::int64_t>(volume.width) * bits_per_sample + 7) / 8),
        at_once(std::min(most_at_once, strips_at_once())) {
    rows_per_strip = std::clamp<std::int64_t>(kStripBytes / row_bytes, 1, extent.height);
    strips_per_slice = (extent.height + rows_per_strip - 1) / rows_per_strip;
  }

  std::int64_t count() const {
    return strips_per_slice * ((extent.depth + slices_per_strip - 1) / slices_per_strip);
  }
  std::int64_t index_in_slice(std::int64_t strip) const { return strip % strips_per_slice; }
  std::int64_t first_slice(std::int64_t strip) const { return strip / strips_per_slice * slices_per_strip; }
  std::int64_t slices(std::int64_t strip) const {
    return std::min(slices_per_strip, extent.depth - first_slice(strip));
  }
  /// Counted over all slices, as LabelRows::render does.
  std::int64_t first_row(std::int64_t strip) const {
    return first_slice(strip) * extent.height + index_in_slice(strip) * rows_per_strip;
  }
  std::int64_t rows_in_slice(std::int64_t strip) const {
    return std::min(rows_per_strip, extent.height - index_in_slice(strip) * rows_per_strip);
  }
  /// Returns the rows from the first to the last, including rows between them of other strips.
  std::int64_t rows(std::int64_t strip) const {
    return (slices(strip) - 1) * extent.height + rows_in_slice(strip);
  }
  std::size_t bytes(std::int64_t strip) const { return static_cast<std::size_t>(rows(strip) * row_bytes); }
};

/// Calls `make(slot, i)` for i in [0, count) in parallel, then `take(slot, i)` one after the other in order.
/// Slots are reused, so at most `tokens` strips are in memory.
template <class Slot, class Make, class Take>
void for_each_strip(std::int64_t count, Make make, Take take, std::size_t tokens = strips_at_once()) {
  // Items leave in order, so those under way are consecutive and never share a slot.
  std::vector<Slot> slots(tokens);
  const auto slot = [&](std::int64_t i) -> Slot& { return slots[static_cast<std::size_t>(i) % tokens]; };

  namespace tbb = oneapi::tbb;
  std::int64_t next = 0;
  const auto number = tbb::make_filter<void, std::int64_t>(tbb::filter_mode::serial_in_order,
                                                           [&](tbb::flow_control& control) -> std::int64_t {
                                                             if (next == count) control.stop();
                                                             return next == count ? count : next++;
                                                           });
  const auto produce =
      tbb::make_filter<std::int64_t, std::int64_t>(tbb::filter_mode::parallel, [&](std::int64_t i) {
        make(slot(i), i);
        return i;
      });
  const auto consume = tbb::make_filter<std::int64_t, void>(tbb::filter_mode::serial_in_order,
                                                            [&](std::int64_t i) { take(slot(i), i); });
  tbb::parallel_pipeline(tokens, number & produce & consume);
}

/// LabelRows::prepare, or null for samples that need no preparation.
using PrepareRows = std::function<std::int64_t(std::int64_t first_row, std::int64_t rows)>;

/// Strips [begin, end) of a layout.
struct StripRange {
  std::int64_t begin = 0, end = 0;
};

/// Processes strips of a volume whose rows must be prepared. Rows are prepared before `make` is called, and
/// no `make` runs during preparation.
template <class Slot, class Make, class Take>
void for_each_strip(const StripLayout& strips, StripRange range, const PrepareRows& prepare, Make make,
                    Take take) {
  for (std::int64_t begin = range.begin, end = 0; begin < range.end; begin = end) {
    const std::int64_t ready =
        prepare ? prepare(strips.first_row(begin), strips.rows(begin)) : strips.extent.rows();
    for (end = begin + 1; end < range.end && strips.first_row(end) + strips.rows(end) <= ready;) ++end;
    for_each_strip<Slot>(
        end - begin, [&](Slot& slot, std::int64_t i) { make(slot, begin + i); },
        [&](Slot& slot, std::int64_t i) { take(slot, begin + i); }, strips.at_once);
  }
}

template <class Slot, class Make, class Take>
void for_each_strip(const StripLayout& strips, const PrepareRows& prepare, Make make, Take take) {
  for_each_strip<Slot>(strips, StripRange{0, strips.count()}, prepare, make, take);
}

}  // namespace gpuccl::io
