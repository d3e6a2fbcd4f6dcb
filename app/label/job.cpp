#include "app/label/job.hpp"

#include <algorithm>
#include <utility>

#include "app/view/view_layers.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/measures.hpp"
#include "io/files/file_error.hpp"
#include "io/image/formats.hpp"
#include "io/parts/collectively.hpp"
#include "io/parts/part_writer.hpp"
#include "io/report/csv_tables.hpp"
#include "io/report/outlines.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
LazyEngine::LazyEngine(const LabelPaths& files, const LabelOptions& options)
    : LazyEngine(options.algorithm.engine,
                 [input = files.input, quiet = options.quiet](const std::string& line) {
                   if (!quiet) print_warning(input, line);
                 }) {}

Job::Job(PartLink& link, const LabelPaths& files, const LabelOptions& options, std::string signature,
         WarnAbout warn)
    : link_(link),
      files_(files),
      options_(options),
      warn_(std::move(warn)),
      progress_(options.progress, files.input),
      streams_(files),
      description_(files, options, std::move(signature),
                   [this](const std::string& path, const std::string& line) { this->warn(path, line); }) {}

/// Runs `work`, which sends no messages. An error is about `path`, and fails all parts.
template <class Work>
void Job::run_local(const std::string& path, Work work) {
  io::collectively(link_, path, work);
}

/// Runs collective `work`, whose errors, such as too many components, occur in all parts.
template <class Work>
void Job::run_collective(Work work) {
  try {
    io::with_path(files_.input, work);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
    run_local(files_.input, [this] {
      if (is_first()) throw;
    });
  }
}

void Job::open() {
  progress_.stage("reading");
  run_local(files_.input, [&] {
    input_.emplace(files_, options_,
                   [this](const std::string& path, const std::string& line) { warn(path, line); });
    extent_ = input_->extent();
    const Slab slab = cut_into_parts(extent_, link_.parts())[static_cast<std::size_t>(link_.part())];
    piece_.emplace(*input_, slab, [this](double done) { progress_.share(done); });
  });
  outputs_.emplace(link_, files_, std::move(streams_), options_.output);
  description_.report.read_ms = since_.lap() - piece_->report().start_up_ms;
}

/// Checks that all parts have opened the same input.
void Job::agree_on_input() {
  std::string state;
  run_local(files_.input, [&] { state = input_->state(); });
  const std::string first = io::text_of(link_.gather(io::message_of(state)).front());
  run_local(files_.input, [&] {
    if (const std::optional<std::string> other = input_->changed(first))
      throw io::FileError(*other, ErrorCode::data,
                          "is another file for part " + std::to_string(link_.part()) +
                              " than for part 0; use the same one for all parts");
  });
}

bool Job::read(std::int64_t allowed) {
  waited_ms_ += since_.lap();
  bool enough = true;
  run_local(files_.input, [&] { enough = piece_->read(allowed); });
  since_.lap();
  return enough;
}

Engine& Job::read(LazyEngine& engine) {
  Engine* started = nullptr;
  run_local(files_.input, [&] { started = &engine.start(); });
  read();
  return *started;
}

void Job::label(Engine& engine) {
  const std::size_t slabs = piece_->slabs();
  progress_.stage(slabs == 0 ? "labeling" : "labeling in " + std::to_string(slabs) + " slabs");
  PartLabeler::Labels labels = label_piece(link_, *piece_, files_.input, engine, [&] {
    if (options_.fill_holes) fill_holes(engine);
  });
  since_.lap();
  sums_ = std::move(labels.labeled.sums);
  run_collective([&] {
    part_ = unite_part(link_, piece_->slab(), extent_, input_->connectivity(), std::move(labels.labeled),
                       std::move(labels.values), std::move(labels.faces));
    if (options_.periodic != PeriodicAxes{} && !options_.values.objects) input_->wrap(link_, part_);
  });
  describe();
  measure(engine);
  select();
  description_.report.statistics_ms += since_.lap();
}

void Job::fill_holes(Engine& engine) {
  PartResult holes = unite_background([&] { return piece_->label_background(engine); });
  found_.holes = input_->select_holes(link_, holes);
  run_local(files_.input, [&] { piece_->fill(std::move(holes.labels)); });
}

PartResult Job::unite_background(const std::function<Labeling()>& label) {
  Labeling background;
  run_local(files_.input, [&] { background = label(); });
  PartResult united;
  run_collective([&] {
    united = unite_part(link_, piece_->slab(), extent_, complementary(input_->connectivity()),
                        std::move(background));
  });
  return united;
}

/// Builds the description from the reports of all parts.
void Job::describe() {
  PartFacts mine = piece_->report();
  mine.read_ms += description_.report.read_ms;
  mine.total_ms = milliseconds();
  for (const Message& message : link_.gather(io::message_of(mine.text())))
    found_.pieces.push_back(PartFacts::of_text(io::text_of(message)));
  found_.largest = part_.largest;
  description_.labeled(*input_, found_);
}

