#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/text_stream.hpp"
#include "io/image/label_image.hpp"
#include "io/image/read_options.hpp"
#include "io/parts/part_writer.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/outlines.hpp"
#include "io/report/report.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::app {

/// Texts of the outputs about the components of one part of an image. Those of all parts, one after the
/// other, are the texts of the image.
struct ComponentTexts {
  const LabelPaths& files;
  const LabelOptions& options;
  const io::Report& report;  // for all but the report itself: input, volume and value
  const PartResult& part;
  io::TableSection stretch;

  void write_stats(const io::TextSink& sink) const;
  void write_report(const io::TextSink& sink) const;
  /// Writes the part's rows of the report alone.
  void write_report_rows(const io::TextSink& sink) const;
  /// `runs`: of these components.
  void write_outlines(const io::TextSink& sink, std::vector<io::OutlineRun> runs,
                      std::int64_t max_bytes) const;
};

/// Outputs of one labeling that go to a stream such as standard output, not to a file. Construct them before
/// any file is opened.
struct LabelStreams {
  explicit LabelStreams(const LabelPaths& paths);

  PerOutput<std::optional<io::TextStream>> of;
};

/// The outputs of one labeling. Made before the work starts, so that a missing folder, and a text that is not
/// ours and would be replaced, is found at once. They get their names together when all are complete, and
/// where there is a report, there is everything else of the same run. What goes to a stream is complete
/// before any file gets its name, so that a run that fails has replaced nothing. All parts of an image call
/// its functions together; part 0 makes the files and gives them their names.
class LabelOutputs {
 public:
  using WriteText = std::function<void(const io::TextSink& sink)>;

  /// `link` must outlive it.
  LabelOutputs(PartLink& link, const LabelPaths& paths, LabelStreams streams, OutputOptions options);

  /// Returns its file; null if it is not wanted, or a text that goes to a stream.
  io::SharedFile* file(Output output) const { return files_[output].get(); }
  /// Calls `write` to write what the part has of a text into its file, or in commit() to its stream. Errors
  /// of the sink are about the file.
  void write(Output output, WriteText write);

  /// Waits until an output is on the disk.
  void finish(Output output);
  /// Waits for all but the report.
  void finish();
  /// Writes what goes to streams and gives all files their names. The report of an earlier label image of
  /// this name is removed from there, even if the new report is elsewhere.
  void commit();

 private:
  PerOutput<std::unique_ptr<io::AtomicFile>> make(const OutputOptions& options);
  void give_names();
  std::unique_ptr<io::StaleFile> obsolete_report() const;

  PartLink& link_;
  LabelPaths paths_;
  bool overwrite_;
  PerOutput<std::optional<io::TextStream>> streams_;
  PerOutput<WriteText> waiting_;                      // for their streams
  std::unique_ptr<io::LabelGroup> group_;             // that the label image is of
  PerOutput<std::unique_ptr<io::SharedFile>> files_;  // without a name if the image goes to a stream
};

/// Refuses to replace an existing file `path` unless `is_ours` accepts its beginning, without white space.
/// io::FileError (cannot_create).
void refuse_foreign_table(const std::string& path, bool (*is_ours)(std::string_view));
/// As refuse_foreign_table(), for outlines.
void refuse_foreign_outlines(const std::string& path);
/// As refuse_foreign_table(), for a file next to the pages of a batch.
void refuse_foreign_page(const std::string& path, bool (*is_ours)(std::string_view));

/// A text that grows: in a file, which gets its name when it is complete, or in a stream. Without a path
/// there is no output, and its functions do nothing.
class TextOutput {
 public:
  /// Duplicates a descriptor, as io::TextStream does.
  explicit TextOutput(const io::Target& target);
  TextOutput(const io::Target& target, const OutputOptions& options, bool (*is_ours)(std::string_view))
      : TextOutput(target) {
    open(options, is_ours);
  }
  /// Opens it. `is_ours` recognizes a text of gpuccl by its first bytes; other existing texts are replaced
  /// only if it is null or the options say so. FileError (cannot_create).
  void open(const OutputOptions& options, bool (*is_ours)(std::string_view));

  const io::Target& target() const { return target_; }
  /// Returns whether there is an output.
  explicit operator bool() const { return !target_.empty(); }
  /// FileError (io).
  void write(std::string_view text);
  /// Gives files their names, those of `files` first: all, or if that fails none. FileError (io,
  /// cannot_create).
  static void commit_together(std::initializer_list<TextOutput*> outputs,
                              const std::vector<io::SharedFile>& files = {});

 private:
  io::Target target_;
  std::optional<io::TextStream> stream_;
  std::unique_ptr<io::AtomicFile> file_;
};

/// The image to show below the labels, and how to read it.
struct ImageBelow {
  io::Source image;  // may be empty
  io::ReadOptions read;
};
/// Returns the image of --intensity, or else the input; none if the input is a stream, which cannot be read
/// again, or contains objects.
ImageBelow image_below(const LabelPaths& files, const LabelOptions& options);

/// Returns the minimum area of the `count` largest components.
double area_of_largest(const Components& components, std::size_t count);

/// Writes the page of --view of a whole image, with the image below the labels. ComponentTexts::report is
/// complete except for outputs and times.
std::string write_label_view(io::AtomicFile& file, const ComponentTexts& texts,
                             const io::MappedLabels& labels);

}  // namespace gpuccl::app
