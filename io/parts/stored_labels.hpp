#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/parts/checked_file.hpp"

namespace gpuccl::io {

/// Number of sections of write_runs().
inline constexpr std::size_t kRunSections = 2;

/// Writes the runs of rows [first_row, first_row + rows), three to five bytes each, as one section. A second
/// section contains the end of each row in the first.
void write_runs(CheckedFileWriter& file, const LabelSource& labels, std::int64_t first_row,
                std::int64_t rows);

/// Reads all runs of write_runs(), from section `section` on. Error (data).
LabelRuns read_runs(const CheckedFile& file, std::size_t section);

/// Labels whose runs are in a verified file. They take 8 bytes of memory per row.
class StoredLabels final : public LabelSource {
 public:
  StoredLabels(std::shared_ptr<const CheckedFile> file, std::size_t section, Extent extent, Label count);

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override;
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override;

 private:
  template <class Visit>
  void for_each_row(std::int64_t first_row, std::int64_t rows, Visit visit) const;

  std::shared_ptr<const CheckedFile> file_;
  std::size_t section_;
  Extent extent_;
  Label count_;
  std::vector<std::uint64_t> ends_;  // of each row, in the section
};

}  // namespace gpuccl::io
