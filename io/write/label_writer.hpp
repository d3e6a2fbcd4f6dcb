#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuccl/labels.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/image_info.hpp"

namespace gpuccl::io {

enum class LabelType { automatic, u8, u16, u32 };
enum class Compression { none, deflate, lzw, zstd, packbits };
enum class LabelFormat { tiff, png, npy };

struct WriteOptions {
  LabelType type = LabelType::automatic;  // automatic: u16 if N fits, else u32
  Compression compression = Compression::deflate;
  Spacing spacing;
  /// Called now and then with the share of rows written, 0 to 1.
  std::function<void(double share)> progress;
};

/// By the extension of `path`: .tif .tiff .png .npy; Error (usage) for any other.
LabelFormat label_format(const std::string& path);

/// The type that `count` labels are written as. Error (data) when they do not fit the type or format asked
/// for, (usage) when the format does not have the type.
LabelType resolve_label_type(LabelType asked, Label count, LabelFormat format);

/// What a label image is written from: `labels` with `map` applied (may be empty), `count` labels after
/// mapping.
struct MappedLabels {
  const LabelSource& labels;
  const std::vector<Label>& map;
  Label count = 0;
};

/// Writes the label image into `file`, which the caller commits. Rows are rendered and compressed strip by
/// strip, in parallel (oneTBB); memory is a few strips. Throws Error (data, io). The file's bytes depend on
/// nothing but labels and options.
void write_labels(AtomicFile& file, LabelFormat format, const MappedLabels& labels,
                  const WriteOptions& options);

/// Colour preview: every label its own stable colour on black. A volume becomes a contact sheet of its
/// slices. At most about 2048 pixels a side (whole-number reduction, stated by nothing but its size).
void write_preview(AtomicFile& file, const MappedLabels& labels);

}  // namespace gpuccl::io
