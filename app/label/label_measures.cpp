#include "app/label/label_measures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "app/options/input_options.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/image/formats.hpp"
#include "io/image/geometry.hpp"
#include "io/image/limits.hpp"
#include "io/read/one_image.hpp"

namespace gpuccl::app {

void LabelMeasures::plan(const io::ImageInfo& input, Connectivity connectivity) {
  check_spacing(options_.spacing, input, connectivity);
  const MeasureSet compared = options_.selection.keep.measures();
  const bool is_volume = is_3d(connectivity), is_deep = is_volume || input.extent.depth > 1;
  const auto area = static_cast<std::size_t>(MeasureId::area_physical);
  const bool needs_volumes = is_deep && (compared | options_.measure.named)[area];
  bool needs_spacing = options_.measure.needs_spacing;
  for (const Measure& measure : measures()) {
    if (!compared[static_cast<std::size_t>(measure.id)]) continue;
    needs_spacing |= is_physical(measure);
    const bool in_volume = measure.group == MeasureGroup::basic ? is_deep : is_volume;
    if (measure.in != MeasuredIn::both && (measure.in == MeasuredIn::volumes) != in_volume)
      throw Error(ErrorCode::usage,
                  fmt::format("--keep: {} is measured in {}, but this is labeled as {}", measure.name,
                              in_volume ? "images" : "volumes", in_volume ? "a volume" : "an image"));
  }
  const MeasureSet named = options_.measure.named | compared;
  request_ = {(options_.measure.wanted & ~by_name_only(connectivity)) | named, connectivity, {}};
  request_.labels_touch = options_.values.by_values;
  request_.in_pieces = options_.values.objects;
  if (options_.is_in_parts && counts_pieces(request_))
    throw Error(ErrorCode::usage,
                "holes and components of objects are counted by one process; leave them out, or use --memory "
                "instead of --part");
  const io::Geometry& geometry = input.geometry;
  const bool is_known = geometry.is_known(is_volume ? 3 : 2);
  if (is_known) request_.spacing = geometry.spacing;
  if ((!is_known && needs_spacing) || (needs_volumes && !geometry.is_known(3)))
    throw Error(ErrorCode::data,
                geometry.is_known()
                    ? "has no z spacing, which physical measures of volumes need; set it with --spacing X,Y,Z"
                    : "has no spacing, which physical measures need; set it with --spacing");
}

std::vector<int> LabelMeasures::channels(const io::ReadOptions& read) const {
  std::vector<int> channels = options_.measure.intensity_channels;  // in a batch those of the first
  if (!options_.measure.all_channels) return channels;
  for (const std::string& path : files_.intensities)
    io::with_path(path, [&] {
      const int count = io::count_channels(path, read);
      if (channels.empty())
        for (int channel = 0; channel < count; ++channel) channels.push_back(channel);
      if (count != std::ssize(channels))
        throw Error(ErrorCode::data,
                    fmt::format("has {}, but others have {}; select some with --intensity-channel",
                                counted(static_cast<std::uint64_t>(count), "channel"), channels.size()));
    });
  return channels;
}

void LabelMeasures::open_intensities(const io::ReadOptions& asked, const io::ImageInfo& input,
                                     const WarnAbout& warn) {
  const auto add_markers = [&] {
    for (const auto& image : markers_) request_.samples.push_back({image.get(), "", true});
    if (!markers_.empty()) request_.wanted.set(static_cast<std::size_t>(MeasureId::intensity_max));
  };
  if (files_.intensities.empty()) return add_markers();
  io::ReadOptions read = asked;
  read.planes = options_.measure.intensity_planes;
  read.warn = nullptr;
  sources_ = options_.measure.sources(channels(read));
  for (const IntensitySource& source : sources_) {
    const std::string& path = files_.intensities[source.file];
    const bool is_first = images_.empty() || reported_.back().image.path != path;
    read.warn = nullptr;
    // By value: compressed samples are read, and warn, after this returns.
    if (warn && is_first) read.warn = [warn, path](const std::string& line) { warn(path, line); };
    read.planes.channel = source.channel ? source.channel : options_.measure.intensity_planes.channel;
    io::with_path(path, [&] { open_intensity(read, input, source, path); });
  }
  add_markers();
}

void LabelMeasures::open_intensity(const io::ReadOptions& read, const io::ImageInfo& input,
                                   const IntensitySource& source, const std::string& path) {
  auto image = std::make_unique<io::IntensityReader>(path, read);
  if (image->extent() != input.extent)
    throw Error(ErrorCode::data, "has " + io::to_string(image->extent()) + " pixels, but " +
                                     display_name(files_.input) + " has " + io::to_string(input.extent));
  io::Geometry grid = image->info().geometry;
  if (options_.spacing) io::set_spacing(grid, *options_.spacing);
  if (grid_difference_.empty()) grid_difference_ = io::grid_difference(input.geometry, grid, input.extent);
  const MeasureSet compared = options_.selection.keep.measures();
  if (image->values().count == 0 && needs_value_counts(compared))
    throw Error(ErrorCode::usage, "--keep: median and percentiles need integers of at most 16 bits");
  request_.long_samples = request_.long_samples || image->kind() == IntensityImage::Kind::long_whole;
  request_.samples.push_back({image.get(), source.name});
  io::ReportedIntensity& reported = reported_.emplace_back();
  reported.image = image->info();
  reported.image.path = path;
  reported.name = source.name;
  reported.bytes = io::bytes_of_regular_file(path);
  images_.push_back(std::move(image));
}

void LabelMeasures::open_markers(const io::ReadOptions& asked, const io::ImageInfo& input) {
  io::ReadOptions read = asked;
  read.warn = nullptr;
  if (options_.input.has_hysteresis()) {
    read.foreground = options_.input.strong_rule();
    markers_.push_back(std::make_unique<io::MarkerImage>(files_.input, read));
  }
  if (files_.seeds.empty()) return;
  read.foreground = {};
  read.planes = {};
  read.stack = io::is_folder_of_images(files_.seeds);
  io::with_path(files_.seeds, [&] {
    io::open_one_image("save the mask as a separate file",
                       [&] { markers_.push_back(std::make_unique<io::MarkerImage>(files_.seeds, read)); });
    if (markers_.back()->extent() != input.extent)
      throw Error(ErrorCode::data, "has " + io::to_string(markers_.back()->extent()) + " pixels, but " +
                                       display_name(files_.input) + " has " + io::to_string(input.extent));
  });
}

void LabelMeasures::add_markers_to(Condition& condition) const {
  using Step = Condition::Step;
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    const bool is_first = condition.steps.empty();
    condition.steps.push_back({.kind = Step::Kind::comparison,
                               .measure = MeasureId::intensity_max,
                               .relation = Condition::Relation::greater,
                               .number = 0,
                               .image = images_.size() + i});
    if (!is_first) condition.steps.push_back({.kind = Step::Kind::both});
  }
}

