#include "app/label/label_job.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "app/common/device_name.hpp"
#include "app/common/messages.hpp"
#include "app/label/deciding_options.hpp"
#include "app/label/label_slabs.hpp"
#include "gpuccl/component_bound.hpp"
#include "io/files/file_error.hpp"
#include "io/files/file_identity.hpp"
#include "io/image/limits.hpp"
#include "io/image/strips.hpp"
#include "io/report/stats_csv.hpp"
#include "io/write/label_writer.hpp"
#include "io/write/preview.hpp"

namespace gpuccl::app {
namespace {

/// Elements of all components, and of the largest.
struct Areas {
  std::uint64_t sum = 0, largest = 0;
};

Areas areas_of(const Components& components) {
  using Range = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      Range(0, components.size(), 1 << 16), Areas{},
      [&](const Range& range, Areas areas) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          areas.sum += components.area[i];
          areas.largest = std::max(areas.largest, components.area[i]);
        }
        return areas;
      },
      [](Areas a, Areas b) {
        return Areas{a.sum + b.sum, std::max(a.largest, b.largest)};
      });
}

/// What must hold whatever labelled the image; nothing is written when it does not.
void self_check(const Labeled& labeled, std::uint64_t in_components, std::int64_t foreground) {
  const std::size_t components = labeled.components.size();
  if (in_components != static_cast<std::uint64_t>(foreground) || components != labeled.labels->count())
    throw Error(Failure::internal, "self-check failed: " + std::to_string(labeled.labels->count()) +
                                       " labels, " + std::to_string(components) + " components of " +
                                       std::to_string(in_components) + " elements, but the foreground has " +
                                       std::to_string(foreground));
}

/// Does `work`; where a GPU was demanded and none can be used, the error says what labels without one.
template <class Work>
std::int64_t with_remedy(DeviceChoice device, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (device != DeviceChoice::cuda || error.failure() != Failure::unavailable) throw;
    throw Error(error.failure(), std::string(error.what()) + "; --device auto labels on the CPU instead");
  }
}

}  // namespace

LabelJob::LabelJob(const LabelPaths& files, const LabelOptions& options, Warn warn)
    : files_(files),
      options_(options),
      warn_(std::move(warn)),
      progress_(options.progress, files.input),
      streams_(files) {}

void LabelJob::open() {
  progress_.stage("reading");
  io::concerning(files_.input, [&] {
    io::ReadOptions read;
    read.foreground = options_.input.foreground;
    read.limits = options_.input.limits;
    limit_ = io::memory_limit(options_.input.limits);
    read.limits.memory = limit_;
    read.stack = options_.input.stack;
    read.in_parts = true;
    read.warn = [this](const std::string& line) { warn(files_.input, line); };
    reader_ = io::open_reader(files_.input, read);
    const io::ImageInfo& info = reader_->info();
    extent_ = info.extent;
    connectivity_ = options_.algorithm.connectivity_for(info.extent, info.format != "png");
    work_ = {extent_, connectivity_, options_.algorithm.engine, !(options_.selection == SelectionOptions())};
    held_ = reader_->held_bytes() + wide_rows();
    plan_ = plan_memory(work_, limit_, held_);
    estimate();
  });
  outputs_ = std::make_unique<LabelOutputs>(files_, std::move(streams_), options_.output);
  report_.read_ms = since_.lap();
}

/// Bytes of rows of labels that are drawn at the same time, or listed as runs, and of what is made of each,
/// where rows are so wide that it matters.
std::int64_t LabelJob::wide_rows() const {
  constexpr std::int64_t kWide = std::int64_t{4} << 20, kCopies = 3;
  const std::int64_t row = std::int64_t{sizeof(Label)} * extent_.width;
  if (row < kWide || (files_.image.empty() && files_.preview.empty())) return 0;
  return kCopies * row *
         std::min<std::int64_t>(extent_.rows(), static_cast<std::int64_t>(io::strips_at_once()));
}

/// The memory that is needed, by the header.
void LabelJob::estimate() {
  constexpr double kStrips = 8 << 20;      // of the image that is being written
  constexpr double kComponentsEach = 0.5;  // bytes an element; noise has more, which is seen when it is read
  beside_ = static_cast<std::int64_t>(kStrips) + reader_->buffer_bytes() + held_;
  needed_ = limit_;
  if (plan_.slabs.empty())
    need(bytes_at_once(work_) + kComponentsEach * static_cast<double>(extent_.elements()));
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
    report_.input = reader_->info();
    report_.input_bytes = io::bytes_of_regular_file(files_.input);
    if (!plan_.slabs.empty()) return;
    if (image_.extent() != extent_)
      read_all(allowed < limit_ || !components_fit(work_, limit_ - wide_rows()));
    if (allowed < limit_) {
      const double all = bytes_at_once(work_) + bytes_of_components(work_, most_components_);
      enough = all + static_cast<double>(beside_) <= static_cast<double>(allowed);
      if (!enough) need(all);
    } else if (!components_fit(work_, limit_ - wide_rows(), most_components_)) {
      image_ = {};
      plan_ = plan_large_slabs(work_, limit_, held_);
    }
    if (enough && plan_.slabs.empty()) reader_.reset();
  });
  report_.read_ms += since_.lap();
  return enough;
}

