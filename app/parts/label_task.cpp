#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/piece.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/file_error.hpp"
#include "io/image/limits.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/stretch.hpp"
#include "io/report/outlines.hpp"
#include "io/report/report.hpp"
#include "io/report/stats_csv.hpp"

namespace gpuccl::app {
namespace {

class LabelTask {
 public:
  LabelTask(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task)
      : part_(task.part),
        run_(files, options, task,
             [quiet = options.quiet || task.part != 1](const std::string& path, const std::string& line) {
               if (!quiet) print_warning(path, line);
             }) {
    io::with_path(files.input, [&] { piece_.emplace(run_.input(), run_.slab(part_), false); });
  }

  TaskDone run(LazyEngine& engine) {
    if (run_.is_finished()) return TaskDone::nothing;
    const bool fills = run_.options().fill_holes.has_value();
    const bool background = fills && !mine(TaskFile::background).is_whole();
    if (background) label_background(engine);
    const TaskDone before = background ? TaskDone::background : TaskDone::nothing;
    const bool labels = !mine(TaskFile::labels).is_whole() ||
                        (measures().needs_background() && !mine(TaskFile::cavities).is_whole());
    if (labels && fills && !is_joined_for_holes()) return before;
    if (labels) io::with_path(mine(TaskFile::labels).path, [&] { label(engine); });
    const std::optional<JoinedParts> joined = joined_parts();
    if (joined && !mine(TaskFile::stretch, joined->id()).is_whole()) {
      mine(TaskFile::stretch, joined->id()).write([&](io::CheckedFileWriter& file) { write(*joined, file); });
      return TaskDone::written;
    }
    if (!joined && input().measures_rows() && measure()) return TaskDone::measured;
    return labels ? TaskDone::labeled : before;
  }

 private:
  const LabelInput& input() const { return run_.input(); }
  const LabelMeasures& measures() const { return run_.measures(); }
  Extent whole() const { return run_.extent(); }
  RowRange own() const { return rows_of(run_.slab(part_), whole()); }
  StoredFile mine(TaskFile kind, std::uint64_t joined = 0) const { return run_.file(kind, part_, joined); }

  /// Whether gpuccl join is done with the backgrounds, and must have left what of the part's is a hole.
  bool is_joined_for_holes() const {
    return mine(TaskFile::holes).exists() || run_.file(TaskFile::joined).exists();
  }

  /// Reads the part and leaves its background, labeled.
  void label_background(LazyEngine& engine) {
    const Stopwatch total;
    Piece::Labels found;
    io::with_path(run_.files().input, [&] {
      Engine& started = engine.start();
      piece_->read();
      found.labeled = piece_->label_background(started);
    });
    PieceReport report = piece_->report();
    report.fill_ms = 0;  // all of it is label_ms
    report.total_ms = total.milliseconds();
    run_.leave(TaskFile::background, part_, report, found);
  }

  /// Fills the holes that gpuccl join has found; the part is not read then. Returns how long the device took
  /// to start when it was.
  double fill() {
    NumberedSlab background = mine(TaskFile::holes).need([&](const io::CheckedFile& file) {
      auto holes = file.take<Label>(sections::kHoles);
      io::check_numbers(holes, file.take_one<HoleCounts>(sections::kHoleCounts).count);
      return run_.labels(TaskFile::background, part_, file.take_one<std::uint64_t>(sections::kOfBackground),
                         std::move(holes));
    });
    return mine(TaskFile::background).need([&](const io::CheckedFile& file) {
      const PieceReport found = PieceReport::of_text(file.take_text(sections::kFound));
      piece_->resume(found);
      piece_->fill(std::move(background));
      return found.start_up_ms;
    });
  }

  void label(LazyEngine& engine) {
    const Stopwatch total;
    double start_up_ms = 0;
    std::optional<Piece::Labels> found;
    Engine& started = engine.start();
    if (!run_.options().fill_holes) io::with_path(run_.files().input, [&] { piece_->read(); });
    while (!found) {
      if (run_.options().fill_holes) start_up_ms = fill();
      found = io::with_path(run_.files().input, [&] { return piece_->label(started); });
    }
    if (measures().needs_background()) {
      BitVolume bits;
      Piece::Labels background;
      background.labeled = piece_->label_background_of(found->labeled.labels.get(), started, bits);
      run_.leave(TaskFile::cavities, part_, {}, background);
    }
    PieceReport report = piece_->report();
    report.start_up_ms += start_up_ms;
    report.total_ms += total.milliseconds();
    run_.leave(TaskFile::labels, part_, report, *found);
  }