std::vector<io::ReportedIntensity> LabelMeasures::intensities(std::span<const std::uint64_t> nans) const {
  std::vector<io::ReportedIntensity> reported = reported_;
  for (std::size_t i = 0; i < std::min(reported.size(), nans.size()); ++i) reported[i].nans = nans[i];
  return reported;
}

std::int64_t LabelMeasures::held_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& image : images_) bytes += image->held_bytes();
  for (const auto& image : markers_) bytes += image->held_bytes();
  return bytes;
}

std::int64_t LabelMeasures::buffer_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& image : images_) bytes = std::max(bytes, image->buffer_bytes());
  for (const auto& image : markers_) bytes = std::max(bytes, image->buffer_bytes());
  return bytes;
}

std::string LabelMeasures::left_out() const {
  std::string names;
  const bool is_volume = is_3d(request_.connectivity);
  for (const Measure& measure : measures())
    if (options_.measure.named[static_cast<std::size_t>(measure.id)] &&
        measure.group != MeasureGroup::basic && measure.in != MeasuredIn::both &&
        (measure.in == MeasuredIn::volumes) != is_volume)
      names += (names.empty() ? "" : ", ") + std::string(measure.name);
  if (names.empty()) return "";
  const bool names_holes = options_.measure.named[static_cast<std::size_t>(MeasureId::holes)];
  return "--measure: left out " + names + ", measured in " +
         (is_volume ? "images, but this is labeled as a volume" +
                          std::string(names_holes ? ", whose holes are cavities and tunnels" : "")
                    : "volumes, but this is labeled as an image");
}

bool LabelMeasures::any() const {
  return !images_.empty() || !markers_.empty() || !columns(request_.wanted).empty() ||
         !options_.selection.keep.steps.empty();
}

double LabelMeasures::bytes_of_counts(std::int64_t elements) const {
  constexpr double kOfElement = 2;
  const auto images = std::count_if(images_.begin(), images_.end(), [&](const auto& image) {
    return counts_values(request_.wanted, *image);
  });
  return kOfElement * static_cast<double>(elements) * static_cast<double>(images);
}

std::string hint_of_nans(std::uint64_t nans) {
  if (nans == 0) return "";
  return nans == 1 ? "1 sample of a component is NaN and is ignored"
                   : fmt::format("{} samples of components are NaN and are ignored", nans);
}

}  // namespace gpuccl::app
