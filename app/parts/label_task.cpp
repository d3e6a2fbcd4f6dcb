#include "app/parts/label_task.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/common/stopwatch.hpp"
#include "app/label/label_checks.hpp"
#include "app/label/label_outputs.hpp"
#include "app/label/piece.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/finished_run.hpp"
#include "app/parts/joined_parts.hpp"
#include "app/parts/stored_part.hpp"
#include "app/parts/task_cavities.hpp"
#include "app/parts/task_folder.hpp"
#include "app/parts/task_holes.hpp"
#include "app/parts/task_words.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/parts.hpp"
#include "io/parts/section_checks.hpp"
#include "io/parts/stretch_file.hpp"
#include "io/report/report.hpp"
#include "io/report/stats_csv.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

constexpr const char* kJoinAgain = "run gpuccl join again";

class LabelTask {
 public:
  LabelTask(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task)
      : files_(files),
        options_(options),
        part_(task.part),
        folder_(task.folder, options.output.file.sync),
        input_(io::concerning(files.input,
                              [&] {
                                return LabelInput(files, options,
                                                  [this](const std::string& path, const std::string& line) {
                                                    warn(path, line);
                                                  });
                              })),
        measures_(input_.measures()) {
    if (!std::filesystem::exists(folder_.finished_path()))
      LabelOutputs(files_, LabelStreams(files_), options_.output);  // can be written
    folder_.begin({task_words(options), input_.state(), task.parts},
                  [&](const std::string& before) { return input_.changed(before); });
    slabs_ = cut_into_parts(input_.extent(), task.parts);
    own_ = io::rows_of_parts(input_.extent(), task.parts);
    io::concerning(files.input, [&] { piece_.emplace(input_, slab(), false); });
  }

  TaskDone run(LazyEngine& engine) {
    if (is_finished(folder_, files_)) return TaskDone::nothing;
    const bool background =
        options_.fill_holes &&
        !is_whole(folder_.background_path(part_), folder_.background_tag(part_), sections::kOfLabels);
    if (background) leave_background(folder_, part_, *piece_, input_, engine);
    const TaskDone before = background ? TaskDone::background : TaskDone::nothing;
    const bool labels =
        !is_whole(folder_.labels_path(part_), folder_.labels_tag(part_), sections_of_labels()) ||
        (measures_.needs_background() &&
         !is_whole(folder_.cavities_path(part_), folder_.cavities_tag(part_), sections::kOfLabels));
    if (labels && options_.fill_holes && !is_joined_for_holes()) return before;
    if (labels) io::concerning(folder_.labels_path(part_), [&] { label(engine); });
    const std::optional<JoinedParts> joined = joined_parts();
    if (joined && !is_whole(folder_.stretch_path(part_), folder_.stretch_tag(part_, joined->id()),
                            sections::of_stretch(has_contacts_across(files_, options_)))) {
      io::concerning(folder_.stretch_path(part_), [&] { write(*joined); });
      return TaskDone::written;
    }
    if (!joined && input_.measures_rows() && measure()) return TaskDone::measured;
    return labels ? TaskDone::labeled : before;
  }

 private:
  const Slab& slab() const { return slabs_[static_cast<std::size_t>(part_) - 1]; }
  const io::Rows& own() const { return own_[static_cast<std::size_t>(part_) - 1]; }
  std::string again(int part) const { return "run --part " + word_of_part(part, folder_.parts()) + " again"; }

  /// Whether gpuccl join is done with the backgrounds, and must have left what of the part's is a hole.
  bool is_joined_for_holes() const {
    return std::filesystem::exists(folder_.holes_path(part_)) ||
           std::filesystem::exists(folder_.joined_path());
  }

  std::size_t sections_of_labels() const { return sections::of_labels(options_.values.most_difference()); }

  void label(LazyEngine& engine) {
    const Stopwatch total;
    std::optional<PieceReport> before;
    std::optional<Piece::Labels> found;
    Engine& started = engine.start();
    if (!options_.fill_holes) io::concerning(files_.input, [&] { piece_->read(); });
    while (!found) {
      if (options_.fill_holes) before = fill_part(folder_, part_, *piece_, input_.extent());
      found = io::concerning(files_.input, [&] { return piece_->label(started); });
    }
    if (measures_.needs_background())
      leave_cavities(folder_, part_, *piece_, input_.extent(), found->labeled.labels.get(), engine);
    PieceReport report = piece_->report();
    report.fill_ms = 0;
    report.total_ms = total.milliseconds();
    if (before) report.add_before(*before);
    io::CheckedFileWriter file(folder_.labels_path(part_), folder_.labels_tag(part_), folder_.options());
    put_part(file, report, *found, slab(), input_.extent());
    file.commit();
  }

