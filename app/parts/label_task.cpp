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
#include "io/parts/part_writer.hpp"
#include "io/report/outlines.hpp"
#include "io/report/report.hpp"

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

  const char* run(LazyEngine& engine) {
    const char* done = "was done before";
    if (run_.is_finished()) return done;
    const bool fills = run_.options().fill_holes.has_value();
    if (fills && !mine(TaskFile::background).is_whole()) {
      label_background(engine);
      done = "has its background labeled";
    }
    if (!is_labeled()) {
      if (fills && !is_joined_for_holes()) return done;
      io::with_path(mine(TaskFile::labels).path, [&] { label(engine); });
      done = "is labeled";
    }
    if (run_.file(TaskFile::joined).exists()) {
      if (write(run_.joined("run gpuccl join again"))) done = "is written";
    } else if (input().measures_rows() && mine(TaskFile::united).exists()) {
      if (measure()) done = "is measured";
    }
    return done;
  }

 private:
  const LabelInput& input() const { return run_.input(); }
  const LabelMeasures& measures() const { return run_.measures(); }
  Extent whole() const { return run_.extent(); }
  RowRange own() const { return rows_of(run_.slab(part_), whole()); }
  StoredFile mine(TaskFile kind, std::uint64_t joined = 0) const { return run_.file(kind, part_, joined); }

  bool is_labeled() const {
    return mine(TaskFile::labels).is_whole() &&
           (!measures().needs_background() || mine(TaskFile::cavities).is_whole());
  }
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

  /// Measures the part's own rows, after parts were united; false if that was done.
  bool measure() {
    return mine(TaskFile::united).need([&](const io::CheckedFile& united) {
      united.verify();
      const std::vector<std::uint64_t> ids = ids_of(united);
      const StoredFile out = mine(TaskFile::measures, ids[sections::kOfJoined]);
      if (out.is_whole()) return false;
      const Components components = take_numbered(united, sections::kUnited, whole()).components;
      const auto there = united.take<Label>(sections::kThere);
      const RowsAround around = rows_measured_around(whole(), input().connectivity());
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
      const Measured measured = measure_slab(whole(), run_.slab(part_),
                                             slabs_with(rows_around(around.before, around.behind),
                                                        [this](int part) { return this->united(part); }),
                                             there, components, request);
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

  /// Writes the part's stretch of all outputs; false if that was done.
  bool write(const JoinedParts& joined) const {
    const StoredFile out = mine(TaskFile::stretch, joined.id());
    if (out.is_whole()) return false;
    out.write([&](io::CheckedFileWriter& file) {
      const Stopwatch total;
      write_image(joined, file);
      write_texts(joined, file);
      file.put(contacts(joined));
      file.put(std::vector<double>{total.milliseconds()});
      BorderRows rows;
      if (!run_.files().contacts.empty() && run_.options().periodic != PeriodicAxes{} && !own().empty())
        rows = list_border_rows(numbered(part_, joined), whole(), run_.options().periodic);
      file.put(rows.rows);
      file.put(rows.runs.runs);
      file.put(rows.runs.ends);
    });
    return true;
  }

  void write_image(const JoinedParts& joined, io::CheckedFileWriter& file) const {
    if (run_.files().image.empty()) {
      for (std::size_t i = 0; i < io::kLabelSections; ++i) file.end_section();
      return;
    }
    const bool keeps_values = run_.options().values.keep_values;
    std::vector<ValueBits> wide;  // values of 64 bits; empty if 32 are enough
    if (keeps_values && io::bits_per_sample(joined.image_type) == 64) wide.push_back(0);
    const io::LabelFile image = run_.image(joined);
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole(),
                      slabs_with(io::rows_of_stretch(image, own()),
                                 [&](int part) {
                                   NumberedSlab slab = numbered(part, joined);
                                   if (keeps_values) make_values(part, slab.numbers, wide);
                                   return slab;
                                 }),
                      joined.image_largest);
    io::put_label_stretch(file, image, run_.image_options(joined).type, *labels, wide, own());
  }

  /// The components whose texts the part writes, with their values and measures.
  NumberedPart components(const JoinedParts& joined) const {
    return mine(TaskFile::numbers, joined.id()).need([&](const io::CheckedFile& file) {
      NumberedPart part =
          take_numbered(file, sections::kNumbered, whole(), run_.options().periodic != PeriodicAxes{});
      const auto values = file.take<ValueBits>(sections::kStayValues);
      const std::size_t count = part.components.size();
      if (values.size() != (input().value_type() ? count : 0)) io::CheckedFile::refuse();
      part.values.assign(values.begin(), values.end());
      if (!measures().any()) return part;
      part.measured = measure_nothing(whole(), part.components, measures().request());
      std::vector<std::size_t> all(count);
      std::iota(all.begin(), all.end(), std::size_t{0});
      add_measured(file, sections::kStayMeasured, all, part.measured);
      part.measured.show_only(run_.options().measure.wanted);
      return part;
    });
  }

  /// Writes the part's rows of the table, of the report, of the metadata of an OME-Zarr and of the outlines.
  void write_texts(const JoinedParts& joined, io::CheckedFileWriter& file) const {
    const LabelPaths& files = run_.files();
    const NumberedPart part = components(joined);
    io::Report report;
    report.input = input().info();
    report.volume = input().is_volume();
    report.value = input().column(part.values);
    const PartTexts texts{
        files, run_.options(), report, part, {part.first, part_ == 1, part_ == run_.parts()}};
    const io::TextSink sink = [&](std::string_view text) { file.add(text); };
    if (!files.stats.empty()) texts.write_stats(sink);
    file.end_section();
    if (!files.json.empty()) texts.write_report_rows(sink);
    file.end_section();
    io::LabelTexts of_labels;
    if (has_label_texts(files, run_.options(), joined.count, part.measured)) of_labels = texts.labels();
    for (const std::string* const text : {&of_labels.colors, &of_labels.properties}) {
      file.add(*text);
      file.end_section();
    }
    if (!files.outlines.empty()) io::with_path(files.outlines, [&] { write_outlines(joined, texts, sink); });
    file.end_section();
  }

  /// Writes the outlines of a stretch of components, from all parts that have rows of them.
  void write_outlines(const JoinedParts& joined, const PartTexts& texts, const io::TextSink& sink) const {
    const Components& components = texts.part.components;
    RowRange rows;
    for (const Box& box : components.box) {
      rows.begin = rows.empty() ? box.min[1] : std::min<std::int64_t>(rows.begin, box.min[1]);
      rows.end = std::max<std::int64_t>(rows.end, box.max[1] + 1);
    }
    if (run_.options().periodic != PeriodicAxes{}) rows = {0, whole().rows()};  // boxes go across borders
    const LabelsInMemory labels = this->labels(rows, joined, 0);
    std::vector<io::OutlineRun> runs =
        io::list_outline_runs({*labels.source, {}, static_cast<Label>(joined.count)},
                              {.first_row = rows.begin,
                               .rows = rows.count(),
                               .y = static_cast<int>(rows.begin),
                               .first = texts.part.first,
                               .count = components.size()},
                              labels.bytes_left);
    texts.write_outlines(sink, std::move(runs), labels.bytes_left);
  }

  /// Returns contacts in the part's own rows, and between these and the rows before.
  std::vector<Contact> contacts(const JoinedParts& joined) const {
    if (run_.files().contacts.empty() || own().empty()) return {};
    const Connectivity all = all_neighbors(input().connectivity());
    const LabelsInMemory labels =
        this->labels(rows_around(rows_touched_before(whole(), all).before, 0), joined,
                     bytes_to_find_contacts(whole(), all, (std::int64_t{whole().width} + 1) / 2));
    return io::with_path(run_.files().input, [&] {
      return find_contacts_of_rows(*labels.source, all, own().begin, own().count(), labels.bytes_left);
    });
  }

  /// Returns the part's own rows and some around them; none if it has none.
  RowRange rows_around(std::int64_t before, std::int64_t behind) const {
    return own().empty() ? RowRange() : RowRange{own().begin - before, own().end + behind};
  }

  /// Returns read(part) for all parts that have some of these rows.
  template <class Read>
  std::vector<NumberedSlab> slabs_with(const RowRange& rows, Read read) const {
    std::vector<NumberedSlab> slabs;
    for (int part = 1; part <= run_.parts(); ++part)
      if (!common_rows(rows, rows_of(run_.slab(part), whole())).empty()) slabs.push_back(read(part));
    return slabs;
  }

  /// Final labels of some rows, and the memory that these and `taken` bytes leave.
  struct LabelsInMemory {
    std::unique_ptr<LabelSource> source;
    std::int64_t bytes_left;
  };
  LabelsInMemory labels(const RowRange& rows, const JoinedParts& joined, std::int64_t taken) const {
    std::vector<NumberedSlab> slabs = slabs_with(rows, [&](int part) { return numbered(part, joined); });
    for (const NumberedSlab& slab : slabs)
      taken += static_cast<std::int64_t>(slab.numbers.size() * sizeof(Label));
    const MemoryBudget budget(io::memory_limit(run_.options().input.limits));
    return {joined_labels(whole(), std::move(slabs), static_cast<Label>(joined.count)),
            budget.left_beside(static_cast<double>(taken))};
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

  /// Replaces the numbers of a part's labels by their values, or by indices into `wide` unless it is empty.
  void make_values(int part, std::vector<Label>& numbers, std::vector<ValueBits>& wide) const {
    run_.file(TaskFile::labels, part).need([&](const io::CheckedFile& labels) {
      const auto values = labels.take<ValueBits>(sections::kValues);
      if (values.size() + 1 != numbers.size()) io::CheckedFile::refuse();
      replace_by_values(*input().value_type(), values, numbers, wide.empty() ? nullptr : &wide);
    });
  }

  const int part_;
  StoredRun run_;
  std::optional<Piece> piece_;
};

}  // namespace

const char* label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                       LazyEngine& engine) {
  return LabelTask(files, options, task).run(engine);
}

}  // namespace gpuccl::app
