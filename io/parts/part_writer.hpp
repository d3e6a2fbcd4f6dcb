#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpuccl/detail/parts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/descriptor.hpp"
#include "io/image/label_image.hpp"
#include "io/image/strips.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/outlines.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::io {

class CheckedFile;
class CheckedFileWriter;

/// A file or folder that the parts of an image write, each its own stretch. Part 0 creates it, and gives it
/// its name when all parts have finished.
class SharedFile {
 public:
  /// `made`: the file of part 0, with Options::named if there are several parts; null in others.
  SharedFile(std::string path, std::unique_ptr<AtomicFile> made)
      : path_(std::move(path)), made_(std::move(made)) {}
  /// Collective. Opens the file in other parts by its temporary name. Throws as collectively().
  void open(PartLink& link);

  const std::string& path() const { return path_; }
  /// Returns the file in part 0; null in others.
  AtomicFile* made() const { return made_.get(); }
  int descriptor() const { return made_ != nullptr ? made_->descriptor() : opened_.get(); }
  void write_at(const void* data, std::size_t bytes, std::uint64_t offset);
  /// Flushes the section of this part to the disk.
  void finish();

 private:
  std::string path_;
  std::unique_ptr<AtomicFile> made_;
  Descriptor opened_;
  bool is_folder_ = false;
};

/// Collective. Writes the label image into `file`; each part writes the rows of its slab of cut_into_parts(),
/// whose labels are `labels`; MappedLabels::count and `wide` are those of the whole image. The bytes depend
/// only on labels and options, not on the number of parts. A part encodes the strips that begin in its rows,
/// in parallel (oneTBB), with a few strips in memory. Except in part 0, compressed strips are kept in memory
/// or in a temporary file until their offsets are known. Throws as collectively().
void write_labels(PartLink& link, SharedFile& file, LabelFormat format, const Extent& whole,
                  const MappedLabels& labels, const WriteOptions& options);

/// Collective. Writes the preview of the whole image; `labels` are the rows of this part. Throws as
/// collectively().
void write_preview(PartLink& link, SharedFile& file, const Extent& whole, const MappedLabels& labels,
                   const std::function<Preview()>& start);

/// Collective. Writes a text of stretches in the order of the parts; make(sink) makes the stretch of this
/// part. Part 0 writes its stretch at once; others keep theirs in memory or in a temporary file until its
/// offset is known. Throws as collectively().
void write_text(PartLink& link, SharedFile& file, const std::function<void(const TextSink&)>& make);

/// Collective. Returns the runs of the components that belong to this part, of which `first` are in earlier
/// parts, in raster order: it receives them from later parts. `labels` are the rows of this part; `path` is
/// the file of the outlines. Throws as collectively(), and Error (memory) if the runs of a part take more
/// than `max_bytes`.
std::vector<OutlineRun> gather_outline_runs(PartLink& link, const std::string& path, const Extent& whole,
                                            const MappedLabels& labels, std::uint64_t first,
                                            std::int64_t max_bytes);

/// Number of sections of a stretch.
inline constexpr std::size_t kLabelSections = 2;

/// Returns the rows whose labels a part needs to write its stretch: its own, and later rows of its last
/// strip. `image`: from new_label_file().
RowRange rows_of_stretch(const LabelFile& image, const RowRange& own);

/// Writes the stretch of the part with `own` rows: the strips that begin in these
/// rows, and their StripEntries for the tail. `wide`: MappedLabels::wide. Error
/// (data, io).
void write_label_stretch(CheckedFileWriter& file, const LabelFile& image, const LabelRows& labels,
                         std::span<const std::uint64_t> wide, const RowRange& own);

/// Calls read(file) with the file whose first sections are stretch i. Errors of `read` become errors about
/// the file.
using ReadSection =
    std::function<void(std::size_t i, const std::function<void(const CheckedFile& file)>& read)>;

/// Writes the label image from its stretches, with the bytes of write_labels(). Error
/// (data, io).
void join_label_stretches(SharedFile& out, const LabelFile& image, std::size_t stretches,
                          const ReadSection& read_stretch);

}  // namespace gpuccl::io
