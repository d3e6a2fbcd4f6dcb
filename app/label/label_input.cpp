#include "app/label/label_input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "app/label/label_checks.hpp"
#include "app/label/report_builder.hpp"
#include "app/options/input_options.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/geometry.hpp"
#include "io/image/limits.hpp"
#include "io/read/input_files.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {

io::PlaneChoice planes_of_intensity(const io::Source& image, const LabelOptions& options,
                                    const std::shared_ptr<io::KeptInputs>& kept) {
  io::ReadOptions read;
  read.limits = options.input.limits;
  read.planes = options.measure.intensity_planes;
  const std::set<std::string>& movies = options.measure.movies;
  if (!movies.empty() && !movies.contains(image.path)) read.planes.frame.reset();
  read.kept = kept;
  return io::follow_planes(image, read, options.planes);
}

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
  request_.periodic = options_.periodic;
  request_.in_pieces = options_.values.objects;
  if (options_.is_in_parts && counts_pieces(request_))
    throw Error(ErrorCode::usage,
                "holes and components of objects are counted by one process; leave them out, or use --memory "
                "instead of --part");
  const io::Geometry& geometry = input.geometry;
  const bool is_known = geometry.is_known(is_volume ? 3 : 2);
  if (is_known) request_.spacing = io::layer_distances(geometry);
  if ((!is_known && needs_spacing) || (needs_volumes && !geometry.is_known(3)))
    throw Error(ErrorCode::data,
                geometry.is_known()
                    ? "has no z spacing, which physical measures of volumes need; set it with --spacing X,Y,Z"
                    : "has no spacing, which physical measures need; set it with --spacing");
}

/// Refuses a channel that is selected both by its number and by its name.
void LabelMeasures::refuse_twice(const std::vector<std::string>& channels, const io::Source& image,
                                 io::ReadOptions read) const {
  if (image.is_folder) return;
  read.planes = planes_of_intensity(image, options_, read.kept);
  const std::vector<std::string> names = io::channel_names(image, read);
  for (const std::string& word : channels)
    if (const auto number = parse_number<std::size_t>(word);
        number && *number < names.size() &&
        std::find(channels.begin(), channels.end(), names[*number]) != channels.end())
      throw Error(ErrorCode::usage, "--intensity-channel selects one channel twice, as " + word + " and as " +
                                        names[*number] + "; remove one of them");
}

std::vector<std::string> LabelMeasures::channels(io::ReadOptions read) const {
  std::vector<std::string> channels = options_.measure.intensity_channels;  // in a batch those of the first
  const auto is_number = [](const std::string& word) { return parse_number<int>(word).has_value(); };
  if (!options_.measure.all_channels) {
    if (std::any_of(channels.begin(), channels.end(), is_number) &&
        !std::all_of(channels.begin(), channels.end(), is_number))
      for (const io::Source& image : files_.intensities)
        io::with_path(image, [&] { refuse_twice(channels, image, read); });
    return channels;
  }
  for (const io::Source& image : files_.intensities)
    io::with_path(image, [&] {
      read.planes = planes_of_intensity(image, options_, read.kept);
      const std::vector<std::string> names = io::channel_names(image, read);
      if (channels.empty()) channels = options_.measure.channels_of(names);
      if (names.size() != channels.size())
        throw Error(ErrorCode::data,
                    fmt::format("has {}, but others have {}; select some with --intensity-channel",
                                counted(names.size(), "channel"), channels.size()));
    });
  return channels;
}

void LabelMeasures::open_intensities(const io::ReadOptions& requested, const io::ImageInfo& input,
                                     const WarnAbout& warn) {
  const auto add_markers = [&] {
    for (const auto& image : markers_) request_.samples.push_back({image.get(), "", true});
    if (!markers_.empty()) request_.wanted.set(static_cast<std::size_t>(MeasureId::intensity_max));
  };
  if (files_.intensities.empty()) return add_markers();
  io::ReadOptions read = requested;
  read.warn = nullptr;
  if (!read.kept) read.kept = std::make_shared<io::KeptInputs>();  // for all channels of an image
  sources_ = options_.measure.sources(channels(read));
  for (const IntensitySource& source : sources_) {
    const io::Source& image = files_.intensities[source.file];
    const std::string& path = image;
    const bool is_first = images_.empty() || reported_.back().image.path != path;
    read.warn = nullptr;
    // By value: compressed samples are read, and warn, after this returns.
    if (warn && is_first) read.warn = [warn, path](const std::string& line) { warn(path, line); };
    read.kept_is_counted = !is_first;
    read.planes = planes_of_intensity(image, options_, read.kept);
    if (!source.channel.empty()) parse_channel(source.channel, read.planes);
    io::with_path(path, [&] { open_intensity(read, input, source.name, image); });
  }
  add_markers();
}

