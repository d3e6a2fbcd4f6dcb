#include "app/label/batch/label_batch.hpp"

#include <fcntl.h>
#include <tbb/parallel_pipeline.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "app/common/messages.hpp"
#include "app/common/process.hpp"
#include "app/label/batch/admission.hpp"
#include "app/label/batch/batch_record.hpp"
#include "app/label/job.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/json.hpp"
#include "io/image/formats.hpp"
#include "io/image/limits.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/outlines.hpp"
#include "io/report/reported_run.hpp"
#include "io/zarr/zarr.hpp"

namespace gpuccl::app {
namespace {

namespace fs = std::filesystem;

/// Returns the options of one job of the batch.
LabelOptions for_one(const LabelOptions& options) {
  LabelOptions one = options;
  one.progress = false;
  one.output.file.sync_folder = false;  // done once, at the end
  one.input.limits.memory = io::memory_limit(options.input.limits);
  return one;
}

/// Returns the options of an item, as if it were the only one.
LabelOptions options_of(const BatchItem& item, const LabelOptions& options) {
  LabelOptions one = options;
  one.every_frame = false;
  if (item.frame) one.planes.frame = item.frame;
  if (item.intensity_frame) one.measure.intensity_planes.frame = item.intensity_frame;
  one.measure.movies = item.movies;
  return one;
}

/// Returns the columns of measures in the table of all inputs.
std::vector<MeasureColumn> columns_of(const MeasureOptions& measure) {
  std::vector<std::string> names;
  for (const IntensitySource& source : measure.sources()) names.push_back(source.name);
  return columns(measure.wanted, names);
}

constexpr const char* kListedByReport = "; --report FILE lists all";

/// Resolves --intensity-channel all to the channels of the first image that can be read.
void find_all_channels(const std::vector<BatchItem>& plan, LabelOptions& options) {
  MeasureOptions& measure = options.measure;
  if (!measure.all_channels) return;
  io::ReadOptions read;
  read.limits = options.input.limits;
  for (const BatchItem& item : plan) {
    if (item.problem || item.files.intensities.empty()) continue;
    std::vector<std::string> names;
    read.planes = planes_of_intensity(item.files.intensities.front(), options_of(item, options), nullptr);
    if (error_in(item.files.intensities.front(),
                 [&] { names = io::channel_names(item.files.intensities.front(), read); }))
      continue;
    measure.intensity_channels = measure.channels_of(names);
    return resolve_images(options.selection.keep, measure.sources());
  }
}

fs::file_time_type time_of(const std::string& path) {
  std::error_code unknown;
  return fs::last_write_time(path, unknown);
}

/// Returns whether the run has read the source of `files` as it is now.
bool is_as_read(const LabelPaths& files, const io::Source& source, const io::ReportedFile& reported) {
  if (source.empty()) return reported.path.empty();
  return reported.path == io::as_utf8(source) && !reported.state.empty() &&
         reported.state == files.state_of(source);
}

/// Returns whether the output `path`, if there is one, is the one in the report, which is written last.
bool is_of_run(const std::string& path, const io::ReportedFile& reported, const std::string& report) {
  if (path.empty()) return true;
  return reported.path == io::as_utf8(path) && reported.bytes == io::bytes_of_regular_file(path) &&
         time_of(path) <= time_of(report);
}

/// Returns whether all outputs exist and, as far as a report shows, belong to a run of this input with this
/// signature (signature_of()).
bool is_done(const LabelPaths& files, const std::string& signature) {
  const std::vector<io::Target> list = files.outputs();
  std::error_code unknown;
  const bool all_there = std::all_of(
      list.begin(), list.end(), [&](const io::Target& target) { return fs::exists(target.path, unknown); });
  if (!all_there || files.json.empty()) return all_there;
  const std::optional<io::ReportedRun> run = io::read_reported_run(files.json);
  const auto is_same = [&](const io::Source& source, const io::ReportedFile& reported) {
    return is_as_read(files, source, reported);
  };
  return run && run->complete && run->options == signature && is_same(files.input, run->input) &&
         is_same(files.seeds, run->seeds) &&
         std::equal(files.intensities.begin(), files.intensities.end(), run->intensities.begin(),
                    run->intensities.end(), is_same) &&
         is_of_run(files.image, run->output, files.json) &&
         is_of_run(files.preview, run->preview, files.json) &&
         is_of_run(files.stats, run->stats, files.json) &&
         is_of_run(files.contacts, run->contacts, files.json) &&
         is_of_run(files.outlines, run->outlines, files.json);
}

class Batch {
 public:
  Batch(const LabelOptions& options, std::vector<BatchItem> items)
      : options_(for_one(options)),
        items_(std::move(items)),
        workers_(workers_for(options)),
        progress_(items_.size(), options.quiet      ? BatchProgress::kSilent
                                 : options.progress ? BatchProgress::kOften
                                                    : BatchProgress::kUsual),
        admission_(options_.input.limits.memory, workers_.threads),
        files_(options, columns_),
        engine_(options.algorithm.engine, [this](const std::string& line) { warn(line); }) {
    files_.open();
    tally_.of_objects = options.values.objects;
  }

