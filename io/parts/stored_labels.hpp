#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/parts/checked_file.hpp"

namespace gpuccl::io {

/// Number of sections for the runs of some rows.
inline constexpr std::size_t kRunSections = 2;

/// Writes the runs of rows [first_row, first_row + rows), three to five bytes each: they are one section,
/// where each row ends in it is the next.
void put_runs(CheckedFileWriter& file, const LabelSource& labels, std::int64_t first_row, std::int64_t rows);

/// Reads all runs that put_runs() has written, from section `section` on. Error (data).
LabelRuns take_runs(const CheckedFile& file, std::size_t section);

/// The labels of which all rows stand in a file that was verified. Of it, 8 bytes a row are in memory.
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