  /// Measures the part's own rows if parts were united; false if not, or if that was done.
  bool measure() {
    if (!mine(TaskFile::united).exists()) return false;
    return mine(TaskFile::united).need([&](const io::CheckedFile& united) {
      united.verify();
      const std::vector<std::uint64_t> ids = ids_of(united);
      const StoredFile out = mine(TaskFile::measures, ids[sections::kOfJoined]);
      if (out.is_whole()) return false;
      const Components components = take_numbered(united, sections::kUnited, whole()).components;
      const auto there = united.take<Label>(sections::kThere);
      const RowsAround around = rows_measured_around(whole(), input().connectivity());
      std::vector<NumberedSlab> slabs;
      for (const int part : parts_with({own().begin - around.before, own().end + around.behind}))
        slabs.push_back(this->united(part));
      MeasureRequest request = measures().request();
      Labeled cavities;
      if (measures().needs_background()) {
        NumberedPart begun = take_numbered(united, sections::kCavities, whole());
        cavities = cavities_of_slab(whole(),
                                    run_.labels(TaskFile::cavities, part_, ids[sections::kOfCavities],
                                                std::move(begun.labels.numbers)),
                                    begun.first, std::move(begun.components));
        request.background = &cavities;
      }
      const Measured measured =
          measure_slab(whole(), run_.slab(part_), std::move(slabs), there, components, request);
      out.write([&](io::CheckedFileWriter& file) { put_measured(file, measured, 0, components.size()); });
      return true;
    });
  }

  /// A part with its labels in the whole, before any is dropped.
  NumberedSlab united(int part) const {
    return run_.file(TaskFile::united, part).need([&](const io::CheckedFile& file) {
      file.verify();
      return run_.labels(TaskFile::labels, part, ids_of(file)[sections::kOfPart],
                         file.take<Label>(sections::kUnited + sections::kLabels));
    });
  }
  static std::vector<std::uint64_t> ids_of(const io::CheckedFile& united) {
    auto ids = united.take<std::uint64_t>(sections::kIds);
    ids.resize(sections::kOfIds);
    return ids;
  }

  /// Returns none if parts have not been joined, or must be joined again.
  std::optional<JoinedParts> joined_parts() const {
    if (!run_.file(TaskFile::joined).exists()) return std::nullopt;
    return run_.joined("run gpuccl join again");
  }

  void write(const JoinedParts& joined, io::CheckedFileWriter& file) const {
    const Stopwatch total;
    const LabelPaths& files = run_.files();
    if (files.image.empty()) {
      for (std::size_t i = 0; i < io::kLabelSections; ++i) file.end_section();
    } else {
      write_image(joined, file);
    }
    mine(TaskFile::numbers, joined.id()).need([&](const io::CheckedFile& numbers) {
      write_rows(joined, numbers, file);
    });
    file.put(contacts(joined));
    file.put(std::vector<double>{total.milliseconds()});
    BorderRows rows;
    if (!files.contacts.empty() && run_.options().periodic != PeriodicAxes{} && !own().empty())
      rows = list_border_rows(numbered(part_, joined), whole(), run_.options().periodic);
    file.put(rows.rows);
    file.put(rows.runs.runs);
    file.put(rows.runs.ends);
  }

  void write_image(const JoinedParts& joined, io::CheckedFileWriter& file) const {
    std::vector<NumberedSlab> slabs;
    std::vector<ValueBits> wide;  // values of 64 bits; empty if 32 are enough
    if (run_.options().values.keep_values && io::bits_per_sample(joined.image_type) == 64) wide.push_back(0);
    const io::LabelFile image = run_.image(joined);
    for (const int part : parts_with(io::rows_of_stretch(image, own()))) {
      slabs.push_back(numbered(part, joined));
      if (run_.options().values.keep_values) make_values(part, slabs.back().numbers, wide);
    }
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole(), std::move(slabs), joined.image_largest);
    io::put_label_stretch(file, image, run_.image_options(joined).type, *labels, wide, own());
  }

  /// The part's rows of the table, of the report, of the metadata of an OME-Zarr and of the outlines.
  void write_rows(const JoinedParts& joined, const io::CheckedFile& numbers,
                  io::CheckedFileWriter& file) const {
    const LabelOptions& options = run_.options();
    NumberedPart part =
        take_numbered(numbers, sections::kNumbered, whole(), options.periodic != PeriodicAxes{});
    const auto values = numbers.take<ValueBits>(sections::kStayValues);
    const std::size_t rows = part.components.size();
    if (values.size() != (input().value_type() ? rows : 0)) io::CheckedFile::refuse();
    if (measures().any()) {
      part.measured = measure_nothing(whole(), part.components, measures().request());
      std::vector<std::size_t> all(rows);
      std::iota(all.begin(), all.end(), std::size_t{0});
      add_measured(numbers, sections::kStayMeasured, all, part.measured);
      part.measured.show_only(options.measure.wanted);
    }
    io::Report report;
    report.input = input().info();
    report.volume = input().is_volume();
    report.value = input().column(values);
    const io::TextSink sink = [&](std::string_view text) { file.add(text); };
    if (!run_.files().stats.empty())
      io::stream_stats_csv(sink, report.volume, report.input.geometry, part.components, part.measured,
                           {part.first, part_ == 1, false}, report.value, options.digits);
    file.end_section();
    if (!run_.files().json.empty())
      io::stream_report(sink, report, part.components, part.measured, {part.first, false, false});
    file.end_section();
    io::LabelTexts texts;
    if (has_label_texts(run_.files(), options, joined.count, part.measured))
      texts = io::label_texts(part.components, part.measured, {part.first, part_ == 1, false}, report.value);
    for (const std::string* const text : {&texts.colors, &texts.properties}) {
      file.add(*text);
      file.end_section();
    }
    if (!run_.files().outlines.empty())
      io::with_path(run_.files().outlines, [&] {
        write_outlines(joined,
                       {run_.files().input,
                        whole(),
                        part.components,
                        report.value,
                        {part.first, part_ == 1, part_ == run_.parts()}},
                       sink);
      });
    file.end_section();
  }

