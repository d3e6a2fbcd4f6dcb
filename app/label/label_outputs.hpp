#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/label_paths.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/objects.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/text_stream.hpp"
#include "io/report/report.hpp"
#include "io/zarr/label_group.hpp"

namespace gpuccl::app {

/// Outputs of one labeling that go to a stream such as standard output, not to a file. Made before anything
/// is opened.
struct LabelStreams {
  explicit LabelStreams(const LabelPaths& paths);

  std::optional<io::TextStream> image, stats, contacts, summary, report;
};

/// The outputs of one labeling. Made before the work starts, so that a missing folder, and a text that is not
/// ours and would be replaced, is found at once. They get their names together when all are complete, and
/// where there is a report, there is everything else of the same run. What goes to a stream is complete
/// before any file gets its name, so that a run that fails has replaced nothing.
class LabelOutputs {
 public:
  /// `digits`: significant digits of decimals in the table.
  LabelOutputs(const LabelPaths& paths, LabelStreams streams, const OutputOptions& options,
               int digits = io::kAllDigits);

  // Null if not wanted.
  io::AtomicFile* image() { return image_.get(); }
  io::AtomicFile* stats() { return stats_.get(); }
  io::AtomicFile* contacts() { return contacts_.get(); }
  io::AtomicFile* summary() { return summary_.get(); }
  io::AtomicFile* preview() { return preview_.get(); }
  io::AtomicFile* view() { return view_.get(); }
  io::AtomicFile* outlines() { return outlines_.get(); }
  io::AtomicFile* report() { return report_.get(); }

  /// Everything but the report reaches the disk.
  void finish();
  /// Writes the report, and what goes to streams, and gives all files their names. The report of an earlier
  /// label image of this name is removed from there, even if the new report is elsewhere.
  void commit(const io::Report& report, const Components& components, const Measured& measured,
              const std::vector<Contact>& contacts, const std::string& summary = {});
  /// The names alone.
  void commit();

 private:
  using File = std::unique_ptr<io::AtomicFile>;

  std::unique_ptr<io::StaleFile> obsolete_report() const;

  LabelPaths paths_;
  bool overwrite_;
  int digits_;
  LabelStreams streams_;
  std::unique_ptr<io::LabelGroup> group_;  // that the label image is of
  File image_;                             // a file without a name if the image goes to a stream
  File preview_, view_, outlines_, stats_, contacts_, summary_, report_;
};

/// Refuses to replace the file `path` if it is there and its beginning, white space left out, is none of a
/// table of ours of that kind. io::FileError (cannot_create).
void refuse_foreign_table(const std::string& path, bool (*is_ours)(std::string_view));
/// Refuses the same for a file next to the pages of a batch.
void refuse_foreign_page(const std::string& path, bool (*is_ours)(std::string_view));

}  // namespace gpuccl::app