  /// Does not return if a signal has ended the batch in order.
  int run() {
    signal_.emplace();
    run_pipeline();
    for (std::size_t i = next_; i < items_.size(); ++i) add_outcome(i, {});
    if (options_.output.file.sync) sync_folders();
    const bool is_stopped = tally_.not_started > 0;
    if (is_stopped || (tally_.labeled + tally_.skipped == 0 && !tally_.failed.empty()))
      for (const std::string& path : files_.keep_older())
        progress_.message(path + ": unchanged, because " +
                          (is_stopped ? "the run was stopped; repeat it" : "no input was labeled"));
    for (const io::FileError& error : files_.commit()) {
      progress_.message(error.path() + ": " + error.what());
      tally_.failed_outputs.insert(exit_code(error.code()));
    }
    if (files_.is_pipe_closed()) end_by_signal(SIGPIPE);
    const int code = finish();
    if (signal_->number() != 0) end_by_signal(signal_->number());
    return code;
  }

 private:
  struct Done {
    std::size_t index = 0;
    Outcome outcome;
  };
  using DoneItem = std::shared_ptr<Done>;
  void run_pipeline() {
    // More workers than processors, because most of them wait; at most `threads` are admitted to work.
    const ThreadLimit workers(workers_.all);
    const auto number = tbb::make_filter<void, std::size_t>(
        tbb::filter_mode::serial_in_order, [this](tbb::flow_control& control) -> std::size_t {
          if (next_ < items_.size() && !stopped_ && signal_->number() == 0) return next_++;
          control.stop();
          return 0;
        });
    const auto work =
        tbb::make_filter<std::size_t, DoneItem>(tbb::filter_mode::parallel, [this](std::size_t i) {
          auto done = std::make_shared<Done>(Done{i, label(items_[i])});
          items_[i].files.kept.reset();  // frees what the last time point of the input has used
          return done;
        });
    const auto record = tbb::make_filter<DoneItem, void>(
        tbb::filter_mode::serial_in_order,
        [this](const DoneItem& done) { add_outcome(done->index, done->outcome); });
    tbb::task_arena(workers_.jobs).execute([&] {
      tbb::parallel_pipeline(static_cast<std::size_t>(workers_.jobs), number & work & record);
    });
  }

  Outcome label(const BatchItem& item) {
    if (!item.frame && !item.intensity_frame) return label(item, options_, signature_);
    const LabelOptions one = options_of(item, options_);
    return label(item, one, signature_of(one));
  }

