#include <algorithm>
#include <cstring>

#include "cpu/runs/row_window.hpp"
#include "cpu/runs/value_labels.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

/// Writes elements [begin, end) of a row from its runs.
template <class T>
void draw_runs(std::span<const ValueRun> runs, std::int64_t begin, std::int64_t end, std::byte* to) {
  std::memset(to, 0, static_cast<std::size_t>(end - begin) * sizeof(T));
  const auto first =
      std::partition_point(runs.begin(), runs.end(), [&](const ValueRun& run) { return run.end <= begin; });
  for (auto run = first; run != runs.end() && run->begin < end; ++run) {
    const T value = value_from_bits<T>(run->value);
    const std::int64_t last = std::min<std::int64_t>(run->end, end);
    for (std::int64_t x = std::max<std::int64_t>(run->begin, begin); x < last; ++x)
      std::memcpy(to + static_cast<std::size_t>(x - begin) * sizeof(T), &value, sizeof value);
  }
}

}  // namespace

std::vector<Index> count_runs_before(const ValueImage& image) {
  const std::int64_t rows = image.extent().rows();
  std::vector<Index> before(static_cast<std::size_t>(rows) + 1);
  std::uint64_t sum = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    before[static_cast<std::size_t>(row)] = static_cast<Index>(sum);
    sum += image.row(row).size();
    if (sum > 0xffffffffu) throw Error(ErrorCode::data, "has more than 4294967295 runs of values");
  }
  before.back() = static_cast<Index>(sum);
  return before;
}

void draw_values(const ValueImage& image, std::int64_t row, std::size_t begin, std::size_t end,
                 std::byte* to) {
  if (const std::byte* const elements = image.elements(row)) {
    std::memcpy(to, elements + begin, end - begin);
    return;
  }
  with_type(image.type(), [&](auto value) {
    draw_runs<decltype(value)>(image.row(row), static_cast<std::int64_t>(begin / sizeof value),
                               static_cast<std::int64_t>(end / sizeof value), to);
  });
}

UninitializedVector<ValueBits> values_of_components(const ValueImage& image, const Label* label_of_run,
                                                    Label count) {
  UninitializedVector<ValueBits> values(count);
  Label next = 0;
  for (std::int64_t row = 0; row < image.extent().rows() && next < count; ++row)
    for (const ValueRun& run : image.row(row))
      if (*label_of_run++ == next + 1) values[next++] = run.value;
  return values;
}

}  // namespace gpuccl::cpu