/// Adds a hint that several images may have once.
void LabelMeasures::add_hint(const std::string& line) {
  if (std::find(hints_.begin(), hints_.end(), line) == hints_.end()) hints_.push_back(line);
}

/// Adds a hint if elements of the same index lie at different places.
void LabelMeasures::compare_grids(const io::ImageInfo& input, io::Geometry grid, const std::string& image,
                                  const std::string& matched) {
  if (options_.spacing) io::set_spacing(grid, *options_.spacing);
  const std::string_view other = io::grid_difference(input.geometry, grid, input.extent);
  if (!other.empty())
    add_hint(image + " has another " + std::string(other) + "; " + matched + " by index, not by position");
}

void LabelMeasures::open_intensity(const io::ReadOptions& read, const io::ImageInfo& input,
                                   const std::string& name, const io::Source& source) {
  auto image = std::make_unique<io::IntensityReader>(source, read);
  if (image->extent() != input.extent)
    throw Error(
        ErrorCode::data,
        "has " + io::to_string(image->extent()) + " pixels, but " + display_name(files_.input) + " has " +
            io::to_string(input.extent) +
            (image->extent().depth > input.extent.depth ? "; --intensity-page N[..M] selects pages" : ""));
  compare_grids(input, image->info().geometry, "the image of --intensity", "samples are matched");
  const MeasureSet compared = options_.selection.keep.measures();
  if (image->values().count == 0 && needs_value_counts(options_.measure.named))
    add_hint(
        "median and percentiles need integers of at most 16 bits without a scale or missing value, so their "
        "columns are empty; save the samples as such integers");
  if (image->values().count == 0 && needs_value_counts(compared))
    throw Error(ErrorCode::usage, "--keep: median and percentiles need integers of at most 16 bits");
  request_.samples.push_back({image.get(), name});
  io::ReportedIntensity& reported = reported_.emplace_back();
  reported.image = image->info();
  reported.image.path = source;
  reported.name = name;
  reported.bytes = io::bytes_of_regular_file(source);
  images_.push_back(std::move(image));
}