  Outcome label(const BatchItem& item, const LabelOptions& options, const std::string& signature) {
    Outcome outcome;
    if (options.batch.skip_existing && is_done(item.files, signature)) {
      if (const auto run = io::read_reported_run(item.files.json)) outcome.components = run->components;
      outcome.error = error_in(item.files.json, [&] { copy_rows(item, outcome); });
      outcome.status = outcome.error ? Outcome::Status::failed : Outcome::Status::skipped;
      return outcome;
    }
    std::optional<Admission::Memory> memory;  // declared before the job, which uses it
    SoloLink link;
    std::optional<Job> job;
    outcome.error = error_in(item.files.input, [&] {
      if (item.problem) throw Error(*item.problem);
      job.emplace(link, item.files, options, signature,
                  [this](const std::string& path, const std::string& line) { warn_once(path, line); });
      complete(item, *job, memory, outcome);
    });
    outcome.status = outcome.error ? Outcome::Status::failed : Outcome::Status::labeled;
    if (job) outcome.seconds = job->milliseconds() / 1000;
    if (outcome.error && ends_batch(*outcome.error)) stopped_ = true;
    return outcome;
  }

  /// Takes the rows of an input that was labeled before from its report.
  void copy_rows(const BatchItem& item, Outcome& outcome) const {
    const bool has_values = options_.values.has_column();
    if (!options_.batch.summary.empty())
      outcome.summary =
          io::reported_summary(item.files.json, item.files.input, item.frame,
                               options_.separate_pages(options_.input.limits.max_pages), has_values);
    if (item.files.in_coco)
      io::with_path(item.files.outlines, [&] {
        const io::InputFile file(item.files.outlines, INT64_MAX);
        outcome.coco = std::make_shared<io::SpooledText>();
        std::string piece(std::size_t{1} << 16, '\0');
        std::uint64_t at = 0;
        std::size_t read = 0;
        do {
          read = file.read_at(at, piece.data(), piece.size());
          outcome.coco->add(std::string_view(piece).substr(0, read));
          at += read;
        } while (read > 0);
        check_coco(outcome);
      });
    if (options_.files.stats.empty()) return;
    outcome.table = std::make_shared<io::SpooledText>();
    io::write_reported_rows([&](std::string_view rows) { outcome.table->add(rows); }, item.files.json,
                            item.files.input, columns_, has_values, options_.digits, item.frame,
                            options_.separate_pages(1).first);
  }

  /// Throws Error if the COCO of an input cannot be joined with others.
  static void check_coco(const Outcome& outcome) {
    io::CocoOfImages([](std::string_view) {}).add({}, [&](const io::TextSink& sink) {
      outcome.coco->copy_to(sink);
    });
  }

  void complete(const BatchItem& item, Job& job, std::optional<Admission::Memory>& memory, Outcome& outcome) {
    for (const std::string& path : item.files.outputs()) io::make_folder(fs::path(path).parent_path());
    Admission::alone([&] { job.open(); });  // read by one thread, like the other files
    bool done = false;
    const auto work = [&] {
      if (!job.read(memory->bytes()) && !(memory->extend(job.needed_bytes()) && job.read(memory->bytes())))
        return job.forget();
      job.label(engine_);
      if (item.files.in_coco) {
        outcome.coco = std::make_shared<io::SpooledText>();
        job.write_coco([&](std::string_view text) { outcome.coco->add(text); });
        check_coco(outcome);
      }
      job.write();
      if (!options_.files.stats.empty()) {
        outcome.table = std::make_shared<io::SpooledText>();
        io::write_joint_stats_rows([&](std::string_view rows) { outcome.table->add(rows); }, item.files.input,
                                   job.volume(), job.geometry(), job.components(), columns_, job.measured(),
                                   job.value(), options_.digits, item.frame);
      }
      if (!options_.batch.summary.empty()) outcome.summary = job.summary(item.frame);
      done = true;
    };
    // An image with more components than estimated from its header waits again, for all that it needs.
    do {
      memory.reset();
      memory.emplace(admission_.reserve(job.needed_bytes()));
      admission_.compute(job.extent(), work);
    } while (!done);
    Admission::alone([&] { job.commit(); });
    outcome.components = job.components().size();
    outcome.unit = job.geometry().unit;
    if (!item.files.view.empty()) {
      const auto& areas = job.components().area;
      outcome.foreground = std::accumulate(areas.begin(), areas.end(), 0.0) /
                           static_cast<double>(std::max<std::int64_t>(job.extent().elements(), 1));
      outcome.hints = job.hints();
      outcome.thumbnail = job.thumbnail();
    }
    outcome.device = device_name(job.engine_report().device_kind);
  }

