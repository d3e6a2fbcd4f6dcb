#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "gpuccl/labels.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/strip_file.hpp"
#include "io/image/strips.hpp"
#include "io/parts/checked_file.hpp"

// The section of a label image that one of several parts writes. Ranks write their sections into one file;
// tasks write them to separate files, which a later step concatenates.
namespace gpuccl::io {

/// The strips that begin in `own` rows, and all rows of these strips.
struct OwnStrips {
  StripRange strips;
  RowRange rows;

  OwnStrips(const StripLayout& layout, const RowRange& own);
};

/// Number of sections of a stretch.
inline constexpr std::size_t kLabelSections = 3;

/// Returns the rows whose labels a part needs to write its stretch: its own, and later rows of its last
/// strip. `image`: from new_label_file().
RowRange rows_of_stretch(const LabelFile& image, const RowRange& own);

/// Writes the stretch of the part with `own` rows, with samples of `type`: the strips that begin in these
/// rows, their StripEntries for the tail, and their sum for ContentHash. `wide`: MappedLabels::wide. Error
/// (data, io).
void put_label_stretch(CheckedFileWriter& file, const LabelFile& image, LabelType type,
                       const LabelSource& labels, std::span<const std::uint64_t> wide, const RowRange& own);

/// Calls read(file) with the file whose first sections are stretch i. Errors of `read` become errors about
/// the file.
using ReadStretch =
    std::function<void(std::size_t i, const std::function<void(const CheckedFile& file)>& read)>;

/// Writes the label image from its stretches, with the bytes of write_labels(). Returns the sum of the image
/// for its ContentHash. Error (data, io).
std::uint64_t join_label_stretches(AtomicFile& out, const LabelFile& image, std::size_t stretches,
                                   const ReadStretch& read_stretch);

}  // namespace gpuccl::io
