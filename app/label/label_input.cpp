#include "app/label/label_input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "app/label/label_checks.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/read/input_files.hpp"
#include "io/read/one_image.hpp"

namespace gpuccl::app {

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
  read.stack = options.input.stack;
  read.in_parts = true;
  read.pages_apart = options.algorithm.per_slice;
  read.opened = opened_;
  for (const std::string& list : options.inputs)
    if (list.starts_with('@')) opened_->add(list.substr(1), io::bytes_of_regular_file(list.substr(1)));
  const auto warn_of = [&](const std::string& path) {
    return warn ? std::function([warn, path](const std::string& line) { warn(path, line); }) : nullptr;
  };
  read.warn = warn_of(files.input);
  const auto open = [&] { return io::open_reader(files.input, read); };
  reader_ = options.is_in_parts ? open() : io::open_with_every_frame(open);
  info_ = reader_->info();
  if (!files.outlines.empty() && info_.extent.depth > 1)
    throw Error(ErrorCode::data,
                fmt::format("has {} slices, but --outlines is for images with one; select one with --page",
                            info_.extent.depth));
  connectivity_ = options.algorithm.connectivity_for(extent(), io::holds_volumes(info_.format));
  selection_ = with_limits(options.selection, options.physical_limits, info_, connectivity_);
  check_periodic(extent(), connectivity_, options.periodic);
  check_pages(info_, options);
  if (options.fill_holes) check_labels_background(options.algorithm.engine, connectivity_, "--fill-holes");
  if (options.values.by_values) {
    value_type_ = sample_type_ = reader_->value_type();
    const bool are_wide = is_floating(*value_type_) || *value_type_ == ValueType::i64;
    if (options.values.objects && are_wide) value_type_ = ValueType::u64;
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
}

std::string LabelInput::foreground_rule() const {
  if (value_type_) return rule_of(options_.values);
  const InputOptions& input = options_.input;
  if (!input.has_hysteresis()) return info_.foreground_rule;
  const io::ForegroundOptions strong = input.strong_rule();
  return info_.foreground_rule + "; components with a value " + (strong.invert ? "<= " : "> ") +
         (strong.whole_threshold ? strong.whole_threshold->text() : io::shortest(*strong.threshold));
}

HoleCounts LabelInput::select_holes(PartLink& link, GlobalPart& background) const {
  const SelectionOptions holes{.max_size = options_.fill_holes.value(), .clear_border = true};
  select_part(link, extent(), complementary(connectivity_), holes, background);
  const UninitializedVector<std::uint64_t>& areas = background.components.area;
  return {background.count, link.scan(std::accumulate(areas.begin(), areas.end(), std::uint64_t{0})).all};
}

void LabelInput::wrap(PartLink& link, GlobalPart& part) const {
  const std::vector<std::array<Wrap, 3>> wraps =
      wrap_part(link, extent(), connectivity_, options_.periodic, part);
  if (!measures_.any()) return;
  MeasureRequest request = measures_.request();
  request.wraps = wraps;
  part.measured = empty_measures(extent(), part.components, request);
}

void LabelInput::select(PartLink& link, GlobalPart& part) const {
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
  info_ = reader_->info();
}

std::string LabelInput::state_now() const {
  const io::InputState all = io::state_of_input(files_.input, options_.input.stack);
  return info_.format + " " + io::to_string(info_.extent) + " " + std::to_string(all.fingerprint);
}

const std::string& LabelInput::first_state() const { return state_ ? *state_ : state_.emplace(state_now()); }

void LabelInput::check_state() const {
  if (state_ && state_now() != *state_) throw Error(ErrorCode::data, "the input changed while it was read");
}

std::vector<std::string> LabelInput::other_files() const {
  std::vector<std::string> files = files_.intensities;
  if (!files_.seeds.empty()) files.push_back(files_.seeds);
  return files;
}

std::string LabelInput::state() const {
  std::string state = first_state();
  const std::vector<std::string> others = other_files();
  for (const std::string& path : others)
    io::with_path(path, [&] {
      state += " " + std::to_string(io::state_of_input(path, io::is_folder_of_images(path)).fingerprint);
    });
  return state;
}

std::optional<std::string> LabelInput::changed(const std::string& before) const {
  const std::string now = state();
  if (now == before) return std::nullopt;
  const std::vector<std::string> others = other_files();
  if (others.empty() || !before.starts_with(first_state() + " ")) return files_.input;
  // The first word that differs belongs to the image that has changed.
  const auto differs = std::mismatch(now.begin(), now.end(), before.begin(), before.end()).first;
  const auto words =
      std::count(now.begin() + static_cast<std::ptrdiff_t>(first_state().size()), differs, ' ');
  return others[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(words - 1, 0, std::ssize(others) - 1))];
}

}  // namespace gpuccl::app
