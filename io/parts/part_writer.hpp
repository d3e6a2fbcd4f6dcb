#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/descriptor.hpp"
#include "io/image/label_image.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/outlines.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::io {

/// A file, or a folder, that several parts write, each a stretch of its own. Part 0 makes it and gives it its
/// name when all have finished.
class SharedFile {
 public:
  /// All parts together. `made` is that of part 0 (Options::named), others open it under its temporary name.
  /// Throws as collectively().
  SharedFile(PartLink& link, const std::string& path, AtomicFile* made);

  const std::string& path() const { return path_; }
  int descriptor() const { return made_ != nullptr ? made_->descriptor() : opened_.get(); }
  void write_at(const void* data, std::size_t bytes, std::uint64_t offset);
  /// Sum of what all parts have written, for AtomicFile::checksum().
  void add_to_checksum(std::uint64_t sum) {
    if (made_ != nullptr) made_->add_to_checksum(sum);
  }
  /// Flushes the section of this part to the disk.
  void finish();

 private:
  std::string path_;
  AtomicFile* made_;
  Descriptor opened_;
  bool is_folder_ = false;
};

/// Writes the label image into `file`, all parts together, each the rows of its slab of
/// cut_into_parts(), which joined_labels() of NumberedPart::labels can render. options.type is resolved. The
/// bytes are those of write_labels(). A part encodes the strips that begin in its rows. What is compressed
/// waits in memory or in a temporary file until it is known where it goes, but in part 0. `wide`: as
/// MappedLabels has it, the same in all parts. Returns the sum of the whole image for its ContentHash. Throws
/// as collectively().
std::uint64_t write_labels_in_parts(PartLink& link, SharedFile& file, LabelFormat format,
                                    const LabelSource& labels, std::span<const std::uint64_t> wide,
                                    const WriteOptions& options);

/// Writes the preview of a whole of which `labels` are the rows of this part. `file`: of part 0, null in
/// others. Throws as collectively().
void write_preview_in_parts(PartLink& link, AtomicFile* file, const std::string& path, const Extent& whole,
                            const MappedLabels& labels, const std::function<Preview()>& start);

/// Writes a text of which make(sink) makes this part's stretch, one stretch after the other. Throws as
/// collectively().
void write_text_in_parts(PartLink& link, SharedFile& file, const std::function<void(const TextSink&)>& make);

/// Writes the outlines of a whole of which `labels` are the rows of this part, and `subject` has the
/// components that belong to it: it gets their runs from the parts behind it. Throws as collectively(), Error
/// (memory) if the runs of a part take more than `max_bytes` there.
void write_outlines_in_parts(PartLink& link, SharedFile& file, OutlineFormat format,
                             const MappedLabels& labels, const OutlineSubject& subject,
                             std::int64_t max_bytes);

}  // namespace gpuccl::io
