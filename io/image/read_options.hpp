#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/image/geometry.hpp"
#include "io/image/sample_value.hpp"

namespace gpuccl::io {

/// Limits of inputs. Sizes are checked from the header, before anything is allocated.
struct Limits {
  std::int64_t max_pixels = std::int64_t{1} << 36;  // a page
  std::int64_t max_dim = 2147483647;                // an axis
  std::int64_t max_pages = 1000000;
  std::int64_t memory = 0;  // bytes for the bits of the input; 0: three quarters of what is available
  std::vector<std::string> formats =
      {};               // allowed ones, by the words of --formats; none: as in check_format()
  bool follow = false;  // follow names and links that lead out of an input's folder
};

/// Options of the foreground rule.
struct ForegroundOptions {
  bool raw = false;  // sample bits as stored, without photometric inversion; implied by `values`
  bool invert = false;
  std::optional<double> threshold;             // value > threshold
  std::optional<SampleValue> whole_threshold;  // exact value if a double cannot hold it, as beyond 2^53
  bool otsu = false;                           // threshold by Otsu's method over the whole input
  std::vector<SampleInterval> values;          // if not empty, only these; from sort_and_unite()

  bool has_rule() const { return threshold || otsu || !values.empty(); }
};

/// Pages or slices [begin, end).
struct PageRange {
  std::int64_t begin = 0, end = INT64_MAX;
};

/// The options by which a command selects one of several images, as messages name them.
struct PlaneOptions {
  std::string prefix = "--";  // of --channel, --frame, --series and --page: "--intensity-"
  std::string instead = {};   // the remedy of a command without them; OPTION stands for the one that it lacks
  bool every_frame = false;   // there is --frame all
  bool per_slice = true;      // there is --per-slice

  /// Returns the remedy for several images: "--channel N selects one, from 0" and `more` for "channel".
  std::string remedy(const std::string& axis, const std::string& more = "") const;
  /// Returns ", --page 0..9 all as slices" for 10 pages; "" without --page.
  std::string all_pages(std::int64_t pages) const;
  /// Returns ", --per-slice labels each page separately"; "" without --per-slice.
  std::string each_page() const;
};

/// Selection of one image from an input with several, counted from 0.
/// Axes of length 1 need no selection.
struct PlaneChoice {
  std::optional<int> channel = {}, frame = {}, series = {};
  std::string channel_name = {};                       // instead of its number
  std::optional<PageRange> pages = {};                 // of a TIFF as stored, whatever its description lists
  std::vector<std::string>* channels_found = nullptr;  // receives the names of channels, if they are known
  PlaneOptions options = {};

  bool any() const { return channel || !channel_name.empty() || frame || series || pages; }
};

/// Interpretation of samples with a palette: as indices, or as the luma of their colors. Automatic: indices
/// if the palette only displays one channel, as ImageJ's palettes in gray or in one hue do.
enum class PaletteUse { automatic, index, luma };

/// Interpretation of the samples of a label map.
struct ValueRule {
  enum class Kind { stored, integers, labels };  // labels: ids of objects, integers from 0 on
  Kind kind = Kind::stored;
  bool round = false;  // to the nearest integer

  bool are_labels() const { return kind == Kind::labels; }
};

struct ReadOptions {
  ForegroundOptions foreground;
  Limits limits;
  std::optional<GivenSpacing> spacing;
  PlaneChoice planes;
  PaletteUse palette = PaletteUse::automatic;
  ValueRule values = {};     // interpretation of samples that are read as values
  bool pages_apart = false;  // pages are not slices of a volume, so they may differ in size
  bool any_order = false;    // slices are read in any order, several at once, and more than once
  bool in_parts = false;     // a few slices or rows are read at a time: limits.memory need not hold all bits
  std::shared_ptr<KeptInputs> kept;  // of other images in the same file; may be null
  bool kept_is_counted = false;      // another image of the same labeling counts its memory
  /// One line for the user about something odd but harmless ("alpha channel ignored").
  std::function<void(const std::string& line)> warn;
};

}  // namespace gpuccl::io
