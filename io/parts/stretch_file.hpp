#pragma once

#include <cstddef>
#include <functional>

#include "gpuccl/labels.hpp"
#include "io/files/atomic_file.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/stretch.hpp"
#include "io/write/label_writer.hpp"

// Stretches of a label image that tasks leave in files, and that are put together later.
namespace gpuccl::io {

/// How many sections a stretch is.
inline constexpr std::size_t kLabelSections = 2;

/// The rows of which a part must know the labels to write its stretch: its own, and those behind them that
/// its last strip has.
Rows rows_of_stretch(const Extent& whole, LabelFormat format, const WriteOptions& options, const Rows& own);

/// Writes what the part with `own` rows has of the file: samples, or strips and their sizes. TIFF and .npy;
/// options.type is resolved. Error (data, io).
void put_label_stretch(CheckedFileWriter& file, LabelFormat format, const LabelSource& labels,
                       const WriteOptions& options, const Rows& own);

/// Calls read(file) with the file that has stretch i as its first sections, and says which one it is about
/// when that throws.
using ReadStretch =
    std::function<void(std::size_t i, const std::function<void(const CheckedFile& file)>& read)>;

/// Writes the label image that stretches are of: the bytes of write_labels(). Error (data, io).
void join_label_stretches(AtomicFile& out, LabelFormat format, const Extent& extent, Label count,
                          const WriteOptions& options, std::size_t stretches,
                          const ReadStretch& read_stretch);

}  // namespace gpuccl::io