  bool ends_batch(const io::FileError& error) const {
    const bool full = error.system_code() == ENOSPC || error.system_code() == EDQUOT;
    return options_.batch.fail_fast || (full && !options_.batch.keep_going);
  }

  /// Prints the first error of a problem, and counts the others, which may be many.
  void print_once(const io::FileError& error) {
    if (errors_.is_first(error.path(), error.what())) progress_.message(error.path() + ": " + error.what());
  }

  /// Records an outcome. Called in the order of the inputs, one at a time.
  void add_outcome(std::size_t index, const Outcome& outcome) {
    const LabelPaths& files = items_[index].files;
    tally_.count(outcome);
    if (outcome.error) print_once(*outcome.error);
    if (outcome.status == Outcome::Status::labeled) {
      for (const std::string& path : files.outputs()) folders_.insert(fs::path(path).parent_path());
      if (keeps_physical_ && units_.insert(outcome.unit).second && units_.size() > 1)
        warn_once(files.input,
                  "has another unit of length than inputs before, but numbers of --keep have no unit; label "
                  "the inputs of each unit in a run of their own");
    }
    files_.add(items_[index], outcome);
    if (files_.is_pipe_closed()) stopped_ = true;
    progress_.advance(outcome.error.has_value());
  }

  /// Syncs the folders, so that the names of outputs are on the disk, too.
  void sync_folders() const {
    for (const fs::path& folder : folders_) {
      const io::Descriptor descriptor =
          io::open_retrying(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (descriptor) ::fsync(descriptor.get());
    }
  }

  int finish() {
    for (const std::string& line : warnings_.repeated(false)) warn(line);
    for (const std::string& line : errors_.repeated()) progress_.message(line);
    if (!options_.quiet) progress_.message(tally_.text());
    return tally_.exit_code();
  }

  /// Prints a warning about the first of many files and counts the others.
  void warn_once(const std::string& path, const std::string& line) {
    bool first = false;
    {
      const std::lock_guard lock(counting_);
      first = warnings_.is_first(path, line);
    }
    if (first) warn(path + ": " + line);
  }

  void warn(const std::string& line) {
    if (!options_.quiet) progress_.message("warning: " + line);
  }

  const LabelOptions options_;
  const std::string signature_ = signature_of(options_);
  const std::vector<MeasureColumn> columns_ = columns_of(options_.measure);
  std::vector<BatchItem> items_;
  const Workers workers_;
  BatchProgress progress_;
  Admission admission_;
  BatchFiles files_;  // before members that open files: it duplicates descriptors
  Engine engine_;
  Tally tally_;
  const MeasureSet compared_ = options_.selection.keep.measures();
  const bool keeps_physical_ = std::any_of(measures().begin(), measures().end(), [&](const Measure& measure) {
    return is_physical(measure) && compared_[static_cast<std::size_t>(measure.id)];
  });
  std::set<io::LengthUnit> units_;  // of inputs that were labeled
  std::mutex counting_;
  RepeatedLines warnings_;
  RepeatedLines errors_{options_.batch.report.empty() ? kListedByReport : ""};
  std::set<fs::path> folders_;
  std::size_t next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::optional<HeldSignal>
      signal_;  // set in run(): jobs that were started finish, and are listed in report and table
};

}  // namespace

/// Returns whether a folder is there, or `made`, which the run creates, is in it. Throws FileError if it
/// cannot be created.
static bool is_there(const fs::path& folder, const std::string& made) {
  std::error_code none;
  if (folder.empty() || fs::exists(folder, none)) return true;
  const auto normal = [](const fs::path& path) { return (fs::absolute(path) / "").lexically_normal(); };
  if (made.empty() || !normal(made).string().starts_with(normal(folder).string())) return true;  // an error
  fs::path above = folder;
  while (!above.empty() && !fs::exists(above, none)) above = above.parent_path();
  const int code = !above.empty() && !fs::is_directory(above, none) ? ENOTDIR
                   : ::access(above.empty() ? "." : above.c_str(), W_OK | X_OK) == 0 ? 0
                                                                                     : errno;
  if (code != 0)
    throw io::FileError(folder.string(), ErrorCode::cannot_create,
                        "cannot create the folder (" + io::system_reason(code) + ")", code);
  return false;
}

/// Opens the input, and creates outputs without names, as far as their folders exist, so that what would fail
/// before the first pixel is read fails.
static void try_files(const LabelPaths& files, const LabelOptions& options) {
  LabelInput input(files, options, nullptr);
  const PartLabeler whole(input, cut_into_parts(input.extent(), 1).front());
  LabelPaths there = files;
  for (io::Target* target : {&there.image, &there.json, &there.stats, &there.contacts, &there.preview,
                             &there.view, &there.outlines, &there.summary})
    if (files.in_folders && !is_there(fs::path(target->path).parent_path(), *target)) *target = {};
  SoloLink link;
  LabelOutputs(link, there, LabelStreams(there), options.output);
}

/// Labels a pixel, because a GPU that was asked for and cannot be used fails then.
static void try_device(EngineOptions engine) {
  check_options(engine);
  engine.algorithm = "auto";
  if (engine.device == DeviceChoice::cuda)
    suggest_cpu(engine.device, false, [&] {
      Engine(engine, nullptr).label(BitVolume({1, 1, 1}).view(), Connectivity::c8);
    });
}

/// As try_files(), for the joint outputs of a batch. Returns their names.
static std::vector<std::string> try_joint_files(LabelOptions options) {
  const std::vector<std::string> folders = output_folders(options);
  std::vector<std::string> names;
  for (io::Target* target :
       {&options.files.stats, &options.batch.summary, &options.batch.report, &options.files.outlines}) {
    if (target->is_stream) *target = {};
    if (target->empty()) continue;
    names.push_back(*target);
    for (const std::string& folder : folders)
      if (!target->empty() && !is_there(fs::path(target->path).parent_path(), folder)) *target = {};
  }
  const std::string index = index_of_pages(options);
  if (!index.empty()) names.push_back(index);
  if (!index.empty() && !is_there(fs::path(index).parent_path(), index)) options.files.view = {};
  const std::vector<MeasureColumn> columns = columns_of(options.measure);
  BatchFiles(options, columns).open();
  return names;
}

int print_plan(std::vector<BatchItem> plan, const LabelOptions& requested) {
  const bool is_batch = plan.front().files.in_folders;
  const LabelOptions options = is_batch ? for_one(requested) : requested;
  const std::vector<std::string> joint = is_batch ? try_joint_files(options) : std::vector<std::string>();
  std::set<int> codes;
  RepeatedLines problems(requested.batch.report.empty() ? kListedByReport : "");
  const auto report = [&](const std::string& path, const Error& error) {
    const io::FileError of_path(display_name(path), error.code(), error.what());
    if (problems.is_first(of_path.path(), of_path.what()))
      print_message(of_path.path() + ": " + error.what());
    codes.insert(exit_code(error.code()));
  };
  if (is_batch) check_options(options.algorithm.engine);
  const std::optional<io::FileError> no_device = error_in("", [&] { try_device(options.algorithm.engine); });
  for (BatchItem& item : plan) {
    const LabelPaths files = std::exchange(item.files, {});  // frees what time points of an input share
    if (item.problem) {
      report(files.input, *item.problem);
      continue;
    }
    std::string line = shell_word(files.input);
    if (item.frame) line += " --frame " + std::to_string(*item.frame);
    if (item.intensity_frame) line += " --intensity-frame " + std::to_string(*item.intensity_frame);
    for (const std::string& image : files.intensities) line += " --intensity " + shell_word(image);
    if (!files.seeds.empty()) line += " --seeds " + shell_word(files.seeds);
    line += " ->";
    for (const std::string& output : files.outputs()) line += " " + shell_word(output);
    const LabelOptions one = options_of(item, options);
    if (options.batch.skip_existing && is_done(files, signature_of(one)))
      line += " (done before)";
    else if (const auto error = error_in(files.input, [&] {
               try_files(files, one);
               if (no_device) throw Error(no_device->code(), no_device->what());
             })) {
      report(error->path(), *error);
      continue;
    }
    print_result(line + "\n");
  }
  for (const std::string& line : problems.repeated()) print_message(line);
  if (joint.empty()) return exit_code(codes);
  std::string line = "all " + counted(plan.size(), "input") + " ->";
  for (const std::string& output : joint) line += " " + shell_word(output);
  print_result(line + "\n");
  return exit_code(codes);
}

/// Replaces each plate of OME-Zarr by its images: "plate-A1-0" is the name of plate.zarr/A/1/0.
static void open_plates(std::vector<BatchInput>& inputs, const io::Limits& limits) {
  std::vector<BatchInput> all;
  for (BatchInput& input : inputs) {
    const std::vector<io::PlateImage> images = io::images_of_plate(input.path, limits);
    std::set<std::string> failed;  // a failure that several images share is one
    for (const auto& [image, problem] : images) {
      if (problem && !failed.insert(image).second) continue;
      std::string place = image;
      if (const std::size_t row = place.find('/'); row != std::string::npos) place.erase(row, 1);
      std::replace(place.begin(), place.end(), '/', '-');
      all.push_back({io::path_in_plate(input.path, image), input.name + (place.empty() ? "" : "-") + place,
                     problem, input.is_found, image});
    }
    if (images.empty()) all.push_back(std::move(input));
  }
  inputs = std::move(all);
}

int label_batch(const LabelOptions& options) {
  const std::vector<std::string> folders = output_folders(options);
  FindOptions find;
  find.stack = options.input.stack;
  find.recursive = options.batch.recursive;
  for (const std::string& folder : folders) find.outputs.push_back(io::identify(fs::path(folder) / "."));
  for (const io::Target& file :
       {options.files.stats, options.batch.report, options.batch.summary, options.files.outlines})
    if (!file.empty()) find.outputs.push_back(io::identify(file));
  FoundInputs found = find_inputs(options.inputs, find);
  skip_unmatched(found, options.measure.intensity_names);
  std::vector<std::string> paths;
  for (const BatchInput& input : found.inputs) paths.push_back(input.path);
  sandbox_of(paths, folders, options).enter();  // before any header is read
  if (!options.values.by_values) warn_of_written(found);
  open_plates(found.inputs, options.input.limits);
  std::vector<BatchItem> plan = plan_batch(found, options);
  const std::string& first = options.inputs.front();
  const bool one_folder = options.inputs.size() == 1 && !first.starts_with('@');
  if (plan.empty() && one_folder)
    throw io::FileError(
        first, ErrorCode::no_input,
        (options.measure.intensity_names.empty() ? "contains no " + io::image_extensions() + " file"
                                                 : "contains no image whose name matches --intensity-name") +
            (found.folders_left_out ? "; add --recursive to search its folders" : ""));
  if (!options.quiet)
    for (const std::string& line : found.warnings) print_warning(line);
  if (plan.empty() && options.inputs.size() > 1) throw Error(ErrorCode::no_input, "no input images found");
  if (plan.empty()) throw io::FileError(first.substr(1), ErrorCode::no_input, "names no input");

  if (!options.batch.dry_run) {
    for (const std::string& folder : folders) io::make_folder(folder);
    sandbox_of(paths, folders, options).enter();  // again, because the folders exist now
  }
  LabelOptions resolved = options;
  find_all_channels(plan, resolved);
  if (options.batch.dry_run) return print_plan(std::move(plan), resolved);
  return Batch(resolved, std::move(plan)).run();
}

}  // namespace gpuccl::app
