#include "io/image/image_axes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "io/files/file_names.hpp"

namespace gpuccl::io {

std::string PlaneOptions::remedy(const std::string& axis, const std::string& more) const {
  if (instead.empty()) {
    const char* const all = every_frame && axis == "frame" ? ", --frame all each" : "";
    return prefix + axis + " N selects one, from 0" + all + more;
  }
  std::string text = instead;
  if (const std::size_t at = text.find("OPTION"); at != std::string::npos) text.replace(at, 6, "--" + axis);
  return text;
}

std::string PlaneOptions::all_pages(std::int64_t pages) const {
  return instead.empty() ? fmt::format(", {}page 0..{} all as slices", prefix, pages - 1) : "";
}

std::string PlaneOptions::each_page() const {
  return instead.empty() && per_slice ? ", --per-slice labels each page separately" : "";
}

std::int64_t resolve_index(std::int64_t size, const std::optional<int>& chosen, const std::string& what,
                           const std::string& axis, const PlaneOptions& options, bool is_named) {
  if (!chosen && size > 1)
    throw Error(ErrorCode::data, fmt::format("contains {} {}; {}", size, what, options.remedy(axis)));
  if (chosen.value_or(0) >= size)
    throw NoSuchPlane(size, axis,
                      fmt::format("has no {} {}: {}", axis, *chosen,
                                  size == 1 ? "there is one, number 0"
                                            : fmt::format("there are {} {}, numbered from 0", size, what)),
                      is_named);
  return chosen.value_or(0);
}

std::string channels_in_words(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 8, kLongest = 40;
  const auto shortened = [&](const std::string& name) {
    std::size_t end = std::min(kLongest, name.size());
    while (end < name.size() && (name[end] & 0xC0) == 0x80) --end;  // within a character of UTF-8
    return name.substr(0, end) + (end < name.size() ? "..." : "");
  };
  if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); }))
    return "channels";
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i)
    text += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", i, names[i].empty() ? "" : " ", shortened(names[i]));
  return "channels (" + text + (names.size() > kMax ? ", ...)" : ")");
}

/// Refuses a name that is a value of a channel called "liver = 1; tumor = 2".
static void refuse_name_of_value(const std::string& name, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t at = ("; " + names[i]).find("; " + name + " = "), begin = at + name.size() + 3;
    if (at == std::string::npos) continue;
    const std::string value = names[i].substr(begin, names[i].find(';', begin) - begin);
    throw Error(ErrorCode::data,
                fmt::format("has '{}' as value {} of a channel; use 'gpuccl label' with {}--value {}", name,
                            value, names.size() > 1 ? fmt::format("--channel {} and ", i) : "", value));
  }
}

PlaneChoice with_channel_number(PlaneChoice choice, const std::vector<std::string>& names) {
  if (choice.channels_found != nullptr) *choice.channels_found = names;
  if (choice.channel_name.empty()) return choice;
  const auto found = std::find(names.begin(), names.end(), choice.channel_name);
  if (names.empty())
    throw Error(ErrorCode::data, "does not name its channels; " + choice.options.remedy("channel"));
  if (found == names.end()) refuse_name_of_value(choice.channel_name, names);
  if (std::count(names.begin(), names.end(), choice.channel_name) != 1)
    throw Error(ErrorCode::data,
                fmt::format("has {} '{}' among its {}; {}", found == names.end() ? "no" : "several",
                            choice.channel_name, channels_in_words(names), choice.options.remedy("channel")));
  choice.channel = static_cast<int>(found - names.begin());
  choice.channel_name.clear();
  return choice;
}

void check_one_series(const PlaneChoice& choice) {
  if (choice.series.value_or(0) > 0)
    throw Error(ErrorCode::data,
                "contains one image; " + choice.options.prefix + "series is for a TIFF with several");
}

void check_range(const PageRange& range, std::int64_t pages) {
  if (range.end <= pages) return;
  const std::int64_t missing = std::max(range.begin, pages);
  throw Error(ErrorCode::data, fmt::format("has no page {}: {}", missing,
                                           pages == 1 ? "there is one, number 0"
                                                      : fmt::format("there are {}, numbered from 0", pages)));
}

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::data, why); }