void Job::measure(Engine& engine) {
  if (!input_->measures_rows()) return;
  progress_.stage("measuring");
  const LabelMeasures& measures = input_->measures();
  MeasureRequest request = measures.request();
  BitVolume bits;
  Labeling cavities;
  if (measures.needs_background()) {
    cavities = cavities_of_part(link_, extent_, input_->connectivity(), unite_background([&] {
                                  return piece_->label_background_of(part_.labels.labels.get(), engine, bits);
                                }));
    request.background = &cavities;
  }
  request.max_bytes = piece_->left_to_measure();
  request.gathered = &sums_;
  measure_part(link_, extent_, request, part_,
               [&](const std::function<void()>& work) { run_local(files_.input, work); });
  piece_->budget().claims.components += static_cast<double>(extra_bytes(part_.measured));
  found_.measured(link_, part_);
  description_.measured(*input_, found_);
}

void Job::select() {
  const bool splits = options_.values.split_values;
  std::vector<ValueBits> largest;  // of each part, also of components that are not selected
  if (splits)
    largest = io::gather_lists(link_, std::vector{largest_value(*input_->value_type(), part_.values)});
  run_collective([&] { input_->select(link_, part_); });
  show_only(part_.measured, options_.measure.wanted);
  found_.selected(link_, *input_, part_);
  description_.selected(found_);
  io::ValueColumn& value = description_.report.value = input_->column(part_.values);
  if (!splits) return;
  const auto of_all = [this](const auto& list) {
    return io::gather_lists(link_, std::vector(list.begin(), list.end()));
  };
  const std::vector<ValueBits> values = of_all(part_.values);
  const std::vector<std::uint64_t> areas = of_all(part_.components.area);
  run_local(files_.input, [&] {
    ids_ =
        split_values(*input_->value_type(), values, areas, *std::max_element(largest.begin(), largest.end()));
  });
  value.labels = std::span(ids_).subspan(part_.first, part_.components.size());
}

void Job::write() {
  progress_.stage("writing");
  since_.lap();
  if (!files_.preview.empty()) write_preview();
  if (io::SharedFile* const file = outputs_->file(Output::view))  // of a whole image
    run_local(file->path(), [&] { thumbnail_ = write_label_view(*file->made(), texts(), labels()); });
  if (!files_.outlines.empty()) write_outlines();
  if (!files_.image.empty()) write_image();
  if (!files_.contacts.empty()) write_contacts();
  outputs_->write(Output::summary,
                  [this](const io::TextSink& sink) { sink(io::summary_header(false) + summary({})); });
  outputs_->write(Output::stats, [this](const io::TextSink& sink) { texts().write_stats(sink); });
}

/// Returns the values to write instead of the part's labels.
WrittenValues Job::written() {
  if (options_.values.split_values)
    return written_values(type_of_ids(*input_->value_type(), ids_), ids_, part_.labels.numbers);
  if (!options_.values.keep_values)
    return {options_.label_type, std::move(part_.labels.numbers), {}, part_.count};
  WrittenValues written;
  const ValueType type = *input_->value_type();
  if (link_.parts() == 1) {  // the values are not copied
    run_local(files_.image, [&] { written = written_values(type, part_.values, part_.labels.numbers); });
    return written;
  }
  if (link_.scan(fit_32_bits(type, part_.values) ? 0 : 1).all > 0) {  // then every part needs those of all
    const std::vector<ValueBits> all =
        io::gather_lists(link_, std::vector<ValueBits>(part_.values.begin(), part_.values.end()));
    run_local(files_.image, [&] { written = written_values(type, all, part_.labels.numbers); });
    return written;
  }
  run_local(files_.image, [&] {
    written = written_values(type, part_.values, {});  // of which the type and the largest count
    written.map = part_.labels.numbers;
    replace_by_values(type, part_.values_of_labels, written.map);
  });
  const std::vector<Label> largest = io::gather_lists(link_, std::vector{written.largest});
  written.largest = *std::max_element(largest.begin(), largest.end());
  return written;
}

void Job::write_image() {
  WrittenValues written = this->written();
  io::WriteOptions write;
  run_local(files_.image, [&] {
    write = write_options(options_, *files_.image.format, written.type, written.largest, geometry());
    write.strips_at_once = piece_->strips_at_once();
    write.progress = [this](double done) { progress_.share(done); };
    description_.image(write, written.type);
  });
  io::write_labels(link_, *outputs_->file(Output::image), *files_.image.format, extent_,
                   {labels().labels, written.map, written.largest, written.wide}, write);
  if (!options_.values.writes_values()) part_.labels.numbers = std::move(written.map);
}

/// Returns the labels of the part until the label image is written.
io::MappedLabels Job::labels() {
  if (!part_.labels.labels) no_labels_ = joined_labels(extent_, {}, 0);
  return {part_.labels.labels ? *part_.labels.labels : *no_labels_, part_.labels.numbers, part_.count};
}

