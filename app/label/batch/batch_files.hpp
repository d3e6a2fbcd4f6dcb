#pragma once

#include <string>
#include <vector>

#include "app/label/batch/batch_plan.hpp"
#include "app/label/batch/batch_record.hpp"
#include "app/label/label_options.hpp"
#include "app/view/batch_page.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

/// The joint files of a batch: report, tables of components and of inputs, and the index of pages.
class BatchFiles {
 public:
  /// `options` and `columns`, those of the table of components, must outlive it. Construct it before any file
  /// is opened: it holds on to the descriptors among the outputs.
  BatchFiles(const LabelOptions& options, const std::vector<MeasureColumn>& columns);

  /// Creates the files. Throws io::FileError.
  void open();
  /// Adds an input, in the order of the inputs.
  void add(const BatchItem& item, const Outcome& outcome);
  /// Leaves older tables unchanged instead of replacing them. Returns their paths.
  std::vector<std::string> keep_older();
  /// Completes all files and gives them their names. Returns the errors, without closed pipes.
  std::vector<io::FileError> commit();
  bool is_pipe_closed() const;

 private:
  const LabelOptions& options_;
  const std::vector<MeasureColumn>& columns_;
  GrowingFile report_, table_, summary_, index_, multiqc_;
  std::vector<IndexEntry> entries_;  // rows of the index of pages
};

}  // namespace gpuccl::app
