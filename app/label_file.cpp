#include "app/label_file.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "app/label_outputs.hpp"
#include "app/messages.hpp"
#include "app/progress.hpp"
#include "app/stopwatch.hpp"
#include "gpuccl/bit_volume.hpp"
#include "io/reader.hpp"
#include "io/report.hpp"

namespace gpuccl::app {
namespace {

/// What must hold whatever labelled the image; nothing is written when it does not.
void self_check(const Labeled& labeled, std::int64_t foreground) {
  const std::vector<std::uint64_t>& area = labeled.components.area;
  const std::uint64_t sum = std::accumulate(area.begin(), area.end(), std::uint64_t{0});
  if (sum != static_cast<std::uint64_t>(foreground) || area.size() != labeled.labels->count())
    throw Error(Failure::internal, "self-check failed: " + std::to_string(labeled.labels->count()) +
                                       " labels, " + std::to_string(area.size()) + " components of " +
                                       std::to_string(sum) + " elements, but the foreground has " +
                                       std::to_string(foreground));
}

std::string type_name(io::LabelType type) {
  switch (type) {
    case io::LabelType::automatic:
      break;
    case io::LabelType::u8:
      return "u8";
    case io::LabelType::u16:
      return "u16";
    case io::LabelType::u32:
      return "u32";
  }
  return "";
}

/// One file on its way from samples to labels; the steps are called in the order they stand in.
class Job {
 public:
  Job(const LabelFiles& files, const LabelOptions& options)
      : files_(files), options_(options), progress_(options.progress, files.input) {}

  void open() {
    progress_.stage("reading");
    concerning(files_.input, [&] {
      io::ReadOptions read;
      read.foreground = options_.input.foreground;
      read.limits = options_.input.limits;
      read.stack = options_.input.stack;
      read.warn = [this](const std::string& line) { warn(files_.input, line); };
      reader_ = io::open_reader(files_.input, read);
      const io::ImageInfo& info = reader_->info();
      connectivity_ = options_.algorithm.connectivity_for(info.extent, info.format != "png");
    });
    outputs_ = std::make_unique<LabelOutputs>(files_, options_.output.file);
  }

  void read() {
    concerning(files_.input, [&] {
      image_ = BitVolume(reader_->info().extent);
      reader_->read(0, image_.extent().depth, image_);
      report_.input = reader_->info();
      reader_.reset();
    });
    report_.read_ms = since_.lap();
  }

  void label(Engine& engine) {
    progress_.stage("labeling");
    concerning(files_.input, [&] {
      labeled_ = engine.label(image_.view(), connectivity_, &engine_report_);
      since_.lap();
      const std::int64_t foreground = count_foreground(image_.view());
      self_check(labeled_, foreground);
      report_.foreground = static_cast<double>(foreground) / static_cast<double>(image_.extent().elements());
      selection_ =
          select(std::move(labeled_.components), image_.extent(), !is_3d(connectivity_), options_.selection);
    });
    report_.statistics_ms = labeled_.statistics_ms + since_.lap();
  }

  void write() {
    progress_.stage("writing");
    const auto count = static_cast<Label>(selection_.components.size());
    const io::MappedLabels labels{*labeled_.labels, selection_.map, count};
    if (io::AtomicFile* file = outputs_->image()) write_image(*file, labels);
    if (io::AtomicFile* file = outputs_->preview())
      concerning(file->path(), [&] { io::write_preview(*file, labels); });
    if (io::AtomicFile* file = outputs_->stats())
      concerning(file->path(), [&] { io::write_stats_csv(*file, volume(), selection_.components); });
    outputs_->finish();
    if (const io::AtomicFile* file = outputs_->image()) report_.output_bytes = file->size();
    report_.write_ms = since_.lap();
  }

  LabelSummary commit() {
    complete_report();
    outputs_->commit(report_, selection_.components);
    return {report_.components, report_.dropped, engine_report_, total_.milliseconds()};
  }

 private:
  bool volume() const { return image_.extent().depth > 1 || is_3d(connectivity_); }

  void write_image(io::AtomicFile& file, const io::MappedLabels& labels) {
    concerning(file.path(), [&] {
      const io::LabelFormat format = io::label_format(file.path());
      io::WriteOptions write;
      write.type = io::resolve_label_type(options_.label_type, labels.count, format);
      write.compression = options_.compression.value_or(io::Compression::deflate);
      write.spacing = report_.input.spacing;
      write.progress = [this](double done) { progress_.share(done); };
      if (format == io::LabelFormat::tiff && write.type == io::LabelType::u32 &&
          options_.label_type == io::LabelType::automatic)
        warn(file.path(),
             std::to_string(labels.count) +
                 " labels need 32-bit samples, which older ITK reads wrongly and ImageJ as float; "
                 "--label-type u32 says that this is wanted");
      io::write_labels(file, format, labels, write);
      report_.label_type = type_name(write.type);
      report_.output_path = file.path();
    });
  }

  void complete_report() {
    report_.algorithm = engine_report_.algorithm;
    report_.connectivity = static_cast<int>(connectivity_);
    report_.volume = volume();
    report_.device_kind = engine_report_.device_kind == DeviceKind::cuda ? "cuda" : "cpu";
    report_.device_name = engine_report_.device_name;
    report_.components = selection_.components.size();
    report_.dropped = selection_.dropped;
    report_.order = options_.selection.order == LabelOrder::size ? "size" : "raster";
    report_.start_up_ms = engine_report_.start_up_ms;
    report_.label_ms = engine_report_.label_ms;
    report_.phases = labeled_.phases;
    report_.total_ms = total_.milliseconds();
  }

  void warn(const std::string& path, const std::string& line) {
    if (options_.quiet) return;
    progress_.clear();
    print_warning(display_name(path) + ": " + line);
  }

  const LabelFiles& files_;
  const LabelOptions& options_;
  Progress progress_;
  Stopwatch total_, since_;

  std::unique_ptr<io::Reader> reader_;
  Connectivity connectivity_ = Connectivity::c8;
  std::unique_ptr<LabelOutputs> outputs_;
  BitVolume image_;
  EngineReport engine_report_;
  Labeled labeled_;
  Selection selection_;
  io::Report report_;
};

}  // namespace

LabelSummary label_file(const LabelFiles& files, const LabelOptions& options, LazyEngine& engine) {
  Job job(files, options);
  job.open();
  Engine& started = engine.start();  // the device starts while the file is read
  job.read();
  job.label(started);
  job.write();
  return job.commit();
}

}  // namespace gpuccl::app