void LabelMeasures::open_markers(const io::ReadOptions& requested, const io::ImageInfo& input) {
  io::ReadOptions read = requested;
  read.warn = nullptr;
  if (options_.input.has_hysteresis()) {
    read.foreground = options_.input.strong_rule();
    markers_.push_back(std::make_unique<io::MarkerImage>(files_.input, read));
  }
  if (files_.seeds.empty()) return;
  read.foreground = {};
  read.planes = {.options = {.instead = "save the mask as a separate file"}};
  io::with_path(files_.seeds, [&] {
    markers_.push_back(std::make_unique<io::MarkerImage>(files_.seeds, read));
    if (markers_.back()->extent() != input.extent)
      throw Error(ErrorCode::data, "has " + io::to_string(markers_.back()->extent()) + " pixels, but " +
                                       display_name(files_.input) + " has " + io::to_string(input.extent));
    compare_grids(input, markers_.back()->geometry(), "the mask of --seeds", "it is matched");
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

namespace {

/// Returns the number of pixels that have this size.
double elements_of(const PhysicalSize& size, const io::ImageInfo& input, Connectivity connectivity) {
  const bool is_volume = is_3d(connectivity);
  const int axes = is_volume ? 3 : 2;
  if (size.axes != axes)
    throw Error(ErrorCode::usage, size.text + " is " + (size.axes == 3 ? "a volume" : "an area") +
                                      ", but the input is labeled as " +
                                      (is_volume ? "a volume" : "an image"));
  const io::Geometry& geometry = input.geometry;
  if (!geometry.is_known(axes) || geometry.unit == io::LengthUnit::unknown)
    throw Error(ErrorCode::data,
                "has no spacing in a unit of length, which " + size.text + " needs; set it with --spacing");
  const io::Vector3 lengths = io::layer_distances(geometry);
  double element = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis)
    element *= lengths[axis] * io::unit_ratio(geometry.unit, size.unit);
  return size.size / element;
}

std::uint64_t whole(double elements) {
  return elements >= 0x1p63 ? std::numeric_limits<std::uint64_t>::max()
                            : static_cast<std::uint64_t>(elements);
}

// Relative rounding error up to which a size counts as an integer number of pixels.
constexpr double kTolerance = 1e-9;

/// Returns `selection` with the limits as numbers of elements of `input`. Throws as elements_from().
SelectionOptions with_limits(const SelectionOptions& selection, const PhysicalLimits& limits,
                             const io::ImageInfo& input, Connectivity connectivity) {
  SelectionOptions own = selection;
  if (limits.min) own.min_size = elements_from(*limits.min, input, connectivity);
  if (limits.max)
    own.max_size = whole(std::floor(elements_of(*limits.max, input, connectivity) * (1 + kTolerance)));
  return own;
}

}  // namespace

std::uint64_t elements_from(const PhysicalSize& size, const io::ImageInfo& input, Connectivity connectivity) {
  return whole(std::ceil(elements_of(size, input, connectivity) * (1 - kTolerance)));
}

/// Refuses an input that the label image cannot hold, before the input is read. Throws FileError.
static void check_image(const LabelPaths& files, const LabelOptions& options, const io::ImageInfo& input) {
  if (files.image.empty()) return;
  io::with_path(files.image, [&] {
    const io::LabelType smallest = io::resolve_label_type(io::LabelType::u8, 0, *files.image.format);
    io::new_label_file(*files.image.format, files.image, input.extent, 0,
                       write_options(options, smallest, input.geometry));
  });
}

LabelInput::LabelInput(const LabelPaths& files, const LabelOptions& options, WarnAbout warn)
    : files_(files),
      options_(options),
      memory_(io::memory_limit(options.input.limits)),
      measures_(files, options) {
  io::ReadOptions read;
  read.foreground = options.input.weak_rule();
  read.limits = options.input.limits;
  read.limits.memory = memory_;
  read.spacing = options.spacing;
  read.planes = options.planes;
  read.palette = options.input.palette;
  if (options.values.by_values && read.palette == io::PaletteUse::automatic)
    read.palette = io::PaletteUse::index;  // indices are values
  read.values = options.values.rule();
  read.kept = files.kept;
  read.in_parts = true;
  read.pages_apart = options.algorithm.per_slice;
  if (warn) read.warn = [warn, path = files.input.path](const std::string& line) { warn(path, line); };
  if (!files.json.empty()) states();  // before anything is read
  reader_ = io::open_reader(files.input, read);
  info_ = reader_->info();
  if (read.planes.channel == 0 && !files.input.is_stream && !files.input.is_folder)
    is_only_channel_ = io::has_one_channel(files.input, read);
  if ((!files.outlines.empty() || files.in_coco) && info_.extent.depth > 1)
    throw Error(ErrorCode::data,
                fmt::format("has {} slices, but --outlines is for images with one; select one with --page",
                            info_.extent.depth));
  connectivity_ = options.algorithm.connectivity_for(extent(), io::holds_volumes(info_.format),
                                                     options.planes.options.per_slice);
  info_.geometry.has_areas = !is_3d(connectivity_);
  const PhysicalLimits& limits = options.physical_limits;
  if ((limits.min || limits.max) && io::assume_unit(info_.geometry) && read.warn)
    read.warn(io::kUnitIsAssumed);
  selection_ = with_limits(options.selection, limits, info_, connectivity_);
  for (Condition::Step& step : selection_.keep.steps)
    if (step.measure == MeasureId::z0 || step.measure == MeasureId::z1 || step.measure == MeasureId::cz)
      step.number -= info_.geometry.first_slice;
  check_periodic(extent(), connectivity_, options.periodic);
  check_pages(info_, options);
  if (options.fill_holes) check_labels_background(options.algorithm.engine, connectivity_, "--fill-holes");
  if (options.values.by_values) {
    value_type_ = sample_type_ = reader_->value_type();
    if (options.values.objects && *value_type_ == ValueType::i64) value_type_ = ValueType::u64;
    check_value_type(*value_type_, options.values);
  }
  measures_.plan(info_, connectivity_);
  if (const std::string line = measures_.left_out(); warn && !line.empty()) warn(files.input, line);
  if (measures_.needs_background())
    check_labels_background(options.algorithm.engine, connectivity_, "--measure of cavities or tunnels");
  measures_.open_markers(read, info_);
  measures_.open_intensities(read, info_, warn);
  if (options.measure.all_channels) resolve_images(selection_.keep, measures_.sources());
  measures_.add_markers_to(selection_.keep);
  check_image(files, options, info_);
}

std::string LabelInput::foreground_rule() const {
  if (value_type_) return rule_of(options_.values);
  const InputOptions& input = options_.input;
  if (!input.has_hysteresis()) return info_.foreground_rule;
  const io::ForegroundOptions strong = input.strong_rule();
  return info_.foreground_rule + "; components with a value " + (strong.invert ? "<= " : "> ") +
         (strong.whole_threshold ? strong.whole_threshold->text() : io::shortest(*strong.threshold));
}

HoleCounts LabelInput::select_holes(PartLink& link, PartResult& background) const {
  const SelectionOptions holes{.max_size = options_.fill_holes.value(), .clear_border = true};
  select_part(link, extent(), complementary(connectivity_), holes, background);
  const UninitializedVector<std::uint64_t>& areas = background.components.area;
  return {background.count, link.scan(std::accumulate(areas.begin(), areas.end(), std::uint64_t{0})).all};
}

void LabelInput::wrap(PartLink& link, PartResult& part) const {
  const std::vector<std::array<Wrap, 3>> wraps =
      wrap_part(link, extent(), connectivity_, options_.periodic, part);
  if (!measures_.any()) return;
  MeasureRequest request = measures_.request();
  request.wraps = wraps;
  part.measured = empty_measures(extent(), part.components, request);
}

void LabelInput::select(PartLink& link, PartResult& part) const {
  select_part(link, extent(), connectivity_, selection_, part,
              {{}, value_type_.value_or(ValueType::u8), options_.values.per_value});
}

LabelWork LabelInput::work(const Extent& extent) const {
  LabelWork work{extent, connectivity_, options_.algorithm.engine, !(selection_ == SelectionOptions())};
  work.labels_background = options_.fill_holes || measures_.needs_background();
  work.wraps = options_.periodic != PeriodicAxes{};
  work.measures = measures_.request();
  if (value_type_) {
    work.values = sample_type_;
    work.delta = options_.values.most_difference();
    work.by_object = options_.values.objects;
    work.sums_values = options_.values.sums_values();
    if (work.engine.device != DeviceChoice::cuda) work.engine.device = DeviceChoice::cpu;
  }
  return work;
}

void LabelInput::find_threshold() {
  reader_->find_threshold();
  const io::Geometry geometry = info_.geometry;  // as labeled
  info_ = reader_->info();
  info_.geometry = geometry;
}

const std::vector<std::string>& LabelInput::states() const {
  if (states_.empty())
    for (const io::Source& file : files_.sources()) states_.push_back(files_.state_of(file));
  return states_;
}

const std::string& LabelInput::state_of(const std::string& path) const {
  const std::vector<io::Source> files = files_.sources();
  return states()[static_cast<std::size_t>(
      std::find_if(files.begin(), files.end(), [&](const io::Source& file) { return file.path == path; }) -
      files.begin())];
}

void LabelInput::check_state() const {
  if (is_shared_ && files_.state_of(files_.input) != states().front())
    throw Error(ErrorCode::data, "the input changed while it was read");
}

std::string LabelInput::state() const {
  is_shared_ = true;
  std::string state = info_.format + " " + io::to_string(info_.extent);
  for (const std::string& one : states()) state += " " + one;
  return state;
}

std::optional<std::string> LabelInput::changed(const std::string& before) const {
  const std::string now = state();
  if (now == before) return std::nullopt;
  // The first word that differs belongs to the file that has changed; format and extent are words of the
  // input.
  const auto differs = std::mismatch(now.begin(), now.end(), before.begin(), before.end()).first;
  const std::ptrdiff_t word = std::count(now.begin(), differs, ' ');
  const std::vector<io::Source> files = files_.sources();
  return files[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(word - 2, 0, std::ssize(files) - 1))];
}

}  // namespace gpuccl::app
