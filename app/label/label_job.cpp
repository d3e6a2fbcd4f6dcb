#include "app/label/label_job.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "app/common/messages.hpp"
#include "app/label/device_remedy.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_slabs.hpp"
#include "gpuccl/component_bound.hpp"
#include "gpuccl/holes.hpp"
#include "io/files/bytes_in_words.hpp"
#include "io/files/file_error.hpp"
#include "io/image/limits.hpp"
#include "io/image/strips.hpp"
#include "io/report/contacts_csv.hpp"
#include "io/report/stats_csv.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {
namespace {

constexpr double kWriteBuffers = 8 << 20;      // for strips of common images
constexpr std::int64_t kInAnyCase = 24 << 20;  // bytes beyond the limit that are always granted

}  // namespace

LabelJob::LabelJob(const LabelPaths& files, const LabelOptions& options, Warn warn)
    : files_(files),
      options_(options),
      warn_(std::move(warn)),
      progress_(options.progress, files.input),
      streams_(files),
      measures_(files, options),
      values_(options.values),
      description_(files, options,
                   [this](const std::string& path, const std::string& line) { this->warn(path, line); }) {}

void LabelJob::open() {
  progress_.stage("reading");
  io::concerning(files_.input, [&] {
    io::ReadOptions read;
    read.foreground = options_.input.foreground;
    read.limits = options_.input.limits;
    limit_ = io::memory_limit(options_.input.limits);
    read.limits.memory = limit_;
    read.spacing = options_.spacing;
    read.planes = options_.planes;
    read.stack = options_.input.stack;
    read.in_parts = true;
    read.pages_apart = options_.algorithm.per_slice;
    read.warn = [this](const std::string& line) { warn(files_.input, line); };
    reader_ = io::open_reader(files_.input, read);
    const io::ImageInfo& info = reader_->info();
    extent_ = info.extent;
    connectivity_ = options_.algorithm.connectivity_for(info.extent, info.format != "png");
    work_ = {extent_, connectivity_, options_.algorithm.engine, !(options_.selection == SelectionOptions()),
             options_.fill_holes.has_value()};
    work_.wraps = options_.periodic != PeriodicAxes{};
    check_periodic(extent_, connectivity_, options_.periodic);
    check_pages(info, options_);
    if (options_.fill_holes)
      check_labels_background(options_.algorithm.engine, connectivity_, "--fill-holes");
    if (options_.values.by_values) values_.plan(*reader_, work_);
    measures_.plan(info, connectivity_);
    if (const std::string line = measures_.left_out(); !line.empty()) warn(files_.input, line);
    if (measures_.needs_background()) {
      check_labels_background(options_.algorithm.engine, connectivity_, "--measure of cavities or tunnels");
      work_.labels_background = true;
    }
    read.warn = [this](const std::string& line) { warn(files_.intensity, line); };
    measures_.open_intensity(read, info);
    work_.measures = measures_.request();
    held_ = reader_->held_bytes() + measures_.held_bytes();
    const std::int64_t most_in_row = work_.values ? extent_.width : (std::int64_t{extent_.width} + 1) / 2;
    runs_ = {most_in_row * extent_.rows(), most_in_row};
    plan_ = plan_memory(work_, limit_, held_);
    estimate();
  });
  outputs_ = std::make_unique<LabelOutputs>(files_, std::move(streams_), options_.output);
  piece_.read_ms = since_.lap();
}

/// Bytes that values of samples take at most while they are counted.
double LabelJob::bytes_of_counts() const {
  const bool is_known = image_.extent() == extent_ && !options_.fill_holes;
  return measures_.bytes_of_counts(is_known ? foreground_ : extent_.elements());
}

/// Bytes of rows that contacts are found in, if they are asked for.
double LabelJob::bytes_of_contacts() const {
  if (files_.contacts.empty()) return 0;
  return static_cast<double>(
      bytes_to_find_contacts(extent_, all_neighbors(connectivity_), runs_.most_in_row, options_.periodic));
}

/// Bytes that writing takes while so many strips are under way, by what is known of runs and components.
double LabelJob::bytes_to_write(std::int64_t strips) const {
  std::int64_t bytes = 0;
  if (const io::AtomicFile* file = outputs_->image()) {
    const io::LabelFormat format = io::label_format(file->path());
    const bool is_wide = format != io::LabelFormat::png && most_components_ > UINT16_MAX;
    const io::LabelType type = options_.values.keep_values                       ? io::LabelType::u32
                               : options_.label_type != io::LabelType::automatic ? options_.label_type
                               : is_wide                                         ? io::LabelType::u32
                                                                                 : io::LabelType::u16;
    bytes = strips * io::bytes_of_strip(format, type, compression(), extent_, runs_.most_in_row);
  }
  if (outputs_->preview() != nullptr)
    bytes = std::max(bytes, io::bytes_of_preview_rows(extent_, runs_.most_in_row));
  return static_cast<double>(bytes);
}

