#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/huge_pages.hpp"
#include "cpu/runs/value_types.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/nonzero_bytes.hpp"

namespace gpuccl {
namespace {

constexpr int kBlock = 64;  // elements that are compared at once

/// Writes the runs of a row to `out`, which has room for a run of each element, and returns their end.
/// same(a, b): whether neighbors of these values are in one run, or both in none.
template <class T, class Same>
ValueRun* find_runs(const std::byte* row, int width, Same same, ValueRun* out) {
  T values[1 + kBlock] = {};  // after the one to the left; 0 is left of the row
  alignas(64) std::uint8_t changes[kBlock];
  bool open = false;
  for (std::int64_t x = 0; x < width; x += kBlock) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kBlock, width - x));
    values[0] = values[kBlock];
    std::memcpy(values + 1, row + static_cast<std::size_t>(x) * sizeof(T), count * sizeof(T));
    for (int i = 0; i < kBlock; ++i) changes[i] = !same(values[i], values[i + 1]);
    std::uint64_t places = nonzero_bytes(changes);
    if (count < kBlock) places &= (std::uint64_t{1} << count) - 1;
    for (; places != 0; places &= places - 1) {
      const int place = std::countr_zero(places), at = static_cast<int>(x) + place;
      if (open) (out++)->end = at;
      open = cpu::is_set(values[place + 1]);
      if (open) {
        out->begin = at;
        out->value = cpu::bits_of(values[place + 1]);
      }
    }
  }
  if (open) (out++)->end = width;
  return out;
}

template <class T>
ValueRun* find_runs(const std::byte* row, int width, double delta, ValueRun* out) {
  if (delta > 0)
    return find_runs<T>(
        row, width,
        [within = cpu::Within<T>(delta)](T a, T b) {
          return (a == b) | (cpu::is_set(a) & cpu::is_set(b) & within(a, b));
        },
        out);
  return find_runs<T>(
      row, width, [](T a, T b) { return a == b; }, out);
}

}  // namespace

std::size_t bytes_of(ValueType type) {
  return with_type(type, [](auto value) { return sizeof value; });
}

bool is_signed(ValueType type) {
  return with_type(type, [](auto value) { return std::is_signed_v<decltype(value)>; });
}

bool is_floating(ValueType type) { return type == ValueType::f32 || type == ValueType::f64; }

double to_double(ValueType type, ValueBits value) {
  return is_floating(type) ? std::bit_cast<double>(value)
         : is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(value))
                           : static_cast<double>(value);
}

/// Memory for runs, of which each thread has its own blocks.
class ValueImage::Memory {
 public:
  /// Where this thread puts runs next, with room for so many; take() says how many they were.
  ValueRun* room(std::size_t count) {
    Blocks& mine = blocks_.local();
    if (mine.left < count) {
      mine.left = std::max(count, kRunsOfBlock);
      mine.next = mine.blocks.emplace_back(std::make_unique_for_overwrite<ValueRun[]>(mine.left)).get();
    }
    return mine.next;
  }
  void take(std::size_t count) {
    Blocks& mine = blocks_.local();
    mine.next += count;
    mine.left -= count;
  }

 private:
  static constexpr std::size_t kRunsOfBlock = std::size_t{1} << 16;
  struct Blocks {
    std::vector<std::unique_ptr<ValueRun[]>> blocks;
    ValueRun* next = nullptr;
    std::size_t left = 0;
  };
  tbb::enumerable_thread_specific<Blocks> blocks_;
};

ValueImage::ValueImage(Extent extent, ValueType type, double delta)
    : extent_(extent), type_(type), delta_(delta), memory_(std::make_unique<Memory>()) {
  if (extent.width < 0 || extent.height < 0 || extent.depth < 0)
    throw Error(Failure::usage, "an axis of the image is shorter than 0");
  if (!(delta >= 0)) throw Error(Failure::usage, "a delta is a number from 0 on");
  rows_.resize(static_cast<std::size_t>(extent.rows()));
  if (delta > 0)
    elements_ =
        make_large_for_overwrite<std::byte>(static_cast<std::size_t>(extent.elements()) * bytes_of(type));
}

ValueImage::~ValueImage() = default;
ValueImage::ValueImage(ValueImage&&) noexcept = default;
ValueImage& ValueImage::operator=(ValueImage&&) noexcept = default;

void ValueImage::add_rows(std::int64_t first_row, std::int64_t rows, const std::byte* values) {
  const std::size_t row_bytes = static_cast<std::size_t>(extent_.width) * bytes_of(type_);
  if (elements_)
    std::memcpy(elements_.get() + static_cast<std::size_t>(first_row) * row_bytes, values,
                static_cast<std::size_t>(rows) * row_bytes);
  with_type(type_, [&](auto value) {
    for (std::int64_t row = first_row; row < first_row + rows; ++row, values += row_bytes) {
      ValueRun* const begin = memory_->room(static_cast<std::size_t>(extent_.width));
      const auto count =
          static_cast<std::size_t>(find_runs<decltype(value)>(values, extent_.width, delta_, begin) - begin);
      memory_->take(count);
      rows_[static_cast<std::size_t>(row)] = {begin, count};
    }
  });
}

const std::byte* ValueImage::elements(std::int64_t row) const {
  return elements_ ? elements_.get() + static_cast<std::size_t>(row) *
                                           static_cast<std::size_t>(extent_.width) * bytes_of(type_)
                   : nullptr;
}

std::int64_t ValueImage::count_foreground() const {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, extent_.rows(), 1 << 10), std::int64_t{0},
      [&](const tbb::blocked_range<std::int64_t>& rows, std::int64_t count) {
        for (std::int64_t i = rows.begin(); i < rows.end(); ++i)
          for (const ValueRun& run : row(i)) count += run.end - run.begin;
        return count;
      },
      std::plus<>());
}

std::int64_t ValueImage::count_runs() const {
  std::size_t count = 0;
  for (const Row& row : rows_) count += row.count;
  return static_cast<std::int64_t>(count);
}

std::int64_t ValueImage::most_runs_in_row() const {
  std::size_t most = 0;
  for (const Row& row : rows_) most = std::max(most, row.count);
  return static_cast<std::int64_t>(most);
}

double ValueImage::most_bytes(Extent extent, ValueType type, double delta) {
  const std::size_t of_run = sizeof(ValueRun) + 2 * sizeof(Label);  // its link and its label
  return static_cast<double>(extent.elements()) *
             static_cast<double>(of_run + (delta > 0 ? bytes_of(type) : 0)) +
         static_cast<double>(extent.rows()) * (sizeof(Row) + sizeof(std::uint32_t));
}

}  // namespace gpuccl