void LabelJob::read_all(bool bounds_components) {
  BitVolume image(extent_);
  std::atomic<std::int64_t> foreground = 0;
  reader_->read(0, extent_.depth, image, [&](BitView slice) { foreground += count_foreground(slice); });
  findings_.more_than_two_values = reader_->has_more_than_two_values();
  foreground_ = foreground;
  if (bounds_components) most_components_ = most_components(image.view(), connectivity_);
  image_ = std::move(image);
}

void LabelJob::label(Engine& engine) {
  const std::size_t slabs = plan_.slabs.size();
  progress_.stage(slabs == 0 ? "labeling" : "labeling in " + std::to_string(slabs) + " slabs");
  io::concerning(files_.input, [&] {
    const std::int64_t foreground = with_remedy(options_.algorithm.engine.device, [&] {
      return plan_.slabs.empty() ? label_at_once(engine) : label_by_slabs(engine);
    });
    const Areas areas = areas_of(labeled_.components);
    self_check(labeled_, areas.sum, foreground);
    report_.foreground = static_cast<double>(foreground) / static_cast<double>(extent_.elements());
    findings_.largest = areas.largest;
    give_hints();
    selection_ = select(std::move(labeled_.components), extent_, !is_3d(connectivity_), options_.selection);
  });
  report_.statistics_ms = labeled_.statistics_ms + since_.lap();
}

void LabelJob::give_hints() {
  findings_.foreground = report_.foreground;
  report_.hints = hints(report_.input, options_.input.foreground, connectivity_, findings_);
  for (const std::string& line : report_.hints) warn(files_.input, line);
}

/// Returns the number of foreground elements.
std::int64_t LabelJob::label_at_once(Engine& engine) {
  labeled_ = engine.label(image_.view(), connectivity_, &engine_report_);
  since_.lap();
  return foreground_;
}

std::int64_t LabelJob::label_by_slabs(Engine& engine) {
  SlabTotals totals;
  const auto progress = [this](double done) { progress_.share(done); };
  for (bool is_labeled = false; !is_labeled;) {
    try {
      labeled_ = label_slabs(files_.input, *reader_, engine, connectivity_, plan_, progress, totals);
      is_labeled = true;
    } catch (const TooManyComponents&) {
      std::optional<MemoryPlan> smaller = plan_smaller_slabs(work_, limit_, held_, plan_);
      if (!smaller) throw;
      plan_ = std::move(*smaller);
    }
  }
  since_.lap();
  findings_.more_than_two_values = reader_->has_more_than_two_values();
  engine_report_ = totals.engine;
  report_.read_ms += totals.read_ms;
  return totals.foreground;
}

void LabelJob::write() {
  progress_.stage("writing");
  const auto count = static_cast<Label>(selection_.components.size());
  const io::MappedLabels labels{*labeled_.labels, selection_.map, count};
  if (io::AtomicFile* file = outputs_->image()) write_image(*file, labels);
  if (io::AtomicFile* file = outputs_->preview())
    io::concerning(file->path(), [&] { io::write_preview(*file, labels); });
  if (io::AtomicFile* file = outputs_->stats())
    io::concerning(file->path(), [&] { io::write_stats_csv(*file, volume(), selection_.components); });
}

void LabelJob::commit() {
  outputs_->finish();
  const auto written = [](const io::AtomicFile* file) {
    return file != nullptr ? io::ReportedFile{file->path(), file->size()} : io::ReportedFile{};
  };
  report_.output = written(outputs_->image());
  report_.preview = written(outputs_->preview());
  report_.stats = written(outputs_->stats());
  report_.write_ms = since_.lap();
  complete_report();
  outputs_->commit(report_, selection_.components);
}

void LabelJob::write_image(io::AtomicFile& file, const io::MappedLabels& labels) {
  io::concerning(file.path(), [&] {
    const io::LabelFormat format = io::label_format(file.path());
    io::WriteOptions write;
    write.type = io::resolve_label_type(options_.label_type, labels.count, format);
    write.compression = options_.compression.value_or(io::Compression::deflate);
    write.big_tiff = options_.big_tiff.value_or(io::BigTiff::automatic);
    write.spacing = report_.input.spacing;
    write.progress = [this](double done) { progress_.share(done); };
    if (format == io::LabelFormat::tiff && write.type == io::LabelType::u32 &&
        options_.label_type == io::LabelType::automatic)
      warn(file.path(),
           "more than 65535 labels need 32-bit samples, which older ITK reads wrongly and ImageJ as float; "
           "--label-type u32 says that this is wanted");
    io::write_labels(file, format, labels, write);
    report_.label_type = word_of(label_types(), write.type);
  });
}

void LabelJob::complete_report() {
  report_.options = deciding_options(options_);
  report_.algorithm = engine_report_.algorithm;
  report_.connectivity = static_cast<int>(connectivity_);
  report_.volume = volume();
  report_.device_kind = device_name(engine_report_.device_kind);
  report_.device_name = engine_report_.device_name;
  report_.components = selection_.components.size();
  report_.dropped = selection_.dropped;
  report_.order = options_.selection.order == LabelOrder::size ? "size" : "raster";
  report_.start_up_ms = engine_report_.start_up_ms;
  report_.label_ms = engine_report_.label_ms;
  report_.phases = labeled_.phases;
  report_.total_ms = milliseconds();
}

void LabelJob::warn(const std::string& path, const std::string& line) {
  if (options_.quiet) return;
  progress_.clear();
  warn_(path, line);
}

}  // namespace gpuccl::app
