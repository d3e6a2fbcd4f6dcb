#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/label/label_checks.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"

// A join treats all parts as one part, over a SoloLink.
namespace gpuccl::app {
namespace {

constexpr const char* kToWrite = "to write the outputs";

/// Returns the index of a part, counted from 1, in lists of all parts.
std::size_t index_of(int part) { return static_cast<std::size_t>(part) - 1; }

Connectivity of_background(const StoredRun& run) { return complementary(run.input().connectivity()); }

/// Returns the holes that an earlier join has found, if it has written the holes of all parts. They are right
/// even if a background is missing or damaged, but not if it was labeled again.
std::optional<HoleCounts> read_holes(const StoredRun& run) {
  std::optional<HoleCounts> found;
  for (int part = 1; part <= run.parts(); ++part) {
    const StoredFile background = run.file(TaskFile::background, part);
    const bool is_valid = run.file(TaskFile::holes, part).is_valid([&](const io::CheckedFile& holes) {
      holes.verify();
      found = holes.read_one<HoleCounts>(sections::kHoleCounts);
      const auto id = holes.read_one<std::uint64_t>(sections::kOfBackground);
      std::uint64_t now = id;
      background.is_valid([&](const io::CheckedFile& labels) { now = labels_id(labels); });
      if (now != id) io::CheckedFile::throw_damaged();
    });
    if (!is_valid) return std::nullopt;
  }
  return found;
}

/// Finds the holes in the backgrounds of all parts, and writes those of each part.
HoleCounts find_holes(const StoredRun& run) {
  std::vector<std::uint64_t> ids;
  run.for_each_part([&](int part) {
    ids.push_back(run.file(TaskFile::background, part).read([](const io::CheckedFile& file) {
      file.verify();
      return labels_id(file);
    }));
  });
  JoinedSlabs holes = run.join(TaskFile::background, of_background(run));
  SoloLink link;
  const HoleCounts found = run.input().select_holes(link, holes.whole);
  for (int part = 1; part <= run.parts(); ++part)
    run.file(TaskFile::holes, part).write([&](io::CheckedFileWriter& file) {
      file.add_section(std::array{ids[index_of(part)]});
      file.add_section(holes.numbers(index_of(part)));
      file.add_section(std::array{found});
    });
  return found;
}

bool is_any_labeled(const StoredRun& run) {
  for (int part = 1; part <= run.parts(); ++part)
    if (run.file(TaskFile::labels, part).exists()) return true;
  return false;
}

/// Reads the reports and ids of the labels of all parts. Returns the ids of their backgrounds: 0 where none
/// is needed.
std::vector<std::uint64_t> read_reports(const StoredRun& run, JoinedParts& joined) {
  std::vector<std::uint64_t> backgrounds;
  run.for_each_part([&](int part) {
    run.file(TaskFile::labels, part).read([&](const io::CheckedFile& file) {
      joined.pieces.push_back(PartFacts::of_text(file.read_text(sections::kReport)));
      joined.labels.push_back(labels_id(file));
    });
    const bool is_needed = run.measures().needs_background();
    backgrounds.push_back(is_needed ? run.file(TaskFile::cavities, part).read(labels_id) : 0);
  });
  return backgrounds;
}

/// Returns the result of an earlier join of the same labels, if all of its files are valid.
std::optional<JoinedParts> read_joined(const StoredRun& run, const JoinedParts& joined) {
  if (!run.file(TaskFile::joined).is_valid()) return std::nullopt;
  JoinedParts before = run.joined("run gpuccl join again");
  if (before.labels != joined.labels) return std::nullopt;
  for (int part = 1; part <= run.parts(); ++part)
    if (!run.file(TaskFile::numbers, part, before.id()).is_valid()) return std::nullopt;
  return before;
}

bool is_united(const StoredRun& run, int part, const UnitedSources& sources) {
  return run.file(TaskFile::united, part).is_valid([&](const io::CheckedFile& file) {
    file.verify();
    if (file.read_one<UnitedSources>(sections::kSources) != sources) io::CheckedFile::throw_damaged();
  });
}

/// Returns whether parts have measured these labels; if some have, all must.
bool are_measured(const StoredRun& run, const std::vector<UnitedSources>& sources) {
  const auto measures = [&](int part) {
    return run.file(TaskFile::measures, part, sources[index_of(part)].joined);
  };
  bool any = false;
  for (int part = 1; part <= run.parts(); ++part) {
    if (!is_united(run, part, sources[index_of(part)])) return false;
    any = any || measures(part).exists();
  }
  if (any)
    run.for_each_part(
        [&](int part) { measures(part).read([](const io::CheckedFile& file) { file.verify(); }); });
  return any;
}

JoinedSlabs find_cavities(const StoredRun& run) {
  JoinedSlabs cavities = run.join(TaskFile::cavities, of_background(run));
  SoloLink link;
  select_part(link, run.extent(), of_background(run), {.clear_border = true}, cavities.whole);
  return cavities;
}

/// Writes what each part needs to measure its components.
void write_united(const StoredRun& run, const std::vector<UnitedSources>& sources, const JoinedSlabs& parts) {
  const JoinedSlabs cavities = run.measures().needs_background() ? find_cavities(run) : JoinedSlabs();
  const Components& all = cavities.whole.components;
  std::size_t begin = 0, end = 0;  // of the cavities of a part; they are in raster order
  for (int part = 1; part <= run.parts(); ++part, begin = end) {
    while (end < all.size() && all.box[end].min[2] < run.slab(part).z1) ++end;
    if (is_united(run, part, sources[index_of(part)])) continue;
    const std::vector<Label> labels = parts.numbers(index_of(part));
    const std::set<Label> present(labels.begin() + 1, labels.end());
    Components components;
    for (const Label label : present) components.push_back(parts.whole.components[label - std::size_t{1}]);
    run.file(TaskFile::united, part).write([&](io::CheckedFileWriter& file) {
      file.add_section(std::array{sources[index_of(part)]});
      file.add_section(std::vector<Label>(present.begin(), present.end()));
      write_numbered_part(file, labels, components, 0, components.size());
      write_numbered_part(file, cavities.numbers(index_of(part)), all, begin, end);
    });
  }
}

/// Merges components across periodic borders.
void wrap(const StoredRun& run, const JoinedParts& joined, JoinedSlabs& parts) {
  PartResult& whole = parts.whole;
  std::vector<SlabLabels> slabs;
  for (int part = 1; part <= run.parts() && !run.rows(part).empty(); ++part)
    slabs.push_back(
        run.labels(TaskFile::labels, part, joined.labels[index_of(part)], parts.numbers(index_of(part))));
  whole.labels.labels = joined_labels(run.extent(), std::move(slabs), whole.count);
  SoloLink link;
  io::with_path(run.files().input, [&] { run.input().wrap(link, whole); });
  whole.labels.labels.reset();
}

/// Adds the measures of all parts.
void add_measures(const StoredRun& run, JoinedParts& joined, PartResult& whole) {
  whole.measured = empty_measures(run.extent(), whole.components, run.measures().request());
  for (int part = 1; part <= run.parts(); ++part) {
    std::vector<std::size_t> components;
    run.file(TaskFile::united, part).read([&](const io::CheckedFile& file) {
      for (const Label label : file.read<Label>(sections::kPresent)) {
        if (label == 0 || label > whole.count) io::CheckedFile::throw_damaged();
        components.push_back(label - std::size_t{1});
      }
    });
    run.file(TaskFile::measures, part, joined.id()).read_required([&](const io::CheckedFile& file) {
      add_measured(file, sections::kSums, components, whole.measured);
    });
  }
  whole.nans = derive_intensities(whole.measured, whole.count);
  SoloLink link;
  joined.measured(link, whole);
}

/// Decides on the type of the label image, which must hold all labels, or values instead of them.
void choose_image_type(const StoredRun& run, JoinedParts& joined, std::span<const ValueBits> values,
                       std::span<const ValueBits> ids) {
  const LabelOptions& options = run.options();
  WrittenValues written{options.label_type, {}, {}, static_cast<Label>(joined.count)};
  io::with_path(run.files().image, [&] {
    const std::optional<ValueType> type = run.input().value_type();
    if (options.values.keep_values) written = written_values(*type, values, {});
    if (options.values.split_values) written = written_values(type_of_ids(*type, ids), ids, {});
  });
  joined.image_type = written.type;
  joined.image_largest = written.largest;
  run.image_options(joined);  // throws if the type cannot hold them
}

/// Writes the final labels of each part, and for each about as many components.
void write_numbers(const StoredRun& run, const JoinedParts& joined, const JoinedSlabs& parts,
                   std::span<const ValueBits> ids) {
  const PartResult& whole = parts.whole;
  const auto end_of = [&](int part) {
    return static_cast<std::size_t>(std::uint64_t{whole.count} * static_cast<std::uint64_t>(part) /
                                    static_cast<std::uint64_t>(run.parts()));
  };
  for (int part = 1; part <= run.parts(); ++part) {
    const std::size_t begin = end_of(part - 1), end = end_of(part);
    run.file(TaskFile::numbers, part, joined.id()).write([&](io::CheckedFileWriter& file) {
      write_numbered_part(file, parts.numbers(index_of(part)), whole.components, begin, end);
      const std::span values(whole.values.data(), whole.values.size());
      file.add_section(values.empty() ? values : values.subspan(begin, end - begin));
      file.add_section(ids.empty() ? ids : ids.subspan(begin, end - begin));
      std::vector<ValueBits> of_labels;
      if (run.options().values.split_values)  // also if no component remains
        for (const Label label : parts.numbers(index_of(part)))
          of_labels.push_back(label == 0 ? 0 : ids[label - std::size_t{1}]);
      file.add_section(of_labels);
      write_measured(file, whole.measured, begin, end);
    });
  }
  run.file(TaskFile::joined).write([&](io::CheckedFileWriter& file) { joined.write(file); });
}

JoinResult join(const StoredRun& run) {
  const LabelInput& input = run.input();
  JoinedParts joined;
  if (run.options().fill_holes) {
    const std::optional<HoleCounts> known = read_holes(run);
    joined.holes = known ? *known : find_holes(run);
    if (!is_any_labeled(run)) return {joined.holes.count, "hole", "to label the parts"};
  }
  const std::vector<std::uint64_t> backgrounds = read_reports(run, joined);
  const char* const what = run.options().values.objects ? "object" : "component";
  if (const std::optional<JoinedParts> before = read_joined(run, joined))
    return {before->count, what, kToWrite};
  std::error_code none;
  std::filesystem::remove(run.file(TaskFile::joined).path, none);  // with this file, tasks do not measure
  JoinedSlabs parts = run.join(TaskFile::labels, input.connectivity());
  if (input.measures_rows()) {
    std::vector<UnitedSources> sources;
    for (std::size_t i = 0; i < backgrounds.size(); ++i)
      sources.push_back({joined.id(), joined.labels[i], backgrounds[i]});
    if (!are_measured(run, sources)) {
      write_united(run, sources, parts);
      return {parts.whole.count, what, "to measure"};
    }
    add_measures(run, joined, parts.whole);
  } else if (run.is_periodic()) {
    wrap(run, joined, parts);
  }
  joined.largest = parts.whole.largest;
  SoloLink link;
  PartResult& whole = parts.whole;
  const bool splits = run.options().values.split_values;
  const ValueBits last = splits ? largest_value(*input.value_type(), whole.values) : 0;
  input.select(link, whole);
  joined.selected(link, input, whole);
  std::vector<ValueBits> ids;
  if (splits)
    ids = io::with_path(run.files().input, [&] {
      return split_values(*input.value_type(), whole.values, whole.components.area, last);
    });
  if (!run.files().image.empty()) choose_image_type(run, joined, whole.values, ids);
  write_numbers(run, joined, parts, ids);
  return {joined.count, what, kToWrite};
}

}  // namespace

std::optional<JoinResult> join_tasks(const std::string& folder, bool sandboxed) {
  StoredRun run(folder);
  if (sandboxed) enter_sandbox_of_join(run.files(), run.options(), folder);
  if (run.is_finished()) return std::nullopt;
  run.open_input();
  return join(run);
}

}  // namespace gpuccl::app
