#include "app/parts/part_input.hpp"

#include <atomic>
#include <utility>

#include "app/common/stopwatch.hpp"
#include "app/label/describe.hpp"
#include "app/label/device_remedy.hpp"
#include "app/label/label_checks.hpp"
#include "gpuccl/holes.hpp"
#include "gpuccl/periodic.hpp"
#include "io/image/limits.hpp"
#include "io/read/input_files.hpp"

namespace gpuccl::app {

PartInput::PartInput(std::string path, const LabelOptions& options,
                     std::function<void(const std::string& line)> warn)
    : path_(std::move(path)), stack_(options.input.stack), values_(options.values) {
  io::ReadOptions read;
  read.foreground = options.input.foreground;
  read.limits = options.input.limits;
  read.spacing = options.spacing;
  read.stack = stack_;
  read.in_parts = true;
  read.pages_apart = options.algorithm.per_slice;
  read.warn = std::move(warn);
  reader_ = io::open_reader(path_, read);
  check_pages(info(), options);
  connectivity_ = options.algorithm.connectivity_for(extent(), info().format != "png");
  check_periodic(extent(), connectivity_, options.periodic);
  if (values_.by_values) {
    value_type_ = reader_->value_type();
    check_value_type(*value_type_, values_);
  }
  state_ = state_now();
}

std::string PartInput::foreground_rule() const {
  return value_type_ ? rule_of(values_) : info().foreground_rule;
}

PartInput::Found PartInput::label(const Slab& slab, LazyEngine& engine) {
  Found found;
  with_remedy(engine.device(), value_type_.has_value(),
              [&] { value_type_ ? label_values_of(slab, engine, found) : label_bits(slab, engine, found); });
  const Components& components = found.labeled.components;
  self_check(found.labeled.labels.get(), components.size(), areas_of(components).sum,
             found.foreground + filled_);
  check_state();
  return found;
}

void PartInput::check_state() const {
  if (state_now() != state_) throw Error(Failure::data, "the input changed while it was read");
}

void PartInput::label_bits(const Slab& slab, LazyEngine& engine, Found& found) {
  Engine& started = engine.start();
  if (!foreground_) read(slab);
  found.foreground = *foreground_;
  found.read_ms = read_ms_;
  if (bits_.extent().elements() > 0)
    found.labeled = started.label(bits_.view(), connectivity_, &found.engine);
}

void PartInput::label_values_of(const Slab& slab, LazyEngine& engine, Found& found) {
  Engine& started = engine.start();
  found.engine.algorithm = "runs";
  found.engine.connectivity = connectivity_;
  found.faces.delta = values_.most_difference();
  if (slab.z0 == slab.z1 || slab.y0 == slab.y1) return;
  const Stopwatch reading;
  ValueImage image = slab.y1 - slab.y0 < extent().height
                         ? reader_->read_value_rows(slab.z0, slab.y0, slab.y1, found.faces.delta)
                         : reader_->read_values(slab.z0, slab.z1, found.faces.delta);
  found.read_ms = reading.milliseconds();
  found.foreground = static_cast<std::uint64_t>(image.count_foreground());
  found.faces = faces_of(image, slab, extent(), connectivity_);
  LabeledValues labeled = started.label_values(std::move(image), connectivity_, &found.engine);
  found.labeled = std::move(labeled.labeled);
  found.values = std::move(labeled.values);
}

std::string PartInput::state_now() const {
  const io::InputState all = io::state_of_input(path_, stack_);
  return info().format + " " + io::to_string(info().extent) + " " + std::to_string(all.fingerprint);
}

PartInput::Found PartInput::label_background(const Slab& slab, LazyEngine& engine) {
  Found found;
  with_remedy(engine.device(), false, [&] {
    Engine& started = engine.start();
    read(slab);
    found.foreground = *foreground_;
    found.read_ms = read_ms_;
    if (bits_.extent().elements() == 0) return;
    invert(bits_);
    found.labeled = started.label(bits_.view(), complementary(connectivity_), &found.engine);
  });
  check_state();
  return found;
}

void PartInput::fill(const Slab& slab, std::unique_ptr<LabelSource> background, std::uint64_t foreground) {
  foreground_ = foreground;
  BitVolume filled(extent_of(slab, extent()));
  if (filled.extent().elements() == 0) return;
  draw_background(*background, static_cast<std::int64_t>(slab.z0) * extent().height + slab.y0, filled);
  background.reset();
  bits_ = std::move(filled);
  filled_ = static_cast<std::uint64_t>(count_foreground(bits_.view())) - foreground;
}

void PartInput::read(const Slab& slab) {
  const Stopwatch reading;
  foreground_ = read_bits(slab);
  read_ms_ = reading.milliseconds();
}

/// Returns the number of foreground elements.
std::uint64_t PartInput::read_bits(const Slab& slab) {
  reader_->find_threshold();
  bits_ = BitVolume(extent_of(slab, extent()));
  if (bits_.extent().height < extent().height) {
    if (bits_.extent().elements() > 0) reader_->read_rows(slab.z0, slab.y0, slab.y1, bits_);
    return static_cast<std::uint64_t>(count_foreground(bits_.view()));
  }
  std::atomic<std::int64_t> foreground = 0;
  if (slab.z0 < slab.z1)
    reader_->read(slab.z0, slab.z1, bits_, [&](BitView slice) { foreground += count_foreground(slice); });
  return static_cast<std::uint64_t>(foreground);
}

PieceReport report_of(PartInput& input, const PartInput::Found& found) {
  PieceReport report;
  report.set_engine(found.engine);
  report.foreground_rule = input.foreground_rule();
  report.foreground = found.foreground;
  report.more_than_two_values = input.reader().has_more_than_two_values();
  report.read_ms = found.read_ms;
  report.statistics_ms = found.labeled.statistics_ms;
  report.phases = found.labeled.phases;
  return report;
}

}  // namespace gpuccl::app
