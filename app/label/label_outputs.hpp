#pragma once

#include <memory>
#include <string>

#include "app/label/label_paths.hpp"
#include "gpuccl/components.hpp"
#include "io/files/atomic_file.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {

/// The outputs of one labeling. Made before the work starts, so that a missing folder is found at once; they
/// get their names together when all are complete, the label image first and the report last: where there is
/// a report, there is everything. What goes to a stream is complete before any file gets its name, so that
/// a run that fails has replaced nothing.
class LabelOutputs {
 public:
  LabelOutputs(const LabelPaths& files, const io::AtomicFile::Options& options);

  // Null if not wanted.
  io::AtomicFile* image() { return image_.get(); }
  io::AtomicFile* stats() { return stats_.get(); }
  io::AtomicFile* preview() { return preview_.get(); }

  /// Everything but the report reaches the disk.
  void finish();
  /// Writes the report and gives all files their names.
  void commit(const io::Report& report, const Components& components);

 private:
  using File = std::unique_ptr<io::AtomicFile>;

  std::string stats_stream_, report_stream_;  // what is a stream such as standard output, not a file
  File image_, preview_, stats_, report_;
};

}  // namespace gpuccl::app