  /// Writes the outlines of a stretch of components, from all parts that have rows of them.
  void write_outlines(const JoinedParts& joined, const io::OutlineSubject& subject,
                      const io::TextSink& sink) const {
    RowRange rows;
    for (const Box& box : subject.components.box) {
      rows.begin = rows.empty() ? box.min[1] : std::min<std::int64_t>(rows.begin, box.min[1]);
      rows.end = std::max<std::int64_t>(rows.end, box.max[1] + 1);
    }
    if (run_.options().periodic != PeriodicAxes{}) rows = {0, whole().rows()};  // boxes go across borders
    std::vector<NumberedSlab> slabs;
    std::int64_t taken = 0;
    for (int part = 1; part <= run_.parts(); ++part) {
      if (common_rows(rows, rows_of(run_.slab(part), whole())).empty()) continue;
      slabs.push_back(numbered(part, joined));
      taken += static_cast<std::int64_t>(slabs.back().numbers.size() * sizeof(Label));
    }
    const MemoryBudget budget(io::memory_limit(run_.options().input.limits));
    const std::int64_t left = budget.left_beside(static_cast<double>(taken));
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole(), std::move(slabs), static_cast<Label>(joined.count));
    std::vector<io::OutlineRun> runs = io::list_outline_runs({*labels, {}, static_cast<Label>(joined.count)},
                                                             {.first_row = rows.begin,
                                                              .rows = rows.count(),
                                                              .y = static_cast<int>(rows.begin),
                                                              .first = subject.stretch.first,
                                                              .count = subject.components.size()},
                                                             left);
    io::stream_outlines(sink, io::outline_format(run_.files().outlines), std::move(runs), subject, left);
  }

  /// Returns contacts in the part's own rows, and between these and the rows before.
  std::vector<Contact> contacts(const JoinedParts& joined) const {
    if (run_.files().contacts.empty() || own().empty()) return {};
    const Connectivity all = all_neighbors(input().connectivity());
    std::vector<NumberedSlab> slabs;
    std::int64_t taken = bytes_to_find_contacts(whole(), all, (std::int64_t{whole().width} + 1) / 2);
    for (const int part : parts_with({own().begin - rows_touched_before(whole(), all).before, own().end})) {
      slabs.push_back(numbered(part, joined));
      taken += static_cast<std::int64_t>(slabs.back().numbers.size() * sizeof(Label));
    }
    const MemoryBudget budget(io::memory_limit(run_.options().input.limits));
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole(), std::move(slabs), static_cast<Label>(joined.count));
    return io::with_path(run_.files().input, [&] {
      return find_contacts_of_rows(*labels, all, own().begin, own().count(),
                                   budget.left_beside(static_cast<double>(taken)));
    });
  }

  /// Returns the parts that have some of these rows; none for an empty part.
  std::vector<int> parts_with(const RowRange& rows) const {
    std::vector<int> parts;
    for (int part = 1; part <= run_.parts() && !own().empty(); ++part)
      if (!common_rows(rows, rows_of(run_.slab(part), whole())).empty()) parts.push_back(part);
    return parts;
  }

  /// A part with its numbers in the whole, from their files.
  NumberedSlab numbered(int part, const JoinedParts& joined) const {
    auto numbers = run_.file(TaskFile::numbers, part, joined.id()).need([&](const io::CheckedFile& file) {
      auto taken = file.take<Label>(sections::kNumbered + sections::kLabels);
      io::check_numbers(taken, joined.count);
      return taken;
    });
    return run_.labels(TaskFile::labels, part, joined.labels.at(static_cast<std::size_t>(part) - 1),
                       std::move(numbers));
  }

  /// Replaces the numbers of a part's labels by their values, or by indices into `wide`.
  void make_values(int part, std::vector<Label>& numbers, std::vector<ValueBits>& wide) const {
    run_.file(TaskFile::labels, part).need([&](const io::CheckedFile& labels) {
      const auto values = labels.take<ValueBits>(sections::kValues);
      if (values.size() + 1 != numbers.size()) io::CheckedFile::refuse();
      if (wide.empty()) {
        numbers = written_values_of_part(*input().value_type(), values, numbers).map;
        return;
      }
      for (std::size_t label = 1; label < numbers.size(); ++label) {
        if (numbers[label] == 0) continue;
        numbers[label] = static_cast<Label>(wide.size());
        wide.push_back(values[label - 1]);
      }
    });
  }

  const int part_;
  StoredRun run_;
  std::optional<Piece> piece_;
};

}  // namespace

TaskDone label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                    LazyEngine& engine) {
  return LabelTask(files, options, task).run(engine);
}

}  // namespace gpuccl::app
