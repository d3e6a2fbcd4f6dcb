#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/label/label_sandbox.hpp"
#include "app/label/written_values.hpp"
#include "app/parts/stored_run.hpp"
#include "app/parts/tasks.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"

namespace gpuccl::app {
namespace {

class Join {
 public:
  explicit Join(const StoredRun& run) : run_(run), input_(run.input()), measures_(run.measures()) {}

  Joined join() {
    if (run_.options().fill_holes) {
      joined_.holes = found_holes();
      if (!joined_.holes) joined_.holes = find_holes();
      if (!is_any_labeled()) return {joined_.holes->count, "hole", "to label the parts"};
    }
    run_.for_each_part([&](int part) {
      run_.file(TaskFile::labels, part).read([&](const io::CheckedFile& file) {
        joined_.pieces.push_back(PieceReport::of_text(file.take_text(sections::kFound)));
        joined_.labels.push_back(labels_id(file));
      });
      if (!measures_.needs_background()) return;
      backgrounds_.push_back(run_.file(TaskFile::cavities, part).read(labels_id));
    });
    const char* const what = run_.options().values.objects ? "object" : "component";
    if (const std::optional<JoinedParts> before = done_before()) return {before->count, what, kToWrite};
    std::error_code none;  // while it is there parts do not measure what is missing
    std::filesystem::remove(run_.file(TaskFile::joined).path, none);
    JoinedSlabs parts = run_.join(TaskFile::labels, input_.connectivity());
    if (input_.measures_rows() && !is_measured()) {
      unite(parts);
      return {parts.whole.count, what, "to measure"};
    }
    number(parts);
    return {joined_.count, what, kToWrite};
  }

 private:
  static constexpr const char* kToWrite = "to write the outputs";

  /// The place of a part, counted from 1, in lists of all parts.
  static std::size_t place(int part) { return static_cast<std::size_t>(part) - 1; }
  Connectivity of_background() const { return complementary(input_.connectivity()); }

  /// The holes, if a join before has found them in the backgrounds that are there, and left word for all
  /// parts. Where a background is missing or damaged, holes that were found in it are still right.
  std::optional<HoleCounts> found_holes() const {
    std::optional<HoleCounts> found;
    for (int part = 1; part <= run_.parts(); ++part) {
      const StoredFile holes = run_.file(TaskFile::holes, part),
                       background = run_.file(TaskFile::background, part);
      if (!holes.is_whole()) return std::nullopt;
      const bool is_of_it = holes.read([&](const io::CheckedFile& file) {
        found = file.take_one<HoleCounts>(sections::kHoleCounts);
        const auto id = file.take_one<std::uint64_t>(sections::kOfBackground);
        std::uint64_t now = id;
        background.is_whole([&](const io::CheckedFile& labels) { now = labels_id(labels); });
        return now == id;
      });
      if (!is_of_it) return std::nullopt;
    }
    return found;
  }

  /// Finds them in the backgrounds of all parts, and tells each part.
  HoleCounts find_holes() {
    std::vector<std::uint64_t> ids;
    run_.for_each_part([&](int part) {
      ids.push_back(run_.file(TaskFile::background, part).read([](const io::CheckedFile& file) {
        file.verify();
        return labels_id(file);
      }));
    });
    JoinedSlabs holes = run_.join(TaskFile::background, of_background());
    const HoleCounts found = input_.select_holes(link_, holes.whole);
    for (std::size_t i = 0; i < ids.size(); ++i)
      run_.file(TaskFile::holes, static_cast<int>(i) + 1).write([&](io::CheckedFileWriter& file) {
        file.put(std::vector{ids[i]});
        file.put(holes.numbers(i));
        file.put(std::vector{found});
      });
    return found;
  }

  bool is_any_labeled() const {
    for (int part = 1; part <= run_.parts(); ++part)
      if (run_.file(TaskFile::labels, part).exists()) return true;
    return false;
  }

  /// Returns the result of an earlier join of the same labels, if it is intact.
  std::optional<JoinedParts> done_before() const {
    if (!run_.file(TaskFile::joined).is_whole()) return std::nullopt;
    JoinedParts before = run_.joined("run gpuccl join again");
    if (before.labels != joined_.labels) return std::nullopt;
    for (int part = 1; part <= run_.parts(); ++part)
      if (!run_.file(TaskFile::numbers, part, before.id()).is_whole()) return std::nullopt;
    return before;
  }

  StoredFile measures_of(int part) const { return run_.file(TaskFile::measures, part, joined_.id()); }

  /// Whether parts have been measured since these labels were united; if some have, all must.
  bool is_measured() const {
    bool any = false;
    for (int part = 1; part <= run_.parts(); ++part) {
      if (!is_united(part)) return false;
      any = any || measures_of(part).exists();
    }
    if (any)
      run_.for_each_part(
          [&](int part) { measures_of(part).read([](const io::CheckedFile& file) { file.verify(); }); });
    return any;
  }

  bool is_united(int part) const {
    const StoredFile united = run_.file(TaskFile::united, part);
    return united.is_whole() && united.read([&](const io::CheckedFile& file) {
      return file.take<std::uint64_t>(sections::kIds) == ids_of(part);
    });
  }
  std::vector<std::uint64_t> ids_of(int part) const {
    return {joined_.id(), joined_.labels[place(part)],
            measures_.needs_background() ? backgrounds_[place(part)] : 0};
  }

