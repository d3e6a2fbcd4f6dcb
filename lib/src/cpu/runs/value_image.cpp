#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

#include "common/fastest_code.hpp"
#include "common/value_rules.hpp"
#include "gpuccl/detail/pack_samples.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {
namespace {

constexpr int kBlock = 64;  // elements compared at once

template <class T>
T load(const std::byte* row, int x) {
  T value;
  std::memcpy(&value, row + static_cast<std::size_t>(x) * sizeof value, sizeof value);
  return value;
}

/// Returns a bit for each element of a block: set if it differs from the previous element.
template <class T, class Same>
std::uint64_t find_changes(const std::byte* elements, const std::byte* ones_before, Same same) {
  std::uint8_t changes[kBlock];
  for (int i = 0; i < kBlock; ++i) changes[i] = !same(load<T>(ones_before, i), load<T>(elements, i));
  return nonzero_bytes(changes);
}

/// Writes the runs of a row to `out`, which has room for one more run than there are elements, and returns
/// their end. same(a, b): neighbors with these values are in the same run, or both in no run.
template <class T, class Run, class Same>
Run* find_runs(const std::byte* row, int width, Same same, Run* out) {
  bool open = false;
  // Writes the gap between runs as a run, which the next one overwrites: this avoids a branch.
  const auto end_run = [&](int at) {
    out->end = at;
    out += open;
  };
  const auto begin_runs = [&](int x, std::uint64_t changes) {
    for (; changes != 0; changes &= changes - 1) {
      const int at = x + std::countr_zero(changes);
      const T value = load<T>(row, at);
      end_run(at);
      open = is_set_value(value);
      out->begin = at;
      if constexpr (std::is_same_v<Run, LabelRun>)
        out->label = static_cast<Label>(value);
      else
        out->value = bits_of_value(value);
    }
  };
  // The first and last blocks are copied, so that 0 precedes the row and nothing after it is read.
  const auto begin_runs_of_copy = [&](int x) {
    const int count = std::min(kBlock, width - x), before = x > 0 ? 1 : 0;
    std::byte block[(1 + kBlock) * sizeof(T)] = {};
    std::memcpy(block + static_cast<std::size_t>(1 - before) * sizeof(T),
                row + static_cast<std::size_t>(x - before) * sizeof(T),
                static_cast<std::size_t>(before + count) * sizeof(T));
    const std::uint64_t changes = find_changes<T>(block + sizeof(T), block, same);
    begin_runs(x, count < kBlock ? changes & ((std::uint64_t{1} << count) - 1) : changes);
  };
  begin_runs_of_copy(0);
  std::int64_t x = kBlock;
  for (; x + kBlock <= width; x += kBlock) {
    const std::byte* const block = row + static_cast<std::size_t>(x) * sizeof(T);
    begin_runs(static_cast<int>(x), find_changes<T>(block, block - sizeof(T), same));
  }
  if (x < width) begin_runs_of_copy(static_cast<int>(x));
  end_run(width);
  return out;
}

template <class T>
bool contains_nan(const std::byte* row, int width) {
  bool any = false;
  for (int x = 0; x < width; ++x) {
    any |= std::isnan(load<T>(row, x));
  }
  return any;
}

template <class T>
ValueRun* find_runs(const std::byte* row, int width, double delta, ValueRun* out) {
  if (delta > 0)
    return find_runs<T>(
        row, width,
        [within = Within<T>(delta)](T a, T b) {
          return (a == b) | (is_set_value(a) & is_set_value(b) & within(a, b));
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

/// Memory for runs. Each thread has its own blocks.
class ValueImage::Memory {
 public:
  /// Returns memory for `count` runs of this thread. take() sets the number that is used.
  ValueRun* room(std::size_t count) {
    Blocks& mine = blocks_.local();
    if (mine.left < count) {
      const std::size_t runs = std::max(count, kRunsOfFirstBlock << std::min(mine.blocks.size(), kDoublings));
      // Large blocks begin at a huge page, so that they consist of huge pages.
      const std::size_t before = runs > kRunsOfFirstBlock ? kHugePage : 0;
      std::size_t bytes = runs * sizeof(ValueRun) + before;
      void* begin = mine.blocks.emplace_back(make_large_for_overwrite<std::byte>(bytes)).get();
      if (before > 0) std::align(kHugePage, runs * sizeof(ValueRun), begin, bytes);
      mine.next = static_cast<ValueRun*>(begin);
      mine.left = runs;  // set last: if the allocation fails, later rows get none either
    }
    return mine.next;
  }
  void take(std::size_t count) {
    Blocks& mine = blocks_.local();
    mine.next += count;
    mine.left -= count;
  }

  std::atomic<bool> any_nan = false;

 private:
  static constexpr std::size_t kRunsOfFirstBlock = std::size_t{1} << 16, kDoublings = 4;  // to 16 MiB
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  struct Blocks {
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    ValueRun* next = nullptr;
    std::size_t left = 0;
  };
  tbb::enumerable_thread_specific<Blocks> blocks_;
};

ValueImage::ValueImage(Extent extent, ValueType type, double delta)
    : extent_(extent), type_(type), delta_(delta), memory_(std::make_unique<Memory>()) {
  if (extent.width < 0 || extent.height < 0 || extent.depth < 0)
    throw Error(ErrorCode::usage, "an axis of the image is shorter than 0");
  if (!(delta >= 0)) throw Error(ErrorCode::usage, "a delta is a number from 0 on");
  rows_.resize(static_cast<std::size_t>(extent.rows()));
  if (delta > 0)
    elements_ =
        make_large_for_overwrite<std::byte>(static_cast<std::size_t>(extent.elements()) * bytes_of(type));
}

ValueImage::~ValueImage() = default;
ValueImage::ValueImage(ValueImage&&) noexcept = default;
ValueImage& ValueImage::operator=(ValueImage&&) noexcept = default;

bool list_labels(const std::byte* row, ValueType type, int width, UninitializedVector<LabelRun>& room,
                 LabelRuns& out) {
  room.resize(static_cast<std::size_t>(width) + 1);
  LabelRun* end = room.data();
  bool any_negative = false;
  with_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>)
      by_fastest_code([&] {
        end = find_runs<T>(
            row, width, [](T a, T b) { return a == b; }, room.data());
      });
    if constexpr (std::is_signed_v<T>)
      end = std::remove_if(room.data(), end, [&](const LabelRun& run) {
        const bool is_negative = static_cast<std::int32_t>(run.label) < 0;
        any_negative |= is_negative;
        return is_negative;
      });
  });
  out.runs.insert(out.runs.end(), room.data(), end);
  out.ends.push_back(out.runs.size());
  return !any_negative;
}

void ValueImage::add_rows(std::int64_t first_row, std::int64_t rows, const std::byte* values) {
  const std::size_t row_bytes = static_cast<std::size_t>(extent_.width) * bytes_of(type_);
  if (elements_)
    std::memcpy(elements_.get() + static_cast<std::size_t>(first_row) * row_bytes, values,
                static_cast<std::size_t>(rows) * row_bytes);
  with_type(type_, [&](auto value) {
    for (std::int64_t row = first_row; row < first_row + rows; ++row, values += row_bytes) {
      ValueRun* const begin = memory_->room(static_cast<std::size_t>(extent_.width) + 1);
      std::size_t count = 0;
      by_fastest_code([&] {
        count = static_cast<std::size_t>(find_runs<decltype(value)>(values, extent_.width, delta_, begin) -
                                         begin);
      });
      memory_->take(count);
      if constexpr (std::is_floating_point_v<decltype(value)>)
        if (contains_nan<decltype(value)>(values, extent_.width)) memory_->any_nan = true;
      rows_[static_cast<std::size_t>(row)] = {begin, count};
    }
  });
}

bool ValueImage::any_nan() const { return memory_->any_nan; }

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
  const std::size_t of_run = sizeof(ValueRun) + 2 * sizeof(Label);  // with its link and label
  const std::size_t bits = (static_cast<std::size_t>(extent.width) + 63) / 64 * 2 * sizeof(std::uint64_t);
  const std::size_t of_row =  // with the number of runs before it, its likeness, and two bits per element
      sizeof(Row) + sizeof(std::uint32_t) + 2 + bits;
  return static_cast<double>(extent.elements()) *
             static_cast<double>(of_run + (delta > 0 ? bytes_of(type) : 0)) +
         static_cast<double>(extent.rows()) * static_cast<double>(of_row);
}

}  // namespace gpuccl
