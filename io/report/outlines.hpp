#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpuccl/labels.hpp"
#include "io/files/atomic_file.hpp"
#include "io/image/label_image.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

enum class OutlineFormat {
  geojson,  // RFC 7946: a feature with a polygon, or several, for each component
  coco,     // COCO's annotations with compressed RLE
};

/// By the extension: .geojson, .json. Error (usage) for any other.
OutlineFormat outline_format(const std::string& path);

/// Whether a text that begins like this, white space left out, has outlines that gpuccl wrote.
bool are_outlines(std::string_view beginning);

/// Subject of outlines: an image and its components.
struct OutlineSubject {
  std::string image;  // its path
  const Components& components;
  const ValueColumn& value;  // of an image of values
};

/// Writes the outlines of all components of a 2D image, in pixels from its upper left corner; rows in
/// ascending order are asked for once. Error (memory) if the runs take more than `max_bytes`.
void write_outlines(AtomicFile& file, OutlineFormat format, const MappedLabels& labels,
                    const OutlineSubject& subject, std::int64_t max_bytes);

}  // namespace gpuccl::io