/// Starts a preview with the image below the labels and the numbers of the largest components.
io::Preview Job::start_preview(const std::vector<io::NumberedComponent>& numbered) const {
  io::Preview preview(extent_, numbered);
  const ImageBelow below = image_below(files_, options_);
  if (below.image.empty()) return preview;
  const io::OpenSamples image = open_below(below.image, below.read);
  io::with_path(below.image,
                [&] { preview.draw_image(*image.source, image.memory, below.read.foreground.invert); });
  return preview;
}

void Job::write_preview() {
  // Larger values, negative and floating-point ones get no number in the picture.
  constexpr std::uint64_t kMax = std::uint64_t{1} << 53;
  std::vector<io::NumberedComponent> numbered =
      io::largest_components(part_.components, part_.first, [&](std::size_t i) {
        const std::uint64_t number = options_.values.are_labels() ? part_.values[i]
                                     : !ids_.empty()              ? ids_[part_.first + i]
                                                                  : part_.first + i + 1;
        return number < kMax ? number : 0;
      });
  numbered = io::gather_lists(link_, numbered);
  io::keep_largest(numbered);
  io::write_preview(link_, *outputs_->file(Output::preview), extent_, labels(),
                    [&] { return start_preview(numbered); });
}

void Job::write_outlines() {
  list_outlines([&](const auto& write) { outputs_->write(Output::outlines, write); });
}

void Job::write_coco(const io::TextSink& sink) {
  list_outlines([&](const auto& write) { write(sink); });
}

void Job::list_outlines(const std::function<void(const std::function<void(const io::TextSink&)>&)>& use) {
  const MemoryBudget& budget = piece_->budget();
  const std::int64_t left = budget.left_after(budget.writing(0));
  std::vector<io::OutlineRun> runs =
      io::gather_outline_runs(link_, files_.outlines.empty() ? files_.input.path : files_.outlines.path,
                              extent_, labels(), part_.first, left);
  use([&](const io::TextSink& sink) { texts().write_outlines(sink, std::move(runs), left); });
}

/// Finds contacts and writes them in part 0. Those of components count all neighbors, because equal samples
/// that are neighbors by the connectivity of the labels are in one component.
void Job::write_contacts() {
  const bool of_objects = options_.values.objects;
  const Connectivity connectivity = input_->connectivity();
  const MemoryBudget& budget = piece_->budget();
  run_local(files_.input, [&] { budget.check_fits(budget.finding_contacts(), "to find contacts"); });
  contacts_ =
      find_contacts_of_part(link_, extent_, of_objects ? connectivity : all_neighbors(connectivity), part_,
                            options_.periodic, budget.left_after(budget.finding_contacts()),
                            [this](const std::function<void()>& work) { run_local(files_.input, work); });
  std::vector<ValueBits> all =
      io::gather_lists(link_, std::vector<ValueBits>(part_.values.begin(), part_.values.end()));
  description_.contacts(all, !contacts_.empty());
  const io::ValueColumn values = of_objects ? io::ValueColumn() : input_->column(all);
  outputs_->write(Output::contacts,
                  [this, all = std::move(all), values, of_objects](const io::TextSink& sink) {
                    if (is_first())
                      io::stream_contacts_csv(sink, is_3d(input_->connectivity()), geometry(), contacts_,
                                              values, of_objects ? all : ids_);
                  });
}

std::string Job::summary(std::optional<int> frame) const {
  return io::summary_rows(
      {files_.input, frame, volume(), extent_, geometry(), foreground_rule(), part_.dropped, hints()},
      options_.separate_pages(extent_.depth), part_.components, value());
}

void Job::commit() {
  outputs_->finish();
  io::Report& report = description_.report;
  run_local(files_.input, [&] { description_.written(*outputs_); });
  report.write_ms = since_.lap();
  report.total_ms = milliseconds();
  outputs_->write(Output::report, [this](const io::TextSink& sink) { texts().write_report(sink); });
  outputs_->commit();
}

void Job::warn(const std::string& path, const std::string& line) {
  if (options_.quiet || !is_first()) return;
  progress_.clear();
  warn_(path, line);
}

static void warn_about(const std::string& path, const std::string& line) { print_warning(path, line); }

LabelSummary label_file(PartLink& link, const LabelPaths& files, LabelOptions options, LazyEngine& engine) {
  if (link.parts() > 1) options.output.file.named = true;  // other processes open these files
  Job job(link, files, options, signature_of(options), warn_about);
  job.open();
  if (link.parts() > 1) job.agree_on_input();
  job.label(job.read(engine));
  job.write();
  job.commit();
  return {job.count(), job.dropped(), job.engine_report(), job.milliseconds(), job.foreground_rule()};
}

LabelSummary label_file(const LabelPaths& files, const LabelOptions& options, LazyEngine& engine) {
  SoloLink link;
  return label_file(link, files, options, engine);
}

}  // namespace gpuccl::app
