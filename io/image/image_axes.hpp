#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/types.hpp"
#include "io/image/read_options.hpp"
#include "io/image/samples.hpp"

namespace gpuccl::io {

/// Checks that an input of `pages` pages or slices has those of `range`. Throws Error (data).
void check_range(const PageRange& range, std::int64_t pages);

/// Thrown if an index exceeds the size of an axis, which it contains. `axis`: "frame" for --frame.
/// `is_named`: as an axis of time.
class NoSuchPlane : public Error {
 public:
  NoSuchPlane(std::int64_t size, std::string axis, const std::string& reason, bool is_named = false)
      : Error(ErrorCode::data, reason), size_(size), axis_(std::move(axis)), is_named_(is_named) {}
  std::int64_t size() const { return size_; }
  bool is_named() const { return is_named_; }
  const std::string& axis() const { return axis_; }

 private:
  std::int64_t size_;
  std::string axis_;
  bool is_named_;
};

/// Returns the chosen index along an axis of `size` elements, such as "channels" for the axis "channel".
/// Throws NoSuchPlane if it does not exist, Error (data) if several exist and none is chosen.
std::int64_t resolve_index(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                           const std::string& axis, const PlaneOptions& options, bool is_named = false);

/// Returns "channels", with the names that are known: "channels (0 DAPI, 1 GFP)".
std::string channels_in_words(const std::vector<std::string>& names);

/// Returns the choice with the number of the channel that it names. Throws Error (data) if not exactly one of
/// `names` is this name.
PlaneChoice with_channel_number(PlaneChoice choice, const std::vector<std::string>& names);

/// Refuses to choose one of several series of a file with one image. Throws Error (data).
void check_one_series(const PlaneChoice& choice);

/// One axis of an array, as its metadata specifies it.
struct NamedAxis {
  std::string name;
  std::uint64_t size = 1;
  bool is_space = true;

  /// Returns whether the axis has this name, in upper or lower case.
  bool is_named(const char* one) const;
  bool is_channel() const { return is_named("c") || has_word({"channel", "channels", "band", "bands"}); }
  bool is_time() const { return is_named("t") || has_word({"time", "times", "frame", "frames"}); }
  /// Returns whether --channel or --frame can select along the axis.
  bool has_option() const { return is_channel() || is_time() || name.empty(); }
  /// Returns whether the name is one of x, y or z. "height" is one of y and of z.
  bool is_x() const;
  bool is_y() const;
  bool is_depth() const;
  /// Returns whether the name has one of these words, as in "valid_time".
  bool has_word(std::initializer_list<const char*> words) const;
};

/// Returns the axes of an array without other metadata. `names`: of the axes, "" if unnamed; or none. If one
/// of space has a name, only an axis with a name of z is z.
std::vector<NamedAxis> named_axes(const std::vector<std::uint64_t>& shape,
                                  const std::vector<std::string>& names);

/// Axes of an array that are the axes of an image.
struct ImageAxes {
  std::size_t x = 0, y = 0;
  std::optional<std::size_t> z;
  std::vector<std::uint64_t> at;  // along each axis that is none of these
};

/// Chooses axes by their names, else the last three of space. `choice` selects channel and time point;
/// `channels` are the names of channels, if they are known. If it chooses pages of an image without z,
/// another axis with several elements is z. Throws Error (data) if other axes have several elements, or if a
/// chosen index does not exist.
ImageAxes choose_axes(const std::vector<NamedAxis>& axes, const PlaneChoice& choice,
                      const std::vector<std::string>& channels = {});

/// Opens the slices of `source` in `range` as an input. `spacing`: instead of that of the source, for the
/// origin. Throws Error (data) if some do not exist.
std::unique_ptr<SampleSource> open_slices(std::unique_ptr<SampleSource> source, const PageRange& range,
                                          const std::optional<GivenSpacing>& spacing);

/// Opens the indices of samples with a palette as gray.
std::unique_ptr<SampleSource> open_indices(std::unique_ptr<SampleSource> source);

/// Opens one channel of the pixels of `source` as gray. Throws Error (data) if there is no such channel, or
/// if samples are not complete bytes.
std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel);

}  // namespace gpuccl::io