/// x, y and z alone: by their names, else the last three of space.
ImageAxes axes_of_space(const std::vector<NamedAxis>& axes) {
  using Is = bool (*)(const NamedAxis&);
  std::vector<std::size_t> space;
  for (std::size_t i = axes.size(); i-- > 0;)
    if (axes[i].is_space) space.push_back(i);
  if (space.size() < 2) refuse("has fewer than two axes of space");
  const auto take = [&](std::initializer_list<Is> kinds) -> std::optional<std::size_t> {
    for (const Is is : kinds)
      for (const std::size_t i : space)
        if (is(axes[i])) {
          std::erase(space, i);
          return i;
        }
    return std::nullopt;
  };
  auto x = take({[](const NamedAxis& one) { return one.is_named("x"); },
                 [](const NamedAxis& one) { return one.is_x(); }});
  auto y = take({[](const NamedAxis& one) { return one.is_named("y"); },
                 [](const NamedAxis& one) { return one.is_y() && !one.is_depth(); },
                 [](const NamedAxis& one) { return one.is_y(); }});
  auto z = take({[](const NamedAxis& one) { return one.is_named("z"); },
                 [](const NamedAxis& one) { return one.is_depth(); }});
  for (auto* const axis : {&x, &y, &z})
    if (!*axis) *axis = take({[](const NamedAxis&) { return true; }});
  for (auto* const axis : {&x, &y})  // of two axes, one is depth
    if (!*axis) *axis = std::exchange(z, std::nullopt);
  if (!z && !axes[*x].is_x() && *x < *y) std::swap(x, y);  // (z, y): only a name of x transposes two axes
  return {*x, *y, z, {}};
}

/// Selection by one option along one axis. Refers to `options`.
class AxisSelector {
 public:
  AxisSelector(const std::optional<int>& chosen, std::string what, const char* axis,
               const PlaneOptions& options)
      : chosen_(chosen), what_(std::move(what)), axis_(axis), options_(options) {}

  bool is_taken() const { return is_taken_; }
  /// `name`: in words, of an axis without a name.
  std::uint64_t along(const NamedAxis& axis, const std::string& name) {
    is_taken_ = true;
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    const auto size = static_cast<std::int64_t>(std::min(axis.size, kMax));
    const std::string& what = axis.name.empty() ? "elements along " + name : what_;
    return static_cast<std::uint64_t>(resolve_index(size, chosen_, what, axis_, options_));
  }
  /// `is_named`: whether there is an axis with one element.
  void check_taken(bool is_named) const {
    if (!is_taken_) resolve_index(1, chosen_, what_, axis_, options_, is_named);
  }

 private:
  const std::optional<int> chosen_;
  const std::string what_;
  const char* axis_;
  const PlaneOptions& options_;
  bool is_taken_ = false;
};

/// Returns the axis whose elements can be pages of an image without z: the only other one with several of
/// which none is chosen.
std::optional<std::size_t> axis_of_pages(const std::vector<NamedAxis>& axes, const ImageAxes& image,
                                         const PlaneChoice& choice) {
  std::optional<std::size_t> pages;
  bool channel = choice.channel.has_value(), frame = choice.frame.has_value();  // whether left for an axis
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i == image.x || i == image.y || axes[i].size < 2) continue;
    bool& is_left = axes[i].is_channel() ? channel : frame;
    if (axes[i].has_option() && std::exchange(is_left, false)) continue;
    if (image.z || pages) return std::nullopt;
    pages = i;
  }
  return pages;
}

}  // namespace

bool NamedAxis::is_named(const char* one) const { return lower_case(name) == one; }

bool NamedAxis::has_word(std::initializer_list<const char*> words) const {
  const std::string all = "_" + lower_case(name) + "_";
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return all.find("_" + word + "_") != std::string::npos;
  });
}

bool NamedAxis::is_x() const {
  return has_word({"x", "lon", "longitude", "rlon", "nlon", "west_east", "xt", "xu", "col", "cols", "column",
                   "columns", "width", "easting", "xc"});
}

bool NamedAxis::is_y() const {
  return has_word({"y", "lat", "latitude", "rlat", "nlat", "south_north", "yt", "yu", "row", "rows", "height",
                   "northing", "yc"});
}

bool NamedAxis::is_depth() const {
  return has_word({"z",        "depth",    "slice",    "slices",    "plane",     "planes",
                   "section",  "sections", "layer",    "layers",    "level",     "levels",
                   "lev",      "plev",     "altitude", "alt",       "elevation", "height",
                   "pressure", "isobaric", "sigma",    "bottom_top"});
}

