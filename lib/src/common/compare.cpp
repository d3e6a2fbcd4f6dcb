#include "gpuccl/compare.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace gpuccl {
namespace {

struct Difference {
  bool found = false;
  std::int64_t row = 0;
  int x = 0;
  Label a = 0, b = 0;

  void note(std::int64_t at_row, int at_x, Label in_a, Label in_b) {
    if (!found) *this = {true, at_row, at_x, in_a, in_b};
  }
};

/// Matches each value of one image with a value of the other.
class Partners {
 public:
  explicit Partners(std::int64_t max_bytes)
      : largest_array_(static_cast<std::size_t>(std::min(kLargestArray, max_bytes / kBytesInArray))),
        most_in_map_(static_cast<std::size_t>(max_bytes / 2 / kBytesInMap)) {}

  /// Returns true if `partner` is the only partner of `value` so far. 0 is a partner of nothing.
  bool agree(Label value, Label partner) {
    Label& known = value < array_.size() ? array_[value] : partner_of_new(value);
    if (known == 0) known = partner;
    return known == partner;
  }

 private:
  // An array that grows exists twice, and takes half of the memory at most.
  static constexpr std::int64_t kLargestArray = 1 << 26, kBytesInArray = 4 * sizeof(Label);
  static constexpr std::int64_t kBytesInMap = 64;

  Label& partner_of_new(Label value) {
    if (value < largest_array_) {
      array_.resize(std::min(largest_array_, std::max(2 * array_.size(), std::size_t{value} + 1)), 0);
      return array_[value];
    }
    Label& partner = map_[value];
    if (map_.size() > most_in_map_)
      throw Error(ErrorCode::memory, "has more labels than fit into memory; set a larger --memory");
    return partner;
  }

  std::size_t largest_array_, most_in_map_;
  std::vector<Label> array_;
  std::unordered_map<Label, Label> map_;  // values beyond the array
};

}  // namespace

double Comparison::dice() const {
  const double twice = 2.0 * static_cast<double>(common_foreground);
  const double sum = twice + static_cast<double>(other_foreground);
  return sum == 0 ? 1 : twice / sum;
}

Comparison compare(const LabelRows& a, const LabelRows& b, std::int64_t max_bytes) {
  Comparison result;
  const Extent extent = a.extent();
  if (extent != b.extent()) {
    result.same_extent = result.same_background = result.same_partition = result.same_numbers = false;
    return result;
  }

  constexpr std::int64_t kBlock = 1 << 20;  // elements rendered at once
  const std::int64_t rows_at_once =
      std::clamp<std::int64_t>(kBlock / std::max(extent.width, 1), 1, extent.rows() + 1);
  std::vector<Label> block_a(static_cast<std::size_t>(rows_at_once * extent.width)), block_b(block_a.size());
  Partners of_a(max_bytes / 2), of_b(max_bytes / 2);
  Difference partition, numbers;

  for (std::int64_t first = 0; first < extent.rows(); first += rows_at_once) {
    const std::int64_t rows = std::min(rows_at_once, extent.rows() - first);
    a.prepare(first, rows);
    b.prepare(first, rows);
    a.render(first, rows, block_a.data(), nullptr);
    b.render(first, rows, block_b.data(), nullptr);
    for (std::int64_t i = 0; i < rows * extent.width; ++i) {
      const Label in_a = block_a[static_cast<std::size_t>(i)];
      const Label in_b = block_b[static_cast<std::size_t>(i)];
      if (in_a == 0 && in_b == 0) continue;
      const std::int64_t row = first + i / extent.width;
      const int x = static_cast<int>(i % extent.width);
      if (in_a != in_b) numbers.note(row, x, in_a, in_b);
      if ((in_a == 0) != (in_b == 0)) {
        ++result.other_foreground;
        partition.note(row, x, in_a, in_b);
        continue;
      }
      ++result.common_foreground;
      if (!of_a.agree(in_a, in_b) || !of_b.agree(in_b, in_a)) partition.note(row, x, in_a, in_b);
    }
  }

  result.same_background = result.other_foreground == 0;
  result.same_partition = !partition.found;
  result.same_numbers = !numbers.found;
  const Difference& first = partition.found ? partition : numbers;
  if (first.found) {
    result.differs = true;
    result.x = first.x;
    result.y = static_cast<int>(first.row % extent.height);
    result.z = static_cast<int>(first.row / extent.height);
    result.a = first.a;
    result.b = first.b;
  }
  return result;
}

}  // namespace gpuccl
