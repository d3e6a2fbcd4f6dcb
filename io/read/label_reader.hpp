#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/values.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"
#include "io/image/value_rows.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::io {

/// Numbers 1 to N for the 64-bit labels of one or more images, in the order in which they are met.
class LabelNumbers {
 public:
  /// Bytes of the table per label, including the list that labels() makes.
  static constexpr std::int64_t kBytesOfLabel = 72;

  explicit LabelNumbers(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns the number of a label other than 0. Error (memory) if there are too many different labels.
  Label number_of(std::uint64_t label);
  /// Returns the label of each number, and of 0.
  std::vector<std::uint64_t> labels() const;

 private:
  struct Mixed {
    std::size_t operator()(std::uint64_t label) const noexcept;
  };
  struct Numbered {
    std::uint64_t label = 0;
    Label number = 0;
  };
  static constexpr std::size_t kRecent = 4096;

  const std::int64_t max_bytes_;
  std::unordered_map<std::uint64_t, Label, Mixed> numbers_;
  std::vector<Numbered> recent_{kRecent};  // a cache; each label has one place in it
};

/// The rows of a label image in any format that open_reader() reads, by the rules of ValueRows for ids. Only
/// a slab is in memory, some slices or, of large slices, some rows. So call prepare() in ascending order; it
/// throws FileError as Reader::read_values() does, and (data) for values that are not labels.
class LabelReader final : public LabelRows {
 public:
  /// Reads the header. `options`: limits, warnings and rounding. FileError as open_reader() and
  /// Reader::value_type() throw, and (memory) if not even a few rows fit into the limit.
  explicit LabelReader(const std::string& path, ReadOptions options = {});

  const ImageInfo& info() const { return reader_->info(); }
  /// Returns an upper bound of the bytes of a slab and of its label runs, and for decoding it.
  std::int64_t bytes() const { return bytes_; }
  bool has_long_labels() const { return bytes_of(type_) == sizeof(ValueBits); }
  /// Makes all labels numbers of `numbers`, which may be shared with other images. Needed for labels of 64
  /// bits; call it before prepare().
  void number_with(LabelNumbers& numbers) { numbers_ = &numbers; }
  /// Returns whether any value that was read is NaN.
  bool any_nan() const { return reader_->has_nan(); }

  Extent extent() const override { return info().extent; }
  /// Returns the largest label of the rows that were read.
  Label count() const override { return largest_; }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  void plan(std::int64_t memory);
  void drop_before(std::int64_t row) const;
  void load_next() const;

  const std::string path_;
  std::unique_ptr<Reader> reader_;
  ValueType type_{};
  std::int64_t bytes_ = 0;
  int slices_ = 0, rows_ = 0;  // of a slab; with slices, all rows of these
  LabelNumbers* numbers_ = nullptr;

  // State of reading, which only prepare() changes.
  mutable LabelRuns window_;  // rows from begin_ to end_, the first row of the next slab
  mutable std::int64_t begin_ = 0, end_ = 0;
  mutable Label largest_ = 0;
};

}  // namespace gpuccl::io