  /// Measures the part's own rows if parts were united; false if not, or if that was done.
  bool measure() {
    if (!std::filesystem::exists(folder_.united_path(part_))) return false;
    const io::CheckedFile mine = united(part_);
    const std::string path = folder_.measures_path(part_);
    const io::FileTag tag = folder_.measures_tag(part_, ids_of(mine)[sections::kOfJoined]);
    if (is_whole(path, tag, sections::kOfMeasures)) return false;
    const Components components = with_remedy(mine.path(), kJoinAgain, [&] {
      return take_components(mine, sections::kThereAsWhole, input_.extent());
    });
    const auto there = mine.take<Label>(sections::kThere);
    const RowsAround around = rows_measured_around(input_.extent(), input_.connectivity());
    std::vector<NumberedSlab> slabs;
    for (const int part : parts_with({own().begin - around.before, own().end + around.behind})) {
      const io::CheckedFile file = united(part);
      slabs.push_back(stored(part, file.take<Label>(sections::kUnited), ids_of(file)[sections::kOfPart]));
    }
    MeasureRequest request = measures_.request();
    Labeled cavities;
    if (measures_.needs_background()) {
      cavities = take_cavities(folder_, part_, mine, slab(), input_.extent());
      request.background = &cavities;
    }
    const Measured measured = with_remedy(mine.path(), kJoinAgain, [&] {
      return measure_slab(input_.extent(), slab(), std::move(slabs), there, components, request);
    });
    io::concerning(path, [&] {
      io::CheckedFileWriter file(path, tag, folder_.options());
      put_measured(file, measured, 0, components.size());
      file.commit();
    });
    return true;
  }

  io::CheckedFile united(int part) const {
    const std::string path = folder_.united_path(part);
    return with_remedy(path, kJoinAgain, [&] {
      io::CheckedFile file(path, folder_.united_tag(part), sections::kOfUnited);
      file.verify();
      return file;
    });
  }
  static std::vector<std::uint64_t> ids_of(const io::CheckedFile& united) {
    auto ids = united.take<std::uint64_t>(sections::kIds);
    ids.resize(sections::kOfIds);
    return ids;
  }

  /// Returns none if parts have not been joined, or must be joined again.
  std::optional<JoinedParts> joined_parts() const {
    const std::string path = folder_.joined_path();
    if (!std::filesystem::exists(path)) return std::nullopt;
    return with_remedy(path, kJoinAgain, [&] { return JoinedParts::read(folder_); });
  }

