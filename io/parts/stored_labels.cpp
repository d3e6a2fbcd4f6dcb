#include "io/parts/stored_labels.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace gpuccl::io {
namespace {

constexpr std::int64_t kRowsAtOnce = 1024;

/// Appends a number, seven bits per byte; the highest bit is set in all bytes but the last (LEB128).
void add_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

std::uint64_t read_number(std::span<const std::byte>& from) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(from.front());
    from = from.subspan(1);
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  CheckedFile::throw_damaged();
}

/// Maps signed numbers to unsigned ones, small ones to small ones (zigzag encoding), and back.
std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t from_zigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

/// Appends the runs of a row: of each its distance from the one before, its length, and the difference of
/// their labels.
void add_row(std::string& out, std::span<const LabelRun> runs) {
  std::int64_t at = 0, label = 0;
  for (const LabelRun& run : runs) {
    add_number(out, static_cast<std::uint64_t>(run.begin - at));
    add_number(out, static_cast<std::uint64_t>(run.end - run.begin));
    add_number(out, zigzag(std::int64_t{run.label} - label));
    at = run.end;
    label = run.label;
  }
}

template <class Visit>
void for_each_run(std::span<const std::byte> row, Visit visit) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  std::uint64_t at = 0;
  std::int64_t label = 0;
  while (!row.empty()) {
    const std::uint64_t begin = at + std::min(read_number(row), kMost);
    at = begin + std::min(read_number(row), kMost);
    if (begin == at || at > kMost || __builtin_add_overflow(label, from_zigzag(read_number(row)), &label) ||
        label < 1 || label > std::numeric_limits<Label>::max())
      CheckedFile::throw_damaged();
    visit(LabelRun{static_cast<int>(begin), static_cast<int>(at), static_cast<Label>(label)});
  }
}

}  // namespace

void write_runs(CheckedFileWriter& file, const LabelSource& labels, std::int64_t first_row,
                std::int64_t rows) {
  std::vector<std::uint64_t> ends;
  std::uint64_t bytes = 0;
  LabelRuns runs;
  std::string text;
  for (std::int64_t begin = first_row; begin < first_row + rows; begin += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, first_row + rows - begin);
    labels.prepare(begin, count);
    labels.list_runs(begin, count, runs, nullptr);
    text.clear();
    std::size_t at = 0;
    for (const std::size_t end : runs.ends) {
      add_row(text, {runs.runs.data() + at, end - at});
      ends.push_back(bytes + text.size());
      at = end;
    }
    bytes += text.size();
    file.add(text);
  }
  file.end_section();
  file.add_section(ends);
}

LabelRuns read_runs(const CheckedFile& file, std::size_t section) {
  const auto bytes = file.read<std::byte>(section);
  LabelRuns runs;
  std::size_t begin = 0;
  for (const std::uint64_t end : file.read<std::uint64_t>(section + 1)) {
    if (end < begin || end > bytes.size()) CheckedFile::throw_damaged();
    for_each_run({bytes.data() + begin, end - begin}, [&](const LabelRun& run) { runs.runs.push_back(run); });
    runs.ends.push_back(runs.runs.size());
    begin = end;
  }
  return runs;
}

StoredLabels::StoredLabels(std::shared_ptr<const CheckedFile> file, std::size_t section, Extent extent,
                           Label count)
    : file_(std::move(file)),
      section_(section),
      extent_(extent),
      count_(count),
      ends_(file_->read<std::uint64_t>(section + 1)) {
  if (ends_.size() != static_cast<std::size_t>(extent.rows()) ||
      !std::is_sorted(ends_.begin(), ends_.end()) || (!ends_.empty() && ends_.back() > file_->bytes(section)))
    CheckedFile::throw_damaged();
}

template <class Visit>
void StoredLabels::for_each_row(std::int64_t first_row, std::int64_t rows, Visit visit) const {
  const auto begin_of = [&](std::int64_t row) {
    return row == 0 ? 0 : ends_[static_cast<std::size_t>(row) - 1];
  };
  const std::uint64_t begin = begin_of(first_row);
  std::vector<std::byte> bytes(begin_of(first_row + rows) - begin);
  file_->read_at(section_, begin, bytes);
  for (std::int64_t row = first_row; row < first_row + rows; ++row)
    visit(std::span<const std::byte>(bytes.data() + (begin_of(row) - begin),
                                     begin_of(row + 1) - begin_of(row)));
}

void StoredLabels::render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const {
  std::visit(
      [&](auto* to) {
        using T = std::remove_reference_t<decltype(*to)>;
        for_each_row(first_row, rows, [&](std::span<const std::byte> row) {
          std::fill_n(to, extent_.width, T{0});
          for_each_run(row, [&](const LabelRun& run) {
            if (run.end > extent_.width || run.label > count_) CheckedFile::throw_damaged();
            std::fill(to + run.begin, to + run.end,
                      static_cast<T>(map != nullptr ? map[run.label] : run.label));
          });
          to += extent_.width;
        });
      },
      out);
}

void StoredLabels::list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out,
                             const Label* map) const {
  out.runs.clear();
  out.ends.clear();
  for_each_row(first_row, rows, [&](std::span<const std::byte> row) {
    for_each_run(row, [&](LabelRun run) {
      if (run.end > extent_.width || run.label > count_) CheckedFile::throw_damaged();
      if (map != nullptr) run.label = map[run.label];
      out.add(run);
    });
    out.ends.push_back(out.runs.size());
  });
}

}  // namespace gpuccl::io