std::vector<NamedAxis> named_axes(const std::vector<std::uint64_t>& shape,
                                  const std::vector<std::string>& names) {
  std::vector<NamedAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.push_back({i < names.size() ? names[i] : "", shape[i]});
    NamedAxis& axis = axes.back();
    const std::string stem = axis.name.substr(0, axis.name.find_last_not_of("0123456789") + 1);
    if (stem == "dim_" || stem == "phony_dim_") axis.name.clear();  // of xarray and netCDF
    axis.is_space = !axis.is_channel() && !axis.is_time();
  }
  if (std::any_of(axes.begin(), axes.end(),
                  [](const NamedAxis& axis) { return axis.is_space && !axis.name.empty(); })) {
    const ImageAxes image = axes_of_space(axes);
    for (std::size_t i = 0; i < axes.size(); ++i)
      axes[i].is_space = i == image.x || i == image.y || (i == image.z && axes[i].is_depth());
  }
  auto space = std::count_if(axes.begin(), axes.end(), [](const NamedAxis& axis) { return axis.is_space; });
  for (NamedAxis& axis : axes)
    if (axis.name.empty() && axis.size == 1 && space > 3) {
      axis.is_space = false;
      --space;
    }
  return axes;
}

ImageAxes choose_axes(const std::vector<NamedAxis>& axes, const PlaneChoice& requested,
                      const std::vector<std::string>& channels) {
  const PlaneChoice choice = with_channel_number(requested, channels);
  ImageAxes image = axes_of_space(axes);
  const std::optional<std::size_t> pages = axis_of_pages(axes, image, choice);
  if (choice.pages && pages) image.z = pages;
  AxisSelector channel(choice.channel, channels_in_words(channels), "channel", choice.options),
      frame(choice.frame, "time points", "frame", choice.options);
  image.at.assign(axes.size(), 0);
  std::string without_option;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const NamedAxis& axis = axes[i];
    if (i == image.x || i == image.y || i == image.z) continue;
    const std::string name =
        "its axis " + (axis.name.empty() ? std::to_string(i) : "'" + axis.name.substr(0, 60) + "'");
    AxisSelector& chosen = axis.is_channel() ? channel : frame;
    if (axis.size > 1 && axis.has_option() && !chosen.is_taken()) {
      try {
        image.at[i] = chosen.along(axis, name);
      } catch (const NoSuchPlane&) {
        throw;
      } catch (const Error& error) {
        if (i != pages) throw;
        refuse(error.what() + choice.options.all_pages(static_cast<std::int64_t>(axis.size)));
      }
    } else if (axis.size != 1) {
      without_option =
          fmt::format("has {} elements along {}, which ", axis.size, name) +
          (i == pages
               ? "is not z; " + choice.options.remedy(
                                    "page", choice.options.all_pages(static_cast<std::int64_t>(axis.size)))
               : "no option selects; save one of them as a separate array");
    }
  }
  if (!without_option.empty()) refuse(without_option);
  channel.check_taken(false);
  frame.check_taken(
      std::any_of(axes.begin(), axes.end(), [](const NamedAxis& axis) { return axis.is_time(); }));
  check_one_series(choice);
  return image;
}

namespace {

/// Passes everything on.
class SourcePart : public SampleSource {
 public:
  explicit SourcePart(std::unique_ptr<SampleSource> source) : source_(std::move(source)) {
    info_ = source_->info();
  }

  std::int64_t buffer_bytes() const override { return source_->buffer_bytes(); }
  std::int64_t held_bytes() const override { return source_->held_bytes(); }
  bool in_order() const override { return source_->in_order(); }

 protected:
  const SampleSource& source() const { return *source_; }

 private:
  std::unique_ptr<SampleSource> source_;
};

class Slices final : public SourcePart {
 public:
  Slices(std::unique_ptr<SampleSource> source, const PageRange& range,
         const std::optional<GivenSpacing>& spacing)
      : SourcePart(std::move(source)) {
    check_range(range, info().extent.depth);
    first_ = static_cast<int>(range.begin);
    info_.extent.depth = static_cast<int>(range.end - range.begin);
    if (info().extent.depth == 1) info_.geometry.has_slice_axis = false;
    if (spacing) set_spacing(info_.geometry, *spacing);
    info_.geometry.begin_at(first_);
  }