  void write(const JoinedParts& joined) const {
    const Stopwatch total;
    io::CheckedFileWriter file(folder_.stretch_path(part_), folder_.stretch_tag(part_, joined.id()),
                               folder_.options());
    if (files_.image.empty()) {
      file.end_section();
      file.end_section();
    } else {
      write_image(joined, file);
    }
    const io::CheckedFile numbers = numbers_of(part_, joined);
    with_remedy(numbers.path(), kJoinAgain, [&] {
      const Components stay =
          take_components(numbers, sections::kStay, input_.extent(), options_.periodic != PeriodicAxes{});
      const auto values = numbers.take<ValueBits>(sections::kStayValues);
      if (values.size() != (input_.value_type() ? stay.size() : 0)) throw Error(Failure::data, "is damaged");
      Measured measured;
      if (measures_.any()) {
        measured = measure_nothing(input_.extent(), stay, measures_.request());
        std::vector<std::size_t> all(stay.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        add_measured(numbers, sections::kStayMeasured, all, measured);
        measured.show_only(options_.measure.wanted);
      }
      const io::Stretch stretch{numbers.take_one<std::uint64_t>(sections::kFirst), part_ == 1, false};
      const io::TextSink sink = [&](std::string_view text) { file.add(text); };
      if (!files_.stats.empty())
        io::stream_stats_csv(sink, input_.is_volume(), input_.info().geometry, stay, measured, stretch,
                             input_.column(values));
      file.end_section();
      if (!files_.json.empty()) {
        io::Report report;
        report.input = input_.info();
        report.volume = input_.is_volume();
        report.value = input_.column(values);
        io::stream_report(sink, report, stay, measured, {stretch.first, false, false});
      }
      file.end_section();
      return 0;
    });
    file.put(contacts(joined));
    file.put(std::vector<double>{total.milliseconds()});
    if (has_contacts_across(files_, options_)) {
      BorderRows rows;
      if (!own().empty())
        rows = list_border_rows(numbered(part_, joined), input_.extent(), options_.periodic);
      file.put(rows.rows);
      file.put(rows.runs.runs);
      file.put(rows.runs.ends);
    }
    file.commit();
  }

  void write_image(const JoinedParts& joined, io::CheckedFileWriter& file) const {
    with_remedy(folder_.joined_path(), kJoinAgain, [&] { joined.check_image(options_.values.keep_values); });
    const io::LabelFormat format = io::label_format(files_.image);
    const io::WriteOptions write =
        write_options(options_, format, joined.image_type, joined.image_largest, input_.info().geometry);
    std::vector<NumberedSlab> slabs;
    const io::LabelFile image = io::concerning(files_.image, [&] {
      return io::new_label_file(format, files_.image, input_.extent(), joined.image_largest, write);
    });
    for (const int part : parts_with(io::rows_of_stretch(image, own()))) {
      slabs.push_back(numbered(part, joined));
      if (options_.values.keep_values) make_values(part, slabs.back().numbers);
    }
    const std::unique_ptr<LabelSource> labels =
        joined_labels(input_.extent(), std::move(slabs), joined.image_largest);
    io::put_label_stretch(file, image, *labels, own());
  }

  /// Returns contacts in the part's own rows, and between these and the rows before.
  std::vector<Contact> contacts(const JoinedParts& joined) const {
    if (files_.contacts.empty() || own().empty()) return {};
    const Connectivity all = all_neighbors(input_.connectivity());
    std::vector<NumberedSlab> slabs;
    for (const int part :
         parts_with({own().begin - rows_touched_before(input_.extent(), all).before, own().end}))
      slabs.push_back(numbered(part, joined));
    const std::unique_ptr<LabelSource> labels =
        joined_labels(input_.extent(), std::move(slabs), static_cast<Label>(joined.count));
    return find_contacts_of_rows(*labels, all, own().begin, own().count());
  }

  /// Returns the parts that have some of these rows; none for an empty part.
  std::vector<int> parts_with(const io::Rows& rows) const {
    std::vector<int> parts;
    for (int part = 1; part <= folder_.parts() && !own().empty(); ++part)
      if (!common(rows, own_[static_cast<std::size_t>(part) - 1]).empty()) parts.push_back(part);
    return parts;
  }

  /// A part with its numbers in the whole, from their files.
  NumberedSlab numbered(int part, const JoinedParts& joined) const {
    const io::CheckedFile numbers = numbers_of(part, joined);
    auto list = with_remedy(numbers.path(), kJoinAgain, [&] {
      auto taken = numbers.take<Label>(sections::kNumbers);
      io::check_numbers(taken, joined.count);
      return taken;
    });
    return stored(part, std::move(list), joined.labels.at(static_cast<std::size_t>(part) - 1));
  }

  /// A part with other numbers for its labels, of which it must have left those with `id`.
  NumberedSlab stored(int part, std::vector<Label> numbers, std::uint64_t id) const {
    NumberedSlab result;
    const std::string path = folder_.labels_path(part);
    with_remedy(path, again(part), [&] {
      auto labels = std::make_shared<io::CheckedFile>(path, folder_.labels_tag(part), sections_of_labels());
      labels->verify();
      if (labels_id(*labels) != id || numbers.empty())
        throw Error(Failure::data, "has changed since gpuccl join; run gpuccl join again");
      result = take_part(std::move(labels), slabs_[static_cast<std::size_t>(part) - 1], input_.extent(),
                         std::move(numbers));
      return 0;
    });
    return result;
  }

  /// Values instead of the numbers of a part's labels.
  void make_values(int part, std::vector<Label>& numbers) const {
    const std::string path = folder_.labels_path(part);
    with_remedy(path, again(part), [&] {
      const io::CheckedFile labels(path, folder_.labels_tag(part), sections_of_labels());
      const auto values = labels.take<ValueBits>(sections::kValues);
      if (values.size() + 1 != numbers.size()) throw Error(Failure::data, "is damaged");
      numbers = written_values_of_part(*input_.value_type(), values, numbers).map;
      return 0;
    });
  }

  io::CheckedFile numbers_of(int part, const JoinedParts& joined) const {
    const std::string path = folder_.numbers_path(part);
    return with_remedy(path, kJoinAgain, [&] {
      return io::CheckedFile(path, folder_.numbers_tag(part, joined.id()), sections::kOfNumbers);
    });
  }

  void warn(const std::string& path, const std::string& line) const {
    if (part_ == 1 && !options_.quiet) print_warning(display_name(path) + ": " + line);
  }

  const LabelPaths& files_;
  const LabelOptions& options_;
  const int part_;
  TaskFolder folder_;
  LabelInput input_;
  const LabelMeasures& measures_;
  std::optional<Piece> piece_;
  std::vector<Slab> slabs_;    // of all parts
  std::vector<io::Rows> own_;  // the same
};

}  // namespace

TaskDone label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                    LazyEngine& engine) {
  return LabelTask(files, options, task).run(engine);
}

}  // namespace gpuccl::app
