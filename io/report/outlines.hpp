#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/outlines.hpp"
#include "io/files/file_names.hpp"
#include "io/image/label_image.hpp"
#include "io/report/component_rows.hpp"
#include "io/report/report.hpp"

namespace gpuccl::io {

enum class OutlineFormat {
  geojson,  // RFC 7946: a feature with a polygon, or several, for each component
  coco,     // COCO's annotations with compressed RLE; values of a label map are categories
};

/// Returns the format by the extension: .geojson, .json. Error (usage) for any other.
OutlineFormat outline_format(const std::string& path);

/// Returns whether a text with this beginning, without white space, has outlines that gpuccl wrote.
bool are_outlines(std::string_view beginning);

/// Returns the name of an image for COCO: that of its file, or of its store or file and its place therein.
std::string name_of_image(const std::string& path);

/// Joins COCO files that stream_outlines() made, each of one image, to one of all images. Annotations are
/// numbered through, and keep their label.
class CocoOfImages {
 public:
  struct Image {
    int id = 0;
    std::string name;
    std::optional<int> frame;  // time point
  };
  explicit CocoOfImages(TextSink sink);
  /// `document`: passes on the file of the image. Error: data if gpuccl did not write it, usage if its
  /// categories are not integers.
  void add(const Image& image, const std::function<void(const TextSink&)>& document);
  /// Writes the lists of images and categories.
  void end();

 private:
  void add_head(const Image& image, const std::string& line);
  void add_annotation(const Image& image, std::string_view line);

  TextSink sink_;
  std::uint64_t annotations_ = 0;
  std::string images_;
  std::map<std::string, std::string, decltype(&natural_less)> categories_{natural_less};  // by id
};

/// Subject of outlines: a 2D image and its components, or a stretch of them.
struct OutlineSubject {
  std::string image;  // its path
  Extent extent;
  const Components& components;
  const ValueColumn& value;  // of a label map
  TableSection stretch = {};
  const std::vector<OfValue>* values = nullptr;  // of all components, each a category of COCO
  const MeasureTable& measured;                  // written in GeoJSON
};

/// A run of a component. Outlines are made from all its runs, in raster order.
struct OutlineRun {
  Label label = 0;
  RowRun run;
};

/// Rows and labels of which runs are listed.
struct OutlineRange {
  std::int64_t first_row = 0, rows = 0;
  int y = 0;                           // of the first row in the image
  std::uint64_t first = 0, count = 0;  // labels first + 1 to first + count
};

/// Lists runs of a 2D image; requests each row once, in ascending order. Error (memory) if they take more
/// than `max_bytes`.
std::vector<OutlineRun> list_outline_runs(const MappedLabels& labels, const OutlineRange& range,
                                          std::int64_t max_bytes);

/// Writes the outlines of the components of `subject` from their runs, in pixels from the upper left corner
/// of the image. Error (memory) if that takes more than `max_bytes`.
void stream_outlines(const TextSink& sink, OutlineFormat format, std::vector<OutlineRun> runs,
                     const OutlineSubject& subject, std::int64_t max_bytes);

}  // namespace gpuccl::io