/// Bytes that the labels take in memory and, beside them, writing so many strips at once.
double LabelJob::bytes_while_writing(std::int64_t strips) const {
  const double labels =
      plan_.slabs.empty() ? bytes_of_labels(work_, runs_.all) : plan_.slab_bytes + static_cast<double>(held_);
  return labels + bytes_of_components(work_, most_components_) +
         static_cast<double>(measured_.bytes_beside()) + bytes_to_write(strips);
}

/// Whether there is memory for a strip at least; what takes a few MiB is always written.
bool LabelJob::can_write(std::int64_t strips) const {
  return bytes_while_writing(strips) <= static_cast<double>(limit_ + kInAnyCase);
}

/// As many as there is memory for.
std::size_t LabelJob::strips_at_once() const {
  const double one = bytes_to_write(1);
  const double more = static_cast<double>(std::min(allowed_, limit_)) - bytes_while_writing(1);
  return one > 0 && more > 0 ? 1 + static_cast<std::size_t>(more / one) : 1;
}

io::Compression LabelJob::compression() const {
  return options_.compression.value_or(io::Compression::deflate);
}

/// The memory that is needed, by the header.
void LabelJob::estimate() {
  constexpr double kComponentsEach = 0.5;  // bytes an element; noise has more, which is seen when it is read
  beside_ =
      static_cast<std::int64_t>(kWriteBuffers) + reader_->buffer_bytes() + held_ + measures_.buffer_bytes();
  needed_ = limit_;
  if (plan_.slabs.empty())
    need(bytes_at_once(work_) + kComponentsEach * static_cast<double>(extent_.elements()) +
         bytes_of_counts() + bytes_of_contacts());
}

void LabelJob::need(double bytes) {
  needed_ = static_cast<std::int64_t>(
      std::ceil(std::min(bytes + static_cast<double>(beside_), static_cast<double>(limit_))));
}

bool LabelJob::read(std::int64_t allowed) {
  waited_ms_ += since_.lap();
  bool enough = true;
  io::concerning(files_.input, [&] {
    reader_->find_threshold();
    input_ = reader_->info();
    piece_.foreground_rule = work_.values ? rule_of(options_.values) : input_.foreground_rule;
    if (!plan_.slabs.empty()) return;
    allowed_ = std::min(allowed, limit_);
    if (!is_read())
      read_all(allowed < limit_ || !components_fit(work_, limit_) ||
               !can_write(static_cast<std::int64_t>(io::strips_at_once())));
    if (allowed < limit_) {
      const double all = std::max(
          bytes_at_once(work_) + bytes_of_components(work_, most_components_) + bytes_of_counts(),
          std::max(bytes_while_writing(1) - kWriteBuffers, bytes_while_writing(0) + bytes_of_contacts()));
      enough = all + static_cast<double>(beside_) <= static_cast<double>(allowed);
      if (!enough) need(all);
    } else if (!components_fit(work_, limit_, most_components_)) {
      forget();
      plan_ = plan_large_slabs(work_, limit_, held_);
    }
    if (enough && plan_.slabs.empty() && can_write()) reader_.reset();  // else it may be read again
  });
  piece_.read_ms += since_.lap();
  return enough;
}

void LabelJob::read_all(bool is_tight) {
  if (work_.values) {
    values_.read(*reader_, extent_.depth);
    foreground_ = values_.foreground();
    runs_ = values_.runs();
    most_components_ = runs_.all;
    return;
  }
  BitVolume image(extent_);
  std::atomic<std::int64_t> foreground = 0;
  reader_->read(0, extent_.depth, image, [&](BitView slice) { foreground += count_foreground(slice); });
  piece_.more_than_two_values = reader_->has_more_than_two_values();
  foreground_ = foreground;
  if (is_tight) {
    most_components_ = most_components(image.view(), connectivity_);
    runs_ = count_runs(image.view());
    if (options_.fill_holes) {
      invert(image);
      most_components_ =
          std::max(most_components_, most_components(image.view(), complementary(connectivity_)));
      invert(image);
    }
  }
  image_ = std::move(image);
}

