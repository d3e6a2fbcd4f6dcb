#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/messages.hpp"
#include "app/label/part_labeler.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/contacts.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/file_error.hpp"
#include "io/image/limits.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/part_writer.hpp"
#include "io/report/outlines.hpp"
#include "io/report/report.hpp"

namespace gpuccl::app {
namespace {

/// Returns read(part) for all parts that have some of these rows.
template <class Read>
std::vector<SlabLabels> slabs_with(const StoredRun& run, const RowRange& rows, Read read) {
  std::vector<SlabLabels> slabs;
  for (int part = 1; part <= run.parts(); ++part)
    if (!common_rows(rows, run.rows(part)).empty()) slabs.push_back(read(part));
  return slabs;
}

/// Returns the rows of a part and some around them; none if it has none.
RowRange rows_around(const StoredRun& run, int part, const RowsAround& around) {
  const RowRange own = run.rows(part);
  return own.empty() ? RowRange() : RowRange{own.begin - around.before, own.end + around.behind};
}

// Steps 1 to 3: labels and measures.

bool is_labeled(const StoredRun& run, int part) {
  return run.file(TaskFile::labels, part).is_valid() &&
         (!run.measures().needs_background() || run.file(TaskFile::cavities, part).is_valid());
}

/// Returns whether gpuccl join has found the holes; then it has written those of the part.
bool are_holes_found(const StoredRun& run, int part) {
  return run.file(TaskFile::holes, part).exists() || run.file(TaskFile::joined).exists();
}

/// Reads the part and labels its background.
void label_background(const StoredRun& run, int part, PartLabeler& piece, LazyEngine& engine) {
  const Stopwatch total;
  PartLabeler::Labels background;
  io::with_path(run.files().input, [&] {
    Engine& started = engine.start();
    piece.read();
    background.labeled = piece.label_background(started);
  });
  PartFacts report = piece.report();
  report.fill_ms = 0;  // all of it is label_ms
  report.total_ms = total.milliseconds();
  run.write_labels(TaskFile::background, part, report, background);
}

/// Fills the holes that gpuccl join has found. Needs the background that was labeled, not the input.
void fill_found_holes(const StoredRun& run, int part, PartLabeler& piece) {
  SlabLabels background = run.file(TaskFile::holes, part).read_required([&](const io::CheckedFile& file) {
    auto holes = file.read<Label>(sections::kHoles);
    io::check_numbers(holes, file.read_one<HoleCounts>(sections::kHoleCounts).count);
    return run.labels(TaskFile::background, part, file.read_one<std::uint64_t>(sections::kOfBackground),
                      std::move(holes));
  });
  run.file(TaskFile::background, part).read_required([&](const io::CheckedFile& file) {
    piece.resume(PartFacts::of_text(file.read_text(sections::kReport)));
    piece.fill(std::move(background));
  });
}

/// Labels the part, and its background if measures need that.
void label_part(const StoredRun& run, int part, PartLabeler& piece, LazyEngine& engine) {
  const Stopwatch total;
  const std::string& input = run.files().input;
  Engine& started = io::with_path(input, [&]() -> Engine& { return engine.start(); });
  const bool fills = run.options().fill_holes.has_value();
  if (!fills) io::with_path(input, [&] { piece.read(); });
  SoloLink link;
  const PartLabeler::Labels labels = label_piece(link, piece, input, started, [&] {
    if (fills) fill_found_holes(run, part, piece);
  });
  if (run.measures().needs_background()) {
    BitVolume bits;
    PartLabeler::Labels background;
    background.labeled = io::with_path(
        input, [&] { return piece.label_background_of(labels.labeled.labels.get(), started, bits); });
    run.write_labels(TaskFile::cavities, part, {}, background);
  }
  PartFacts report = piece.report();
  report.total_ms += total.milliseconds();
  run.write_labels(TaskFile::labels, part, report, labels);
}

/// Returns the labels of a part in the whole image, before the selection.
SlabLabels united_labels(const StoredRun& run, int part) {
  return run.file(TaskFile::united, part).read_required([&](const io::CheckedFile& file) {
    file.verify();
    return run.labels(TaskFile::labels, part, file.read_one<UnitedSources>(sections::kSources).labels,
                      file.read<Label>(sections::kUnited + sections::kLabels));
  });
}

/// Returns the cavities that begin in a part.
Labeling cavities_of(const StoredRun& run, int part, const io::CheckedFile& united) {
  PartResult begun = read_numbered_part(united, sections::kCavities, run.extent());
  const auto id = united.read_one<UnitedSources>(sections::kSources).cavities;
  return cavities_of_slab(run.extent(),
                          run.labels(TaskFile::cavities, part, id, std::move(begun.labels.numbers)),
                          begun.first, std::move(begun.components));
}

/// Measures the rows of the part. Returns false if that was done before.
bool measure_own_rows(const StoredRun& run, int part) {
  return run.file(TaskFile::united, part).read_required([&](const io::CheckedFile& united) {
    united.verify();
    const auto sources = united.read_one<UnitedSources>(sections::kSources);
    const StoredFile out = run.file(TaskFile::measures, part, sources.joined);
    if (out.is_valid()) return false;
    const Extent whole = run.extent();
    const Components components = read_numbered_part(united, sections::kUnited, whole).components;
    MeasureRequest request = run.measures().request();
    Labeling background;
    if (run.measures().needs_background()) {
      background = cavities_of(run, part, united);
      request.background = &background;
    }
    const RowRange rows = rows_around(run, part, rows_measured_around(whole, run.input().connectivity()));
    const MeasureTable measured = measure_slab(
        whole, run.slab(part), slabs_with(run, rows, [&](int other) { return united_labels(run, other); }),
        united.read<Label>(sections::kPresent), components, request);
    out.write([&](io::CheckedFileWriter& file) { write_measured(file, measured, 0, components.size()); });
    return true;
  });
}

// Step 4: outputs.

/// Returns the final labels of a part.
SlabLabels final_labels(const StoredRun& run, const JoinedParts& joined, int part) {
  auto numbers =
      run.file(TaskFile::numbers, part, joined.id()).read_required([&](const io::CheckedFile& file) {
        auto read = file.read<Label>(sections::kNumbered + sections::kLabels);
        io::check_numbers(read, joined.count);
        return read;
      });
  return run.labels(TaskFile::labels, part, joined.labels.at(static_cast<std::size_t>(part) - 1),
                    std::move(numbers));
}

/// Final labels of some rows, and the memory that remains.
struct LabelsInMemory {
  std::unique_ptr<LabelRows> source;
  std::int64_t bytes_left;
};

/// Returns the final labels of `rows`. `claimed`: bytes for other purposes.
LabelsInMemory final_labels_of(const StoredRun& run, const JoinedParts& joined, const RowRange& rows,
                               std::int64_t claimed) {
  std::vector<SlabLabels> slabs =
      slabs_with(run, rows, [&](int part) { return final_labels(run, joined, part); });
  for (const SlabLabels& slab : slabs)
    claimed += static_cast<std::int64_t>(slab.numbers.size() * sizeof(Label));
  const MemoryBudget budget(io::memory_limit(run.options().input.limits));
  return {joined_labels(run.extent(), std::move(slabs), static_cast<Label>(joined.count)),
          budget.left_after(static_cast<double>(claimed))};
}

/// Replaces the final labels of a part by values, or by indices into `wide` unless it is empty.
void replace_labels(const StoredRun& run, const JoinedParts& joined, int part, std::vector<Label>& numbers,
                    std::vector<ValueBits>& wide) {
  const bool splits = run.options().values.split_values;
  const StoredFile stored =
      splits ? run.file(TaskFile::numbers, part, joined.id()) : run.file(TaskFile::labels, part);
  stored.read_required([&](const io::CheckedFile& file) {
    const std::size_t section = splits ? std::size_t{sections::kIdsOfLabels} : sections::kValues;
    auto values = file.read<ValueBits>(section);
    if (splits && !values.empty()) values.erase(values.begin());  // of the background
    if (values.size() + 1 != numbers.size()) io::CheckedFile::throw_damaged();
    const ValueType type = splits ? ValueType::u64 : *run.input().value_type();
    replace_by_values(type, values, numbers, wide.empty() ? nullptr : &wide);
  });
}

void write_image_stretch(const StoredRun& run, const JoinedParts& joined, int part,
                         io::CheckedFileWriter& file) {
  const bool keeps_values = run.options().values.writes_values();
  std::vector<ValueBits> wide;  // values of 64 bits; empty if 32 are enough
  if (keeps_values && io::bits_per_sample(joined.image_type) == 64) wide.push_back(0);
  const io::LabelFile image = run.image(joined);
  std::vector<SlabLabels> slabs = slabs_with(run, io::rows_of_stretch(image, run.rows(part)), [&](int other) {
    SlabLabels slab = final_labels(run, joined, other);
    if (keeps_values) replace_labels(run, joined, other, slab.numbers, wide);
    return slab;
  });
  const std::unique_ptr<LabelRows> labels =
      joined_labels(run.extent(), std::move(slabs), joined.image_largest);
  io::write_label_stretch(file, image, *labels, wide, run.rows(part));
}

/// Returns the components whose texts the part writes, with their values and measures.
PartResult components_to_write(const StoredRun& run, const JoinedParts& joined, int part) {
  return run.file(TaskFile::numbers, part, joined.id()).read_required([&](const io::CheckedFile& file) {
    PartResult numbered = read_numbered_part(file, sections::kNumbered, run.extent(), run.is_periodic());
    const std::size_t count = numbered.components.size();
    const auto values = file.read<ValueBits>(sections::kNumberedValues);
    if (values.size() != (run.input().value_type() ? count : 0)) io::CheckedFile::throw_damaged();
    numbered.values.assign(values.begin(), values.end());
    if (!run.measures().any()) return numbered;
    numbered.measured = empty_measures(run.extent(), numbered.components, run.measures().request());
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    add_measured(file, sections::kNumberedMeasures, all, numbered.measured);
    show_only(numbered.measured, run.options().measure.wanted);
    return numbered;
  });
}

/// Writes the outlines of the components of `texts`, from all parts that have rows of them.
void write_outline_stretch(const StoredRun& run, const JoinedParts& joined, const ComponentTexts& texts,
                           const io::TextSink& sink) {
  const Components& components = texts.part.components;
  RowRange rows;
  for (const Box& box : components.box) {
    rows.begin = rows.empty() ? box.min[1] : std::min<std::int64_t>(rows.begin, box.min[1]);
    rows.end = std::max<std::int64_t>(rows.end, box.max[1] + 1);
  }
  if (run.is_periodic()) rows = {0, run.extent().rows()};  // bounding boxes cross borders
  const LabelsInMemory labels = final_labels_of(run, joined, rows, 0);
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

/// Writes the part's share of the table, the report, the metadata of an OME-Zarr, and the outlines.
void write_text_stretches(const StoredRun& run, const JoinedParts& joined, int part,
                          io::CheckedFileWriter& file) {
  const LabelPaths& files = run.files();
  const LabelInput& input = run.input();
  const PartResult components = components_to_write(run, joined, part);
  io::Report report;
  report.input = input.info();
  report.volume = input.is_volume();
  report.value = input.column(components.values);
  const std::vector<ValueBits> ids =
      run.file(TaskFile::numbers, part, joined.id()).read_required([](const io::CheckedFile& stored) {
        return stored.read<ValueBits>(sections::kIds);
      });
  report.value.labels = ids;
  report.lists_components = run.options().lists_components;
  if (run.options().values.sums_values()) report.values = joined.values;
  const ComponentTexts texts{
      files, run.options(), report, components, {components.first, part == 1, part == run.parts()}};
  const io::TextSink sink = [&](std::string_view text) { file.add(text); };
  if (!files.stats.empty()) texts.write_stats(sink);
  file.end_section();
  if (!files.json.empty()) texts.write_report_rows(sink);
  file.end_section();
  if (!files.outlines.empty())
    io::with_path(files.outlines, [&] { write_outline_stretch(run, joined, texts, sink); });
  file.end_section();
}

/// Returns contacts in rows of the part, and between these and the rows before them.
std::vector<Contact> contacts_of_part(const StoredRun& run, const JoinedParts& joined, int part) {
  const Extent whole = run.extent();
  const RowRange own = run.rows(part);
  const Connectivity all = all_neighbors(run.input().connectivity());
  const LabelsInMemory labels =
      final_labels_of(run, joined, rows_around(run, part, rows_touched_before(whole, all)),
                      bytes_to_find_contacts(whole, all, (std::int64_t{whole.width} + 1) / 2));
  return io::with_path(run.files().input, [&] {
    return find_contacts_of_rows(*labels.source, all, own.begin, own.count(), labels.bytes_left);
  });
}

/// Writes the part's stretch of all outputs, as sections::OfStretch. Returns false if that was done before.
bool write_stretch(const StoredRun& run, const JoinedParts& joined, int part) {
  const StoredFile out = run.file(TaskFile::stretch, part, joined.id());
  if (out.is_valid()) return false;
  out.write([&](io::CheckedFileWriter& file) {
    const Stopwatch total;
    if (!run.files().image.empty())
      write_image_stretch(run, joined, part, file);
    else
      for (std::size_t i = 0; i < io::kLabelSections; ++i) file.end_section();
    write_text_stretches(run, joined, part, file);
    const bool has_contacts = !run.files().contacts.empty() && !run.rows(part).empty();
    file.add_section(has_contacts ? contacts_of_part(run, joined, part) : std::vector<Contact>());
    file.add_section(std::array{total.milliseconds()});
    BorderRows rows;
    if (has_contacts && run.is_periodic())
      rows = list_border_rows(final_labels(run, joined, part), run.extent(), run.options().periodic);
    file.add_section(rows.rows);
    file.add_section(rows.runs.runs);
    file.add_section(rows.runs.ends);
  });
  return true;
}

}  // namespace

const char* label_task(const LabelPaths& files, const LabelOptions& options, const TaskOptions& task,
                       LazyEngine& engine) {
  const int part = task.part;
  StoredRun run(files, options, task,
                [quiet = options.quiet || part != 1](const std::string& path, const std::string& line) {
                  if (!quiet) print_warning(path, line);
                });
  std::optional<PartLabeler> piece;
  io::with_path(files.input, [&] { piece.emplace(run.input(), run.slab(part)); });
  const char* done = "was done before";
  if (run.is_finished()) return done;
  const bool fills = options.fill_holes.has_value();
  if (fills && !run.file(TaskFile::background, part).is_valid()) {
    label_background(run, part, *piece, engine);
    done = "has its background labeled";
  }
  if (!is_labeled(run, part)) {
    if (fills && !are_holes_found(run, part)) return done;
    label_part(run, part, *piece, engine);
    done = "is labeled";
  }
  if (run.file(TaskFile::joined).exists()) {
    if (write_stretch(run, run.joined("run gpuccl join again"), part)) done = "is written";
  } else if (run.input().measures_rows() && run.file(TaskFile::united, part).exists()) {
    if (measure_own_rows(run, part)) done = "is measured";
  }
  return done;
}

}  // namespace gpuccl::app
