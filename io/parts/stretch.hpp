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

// The section of a label image that one of several parts writes. Ranks write theirs into one file; tasks
// leave it in a file of its own, and a later step concatenates these.
namespace gpuccl::io {

/// The strips that begin in some rows, and all rows that these have.
struct OwnStrips {
  StripRange strips;
  RowRange rows;

  OwnStrips(const StripLayout& layout, const RowRange& own);
};

/// Number of sections of a stretch.
inline constexpr std::size_t kLabelSections = 3;

/// The rows of which a part must know the labels to write its stretch: its own, and those behind them that
/// its last strip has. `image` is of new_label_file().
RowRange rows_of_stretch(const LabelFile& image, const RowRange& own);

/// Writes what the part with `own` rows has of the image, of samples of `type`: the strips that begin in
/// these, what the tail needs to know of each, and their sum for ContentHash. `wide`: MappedLabels::wide.
/// Error (data, io).
void put_label_stretch(CheckedFileWriter& file, const LabelFile& image, LabelType type,
                       const LabelSource& labels, std::span<const std::uint64_t> wide, const RowRange& own);

/// Calls read(file) with the file that has stretch i as its first sections, and says which one it is about
/// when that throws.
using ReadStretch =
    std::function<void(std::size_t i, const std::function<void(const CheckedFile& file)>& read)>;

/// Writes the label image that stretches are of: the bytes of write_labels(). Returns the sum of the image
/// for its ContentHash. Error (data, io).
std::uint64_t join_label_stretches(AtomicFile& out, const LabelFile& image, std::size_t stretches,
                                   const ReadStretch& read_stretch);

}  // namespace gpuccl::io