  /// Leaves what parts need to measure their components.
  void unite(const JoinedSlabs& parts) {
    const JoinedSlabs cavities = measures_.needs_background() ? find_cavities() : JoinedSlabs();
    const Components& all = cavities.whole.components;
    std::size_t begin = 0, end = 0;  // of cavities, which are in the order in which they begin
    for (int part = 1; part <= run_.parts(); ++part, begin = end) {
      while (end < all.size() && all.box[end].min[2] < run_.slab(part).z1) ++end;
      if (is_united(part)) continue;
      const std::vector<Label> labels = parts.numbers(place(part));
      const std::set<Label> there(labels.begin() + 1, labels.end());
      Components components;
      for (const Label label : there) components.push_back(parts.whole.components[label - std::size_t{1}]);
      run_.file(TaskFile::united, part).write([&](io::CheckedFileWriter& file) {
        file.put(ids_of(part));
        file.put(std::vector<Label>(there.begin(), there.end()));
        put_numbered(file, labels, components, 0, components.size());
        put_numbered(file, cavities.numbers(place(part)), all, begin, end);
      });
    }
  }

  JoinedSlabs find_cavities() {
    JoinedSlabs cavities = run_.join(TaskFile::cavities, of_background());
    select_part(link_, run_.extent(), of_background(), {.clear_border = true}, cavities.whole);
    return cavities;
  }

  /// Merges components across periodic borders.
  void wrap(JoinedSlabs& parts) {
    std::vector<NumberedSlab> slabs;
    for (int part = 1; part <= run_.parts() && !run_.is_empty(part); ++part)
      slabs.push_back(
          run_.labels(TaskFile::labels, part, joined_.labels[place(part)], parts.numbers(place(part))));
    parts.whole.labels.labels = joined_labels(run_.extent(), std::move(slabs), parts.whole.count);
    io::with_path(run_.files().input, [&] { input_.wrap(link_, parts.whole); });
    parts.whole.labels.labels.reset();
  }

  /// Merges the measures of all parts.
  void measure(NumberedPart& whole) {
    whole.measured = measure_nothing(run_.extent(), whole.components, measures_.request());
    for (int part = 1; part <= run_.parts(); ++part) {
      std::vector<std::size_t> of;
      run_.file(TaskFile::united, part).read([&](const io::CheckedFile& file) {
        for (const Label label : file.take<Label>(sections::kThere)) {
          if (label == 0 || label > whole.count) io::CheckedFile::refuse();
          of.push_back(label - std::size_t{1});
        }
      });
      measures_of(part).need(
          [&](const io::CheckedFile& file) { add_measured(file, sections::kSums, of, whole.measured); });
    }
    whole.nans = whole.measured.derive_intensities(whole.count);
    joined_.measured(link_, whole);
  }

  void number(JoinedSlabs& parts) {
    NumberedPart& whole = parts.whole;
    if (run_.options().periodic != PeriodicAxes{}) {
      wrap(parts);
    } else if (measures_.any()) {
      measure(whole);
    }
    joined_.largest = whole.largest;
    input_.select(link_, whole);
    joined_.selected(link_, input_, whole);
    if (!run_.files().image.empty()) settle_image(whole.values);
    for (int part = 1; part <= run_.parts(); ++part) write_numbers(part, parts.numbers(place(part)), whole);
    run_.file(TaskFile::joined).write([&](io::CheckedFileWriter& file) { joined_.put(file); });
  }

  /// Decides on the type of the label image, which must hold all labels, or values instead of them.
  void settle_image(const Column<ValueBits>& values) {
    const LabelOptions& options = run_.options();
    WrittenValues written{options.label_type, {}, {}, static_cast<Label>(joined_.count)};
    io::with_path(run_.files().image, [&] {
      if (options.values.keep_values) written = written_values(*input_.value_type(), values, {});
    });
    joined_.image_largest = written.largest;
    joined_.image_type = written.type;
    run_.image_options(joined_);
  }

  /// Writes the numbers of a part, and as many rows of the table as for any other part.
  void write_numbers(int part, const std::vector<Label>& numbers, const NumberedPart& whole) const {
    const auto cut = [&](int parts) {
      return static_cast<std::size_t>(std::uint64_t{whole.count} * static_cast<std::uint64_t>(parts) /
                                      static_cast<std::uint64_t>(run_.parts()));
    };
    const std::size_t begin = cut(part - 1), end = cut(part);
    run_.file(TaskFile::numbers, part, joined_.id()).write([&](io::CheckedFileWriter& file) {
      put_numbered(file, numbers, whole.components, begin, end);
      const std::span values(whole.values.data(), whole.values.size());
      file.put(values.empty() ? values : values.subspan(begin, end - begin));
      put_measured(file, whole.measured, begin, end);
    });
  }

  const StoredRun& run_;
  const LabelInput& input_;
  const LabelMeasures& measures_;
  SoloLink link_;  // all parts are one
  JoinedParts joined_;
  std::vector<std::uint64_t> backgrounds_;  // labels_id() of each, where cavities are counted
};

}  // namespace

std::optional<Joined> join_tasks(const std::string& folder, bool sandboxed) {
  StoredRun run(folder);
  if (sandboxed) enter_sandbox_of_join(run.files(), run.options(), folder);
  if (run.is_finished()) return std::nullopt;
  run.open_input();
  return Join(run).join();
}

}  // namespace gpuccl::app