void LabelJob::label(Engine& engine) {
  const std::size_t slabs = plan_.slabs.size();
  progress_.stage(slabs == 0 ? "labeling" : "labeling in " + std::to_string(slabs) + " slabs");
  io::concerning(files_.input, [&] {
    piece_.foreground = static_cast<std::uint64_t>(
        with_remedy(options_.algorithm.engine.device, work_.values.has_value(), [&] {
          if (plan_.slabs.empty()) {
            const std::int64_t elements = label_at_once(engine);
            if (reader_ == nullptr || can_write()) return elements;
            labeled_ = {};
            image_ = {};
            plan_ = plan_large_slabs(work_, limit_, held_);
          }
          return label_by_slabs(engine);
        }));
    piece_.set_engine(engine_report_);
    piece_.phases = labeled_.phases;
    Areas areas = areas_of(labeled_.components);
    self_check(labeled_.labels.get(), labeled_.components.size(), areas.sum,
               piece_.foreground + (holes_ ? holes_->elements : 0));
    if (work_.wraps) {
      wrap_components();
      areas = areas_of(labeled_.components);
    }
    description_.labeled(input_, connectivity_, {&piece_, 1}, areas.largest, holes_,
                         measures_.grid_difference());
    measure_components(engine);
    selection_ = select(std::move(labeled_.components), extent_, !is_3d(connectivity_), options_.selection,
                        measured_, values_.of_components());
    measured_.select(selection_.map);
    values_.follow(selection_.map, selection_.components.size());
    description_.selected(selection_.components.size(), selection_.dropped);
    io::Report& report = description_.report;
    if (work_.values) report.value = values_.column();
    if (options_.values.one_each()) report.values = io::sum_up_values(report.value, selection_.components);
    measured_.show_only(options_.measure.wanted);
    if (work_.wraps) select_wrapped();
  });
  description_.report.statistics_ms = labeled_.statistics_ms + since_.lap();
}

/// From here on components are whole ones; labels are still those of their parts.
void LabelJob::wrap_components() {
  wrapped_ = wrap(*labeled_.labels, labeled_.components, connectivity_, options_.periodic, values_.values());
  labeled_.components = std::move(wrapped_.components);
  values_.follow(wrapped_.map, labeled_.components.size());
}

/// What becomes of parts is what becomes of their wholes.
void LabelJob::select_wrapped() {
  if (!selection_.map.empty())
    for (Label& label : wrapped_.map) label = selection_.map[label];
  selection_.map = std::move(wrapped_.map);
  wrapped_ = {};
}

void LabelJob::fill_holes(Engine& engine) {
  const Stopwatch filling;
  invert(image_);
  const Holes holes(engine.label(image_.view(), complementary(connectivity_)), !is_3d(connectivity_),
                    *options_.fill_holes);
  BitVolume filled(extent_);
  holes.draw_filled(0, filled);
  image_ = std::move(filled);
  holes_ = {holes.count(), holes.elements()};
  piece_.fill_ms = filling.milliseconds();
}

void LabelJob::measure_components(Engine& engine) {
  if (!measures_.any()) return;
  progress_.stage("measuring");
  BitVolume enclosed;
  Labeled background;
  const bool needs_background = measures_.needs_background();
  if (needs_background && plan_.slabs.empty()) {
    enclosed = enclosed_background(*labeled_.labels, complementary(connectivity_));
    background = engine.label(enclosed.view(), complementary(connectivity_));
  } else if (needs_background) {
    background = label_background({files_.input, *reader_, engine, [](double) {}}, *labeled_.labels,
                                  connectivity_, plan_);
  }
  const std::int64_t memory = plan_.slabs.empty() ? std::min(allowed_, limit_) : limit_;
  measured_ = measures_.measure(
      labeled_, needs_background ? &background : nullptr, wrapped_.wraps,
      std::max(kInAnyCase, memory - static_cast<std::int64_t>(std::ceil(bytes_while_writing(0)))));
  description_.measured(measures_, measures_.nans());
}

/// Returns the number of foreground elements of the input.
std::int64_t LabelJob::label_at_once(Engine& engine) {
  if (options_.fill_holes) fill_holes(engine);
  labeled_ = work_.values ? values_.label(engine, connectivity_, engine_report_)
                          : engine.label(image_.view(), connectivity_, &engine_report_,
                                         work_.wraps ? SumsLayout{} : measures_.gathered());
  most_components_ = labeled_.labels->count();
  since_.lap();
  return foreground_;
}

