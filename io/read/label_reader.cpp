#include "io/read/label_reader.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/number_text.hpp"
#include "io/image/label_image.hpp"
#include "io/image/limits.hpp"
#include "io/read/open_samples.hpp"

namespace gpuccl::io {

/// The finalizer of SplitMix64: labels may have their bits anywhere.
std::size_t LabelNumbers::Mixed::operator()(std::uint64_t label) const noexcept {
  label = (label ^ (label >> 30)) * 0xbf58476d1ce4e5b9u;
  label = (label ^ (label >> 27)) * 0x94d049bb133111ebu;
  return label ^ (label >> 31);
}

Label LabelNumbers::number_of(std::uint64_t label) {
  Numbered& last = recent_[Mixed()(label) % kRecent];
  if (last.label == label) return last.number;
  const std::size_t most = std::min<std::size_t>(std::numeric_limits<Label>::max(),
                                                 static_cast<std::size_t>(max_bytes_ / kBytesOfLabel));
  last = {label, numbers_.try_emplace(label, static_cast<Label>(numbers_.size() + 1)).first->second};
  if (numbers_.size() > most)
    throw Error(ErrorCode::memory,
                "more than " + std::to_string(most) +
                    " different labels of 64 bits do not fit in memory; set a larger --memory");
  return last.number;
}

std::vector<std::uint64_t> LabelNumbers::labels() const {
  std::vector<std::uint64_t> labels(numbers_.size() + 1, 0);
  for (const auto& [label, number] : numbers_) labels[number] = label;
  return labels;
}

/// Decides how many slices or rows are read at once: those for all threads, in whole groups, if they fit.
void LabelReader::plan(std::int64_t memory) {
  constexpr std::int64_t kUsual = 1 << 22, kMost = 1 << 24;  // elements
  constexpr std::int64_t kShare = 4;                         // of the memory
  // A run of each element, and its copy in a vector that grows.
  constexpr std::int64_t kBytesEach = sizeof(ValueRun) + 2 * sizeof(LabelRun);
  const Extent& all = info().extent;
  const std::int64_t row = all.width, slice = row * all.height, group = reader_->group_depth();
  const std::int64_t most = memory / kShare / kBytesEach;
  const std::int64_t usual =
      std::clamp(slice * oneapi::tbb::this_task_arena::max_concurrency(), kUsual, kMost) / slice;
  std::int64_t slices = (usual + group - 1) / group * group;
  if (slices > most / slice) slices = most / slice >= group ? most / slice / group * group : most / slice;
  slices_ = static_cast<int>(std::min<std::int64_t>(slices, all.depth));
  rows_ = slices_ > 0
              ? all.height
              : static_cast<int>(std::clamp<std::int64_t>(std::min(most, kUsual) / row, 1, all.height));
  const std::int64_t of_decoding = reader_->buffer_bytes() + reader_->held_bytes();
  bytes_ = std::int64_t{std::max(slices_, 1)} * rows_ * row * kBytesEach + of_decoding;
  const std::int64_t of_row = row * kBytesEach + of_decoding;
  if (of_row > memory)
    throw Error(ErrorCode::memory, "needs " + bytes_in_words(static_cast<double>(of_row)) +
                                       " of memory for its rows; the limit is " +
                                       bytes_in_words(static_cast<double>(memory)));
}

LabelReader::LabelReader(const std::string& path, ReadOptions options) : path_(path) {
  options.limits.memory = memory_limit(options.limits);
  options.in_parts = true;
  options.values.kind = ValueRule::Kind::labels;
  if (options.palette == PaletteUse::automatic) options.palette = PaletteUse::index;  // indices are labels
  with_path(path, [&] {
    open_one_image(kSaveLabels, [&] {
      reader_ = open_reader(path, options);
      type_ = reader_->value_type();
      plan(options.limits.memory);
    });
  });
}

std::int64_t LabelReader::prepare(std::int64_t first_row, std::int64_t rows) const {
  if (end_ < first_row + rows)
    with_path(path_, [&] {
      drop_before(first_row);
      while (end_ < first_row + rows) load_next();
    });
  return end_;
}

void LabelReader::drop_before(std::int64_t row) const {
  const std::int64_t rows = std::clamp<std::int64_t>(row - begin_, 0, std::ssize(window_.ends));
  if (rows == 0) return;
  const std::size_t runs = window_.ends[static_cast<std::size_t>(rows) - 1];
  window_.runs.erase(window_.runs.begin(), window_.runs.begin() + static_cast<std::ptrdiff_t>(runs));
  window_.ends.erase(window_.ends.begin(), window_.ends.begin() + rows);
  for (std::size_t& end : window_.ends) end -= runs;
  begin_ += rows;
}

void LabelReader::load_next() const {
  const Extent& all = info().extent;
  const auto z = static_cast<int>(end_ / all.height), y = static_cast<int>(end_ % all.height);
  const ValueImage image = slices_ > 0 ? reader_->read_values(z, std::min(z + slices_, all.depth), 0)
                                       : reader_->read_value_rows(z, y, std::min(y + rows_, all.height), 0);
  end_ += image.extent().rows();
  for (std::int64_t row = 0; row < image.extent().rows(); ++row) {
    for (const ValueRun& run : image.row(row)) {
      const std::uint64_t value = run.value;
      if (numbers_ == nullptr && value > std::numeric_limits<Label>::max())
        throw Error(ErrorCode::internal, "labels of 64 bits need numbers");
      const Label label = numbers_ != nullptr ? numbers_->number_of(value) : static_cast<Label>(value);
      largest_ = std::max(largest_, label);
      window_.runs.push_back({run.begin, run.end, label});
    }
    window_.ends.push_back(window_.runs.size());
  }
}

void LabelReader::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                            const Label* map) const {
  out.runs.clear();
  out.ends.clear();
  const auto first = static_cast<std::size_t>(first_row - begin_);
  for (std::size_t row = first; row < first + static_cast<std::size_t>(rows); ++row) {
    for (const LabelRun& run : window_.row(row))
      out.add({run.begin, run.end, map == nullptr ? run.label : map[run.label]});
    out.ends.push_back(out.runs.size());
  }
}

}  // namespace gpuccl::io