  const SampleFormat& format(int z) const override { return source().format(first_ + z); }
  Extent slice_extent(int z) const override { return source().slice_extent(first_ + z); }
  void decode(int z, const Sink& sink) const override { source().decode(first_ + z, sink); }
  void decode_from_top(int z, const Sink& sink) const override { source().decode_from_top(first_ + z, sink); }
  /// Groups begin at multiples of their depth here and in the source.
  int group_depth() const override {
    const int depth = source().group_depth();
    return first_ % depth == 0 ? depth : 1;
  }
  void decode_group(int z0, int z1, const GroupSink& sink) const override {
    source().decode_group(first_ + z0, first_ + z1,
                          [&](int z, const SampleRows& rows) { sink(z - first_, rows); });
  }

 private:
  int first_ = 0;
};

/// Passes on rows in a format of its own.
class Reformatted : public SourcePart {
 public:
  explicit Reformatted(std::unique_ptr<SampleSource> given) : SourcePart(std::move(given)) {
    format_ = source().format(0);
    format_.palette.clear();
  }

  Extent slice_extent(int z) const override { return source().slice_extent(z); }
  void decode(int z, const Sink& sink) const override {
    source().decode(z, [&](const SampleRows& rows) { pass(z, rows, sink); });
  }
  void decode_from_top(int z, const Sink& sink) const override {
    source().decode_from_top(z, [&](const SampleRows& rows) { pass(z, rows, sink); });
  }

 protected:
  virtual void pass(int z, const SampleRows& rows, const Sink& sink) const = 0;
};

class Indices final : public Reformatted {
 public:
  explicit Indices(std::unique_ptr<SampleSource> source) : Reformatted(std::move(source)) {
    format_.photometric = Photometric::min_is_black;
  }

 private:
  void pass(int, const SampleRows& rows, const Sink& sink) const override {
    sink({format_, rows.y, rows.count, rows.data, rows.pitch});
  }
};

class ChannelSource final : public Reformatted {
 public:
  ChannelSource(std::unique_ptr<SampleSource> source, int channel)
      : Reformatted(std::move(source)), channel_(channel) {
    format_.channels = 1;
    if (format_.photometric != Photometric::min_is_white) format_.photometric = Photometric::min_is_black;
    info_.photometric = name_of(format_.photometric);
  }

  std::int64_t buffer_bytes() const override {
    return source().buffer_bytes() + format_.row_bytes(info().extent.width);
  }

 private:
  void pass(int z, const SampleRows& rows, const Sink& sink) const override {
    const auto sample = static_cast<std::size_t>(format_.bits / 8);
    const std::size_t pixel = sample * static_cast<std::size_t>(rows.format.channels);
    std::vector<std::byte> row(sample * static_cast<std::size_t>(slice_extent(z).width));
    for (int i = 0; i < rows.count; ++i) {
      const std::byte* from =
          rows.data + static_cast<std::size_t>(i) * rows.pitch + sample * static_cast<std::size_t>(channel_);
      for (std::size_t to = 0; to < row.size(); to += sample, from += pixel)
        std::memcpy(&row[to], from, sample);
      sink({format_, rows.y + i, 1, row.data(), row.size()});
    }
  }

  int channel_;
};

}  // namespace

std::unique_ptr<SampleSource> open_slices(std::unique_ptr<SampleSource> source, const PageRange& range,
                                          const std::optional<GivenSpacing>& spacing) {
  return std::make_unique<Slices>(std::move(source), range, spacing);
}

std::unique_ptr<SampleSource> open_indices(std::unique_ptr<SampleSource> source) {
  return std::make_unique<Indices>(std::move(source));
}

std::unique_ptr<SampleSource> open_channel(std::unique_ptr<SampleSource> source, int channel) {
  const SampleFormat& format = source->format(0);
  resolve_index(format.channels, channel, "channels", "channel", {});
  if (format.channels == 1) return source;
  if (format.bits % 8 != 0)
    throw Error(ErrorCode::data, "has channels of " + std::to_string(format.bits) +
                                     " bits; save the channel to label as a separate file");
  return std::make_unique<ChannelSource>(std::move(source), channel);
}

}  // namespace gpuccl::io