std::int64_t LabelJob::label_by_slabs(Engine& engine) {
  SlabTotals totals;
  io::FilledHoles filled;
  const SlabInput input{files_.input, *reader_, engine, [this](double done) { progress_.share(done); }};
  for (;;) {
    std::optional<MemoryPlan> smaller;
    try {
      labeled_ = work_.values ? values_.label_by_slabs(input, connectivity_, plan_, totals)
                 : options_.fill_holes
                     ? label_filled_slabs(input, connectivity_, *options_.fill_holes, plan_, totals, filled)
                     : label_slabs(input, connectivity_, plan_, totals);
      runs_.most_in_row = totals.most_runs_in_row;
      most_components_ = labeled_.labels->count();
      if (can_write()) break;
      smaller = plan_smaller_slabs(work_, limit_, held_, plan_);
      if (!smaller)
        throw Error(Failure::memory, "needs " + io::bytes_in_words(bytes_while_writing(1)) +
                                         " of memory to write rows of so many labels, the limit is " +
                                         io::bytes_in_words(static_cast<double>(limit_)));
    } catch (const TooManyComponents&) {
      smaller = plan_smaller_slabs(work_, limit_, held_, plan_);
      if (!smaller) throw;
    }
    labeled_ = {};
    plan_ = std::move(*smaller);
  }
  since_.lap();
  if (options_.fill_holes) holes_ = {filled.count, filled.elements};
  piece_.fill_ms = filled.milliseconds;
  piece_.more_than_two_values = reader_->has_more_than_two_values();
  engine_report_ = totals.engine;
  piece_.read_ms += totals.read_ms;
  return totals.foreground;
}

void LabelJob::write() {
  progress_.stage("writing");
  const auto count = static_cast<Label>(selection_.components.size());
  const io::MappedLabels labels{*labeled_.labels, selection_.map, count};
  if (io::AtomicFile* file = outputs_->image()) {
    if (options_.values.keep_values) {
      write_values(*file);
    } else {
      write_image(*file, labels, options_.label_type);
    }
  }
  if (io::AtomicFile* file = outputs_->preview())
    io::concerning(file->path(), [&] { io::write_preview(*file, labels); });
  if (!files_.contacts.empty()) find_contacts_of(labels);
  if (io::AtomicFile* file = outputs_->contacts())
    io::concerning(file->path(), [&] {
      io::write_contacts_csv(*file, is_3d(connectivity_), geometry(), contacts_, value());
    });
  if (io::AtomicFile* file = outputs_->stats())
    io::concerning(file->path(), [&] {
      io::write_stats_csv(*file, volume(), geometry(), selection_.components, measured_, value());
    });
}

/// Those of equal samples that touch by the connectivity that has made them are one; by all neighbors there
/// are others.
void LabelJob::find_contacts_of(const io::MappedLabels& labels) {
  const Connectivity all = all_neighbors(connectivity_);
  description_.contacts();
  const double bytes = bytes_while_writing(0) + bytes_of_contacts();
  if (bytes > static_cast<double>(limit_ + kInAnyCase))
    throw io::FileError(files_.input, Failure::memory,
                        "needs " + io::bytes_in_words(bytes) +
                            " of memory to find contacts in whole slices, the limit is " +
                            io::bytes_in_words(static_cast<double>(limit_)));
  contacts_ =
      find_contacts(labels.labels, all, labels.map.empty() ? nullptr : labels.map.data(), options_.periodic);
}

void LabelJob::commit() {
  outputs_->finish();
  description_.written(*outputs_);
  io::Report& report = description_.report;
  report.write_ms = since_.lap();
  report.total_ms = milliseconds();
  outputs_->commit(report, selection_.components, measured_, contacts_);
}

/// Every label as the value of its component, 0 where that is gone.
void LabelJob::write_values(io::AtomicFile& file) {
  io::concerning(file.path(), [&] {
    const WrittenValues written = values_.written(selection_.map);
    const io::MappedLabels values{*labeled_.labels, written.map, written.largest};
    write_image(file, values, written.type);
  });
}

void LabelJob::write_image(io::AtomicFile& file, const io::MappedLabels& labels, io::LabelType asked) {
  io::concerning(file.path(), [&] {
    const io::LabelFormat format = io::label_format(file.path());
    io::WriteOptions write = write_options(options_, format, asked, labels.count, geometry());
    write.strips_at_once = strips_at_once();
    write.progress = [this](double done) { progress_.share(done); };
    description_.image(write, asked);
    io::write_labels(file, format, labels, write);
  });
}

void LabelJob::warn(const std::string& path, const std::string& line) {
  if (options_.quiet) return;
  progress_.clear();
  warn_(path, line);
}

}  // namespace gpuccl::app
