#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
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
#include "gpuccl/selection.hpp"
#include "io/report/value_table.hpp"

namespace gpuccl::app {
namespace {

/// Cavities of the whole image, as one part needs them.
struct CavitiesOfPart {
  std::vector<Label> numbers = {0};  // of each label of its background; 0 if that is none
  Label before = 0;                  // begin in parts before it
  Components components;             // that begin in it
};

class Join {
 public:
  explicit Join(const StoredRun& run) : run_(run), input_(run.input()), measures_(run.measures()) {}

  Joined join() {
    if (run_.options().fill_holes) {
      const std::optional<HoleCounts> before = found_holes();
      joined_.holes = before ? *before : find_holes();
      if (!is_any_labeled()) return {joined_.holes.count, "hole"};
    }
    run_.for_each_part([&](int part) {
      run_.file(TaskFile::labels, part).read([&](const io::CheckedFile& file) {
        joined_.parts.push_back(PieceReport::of_text(file.take_text(sections::kFound)));
        joined_.labels.push_back(labels_id(file));
      });
      if (!measures_.needs_background()) return;
      backgrounds_.push_back(run_.file(TaskFile::cavities, part).read(labels_id));
    });
    const char* const what = run_.options().values.objects ? "object" : "component";
    if (const std::optional<JoinedParts> before = done_before()) return {before->count, what};
    std::error_code none;  // while it is there parts do not measure what is missing
    std::filesystem::remove(run_.file(TaskFile::joined).path, none);
    JoinedSlabs joined = run_.join(TaskFile::labels, input_.connectivity());
    joined_.count = joined.components.size();
    if (input_.measures_rows() && !is_measured()) {
      unite(joined);
    } else {
      number(std::move(joined));
    }
    return {joined_.count, what};
  }

 private:
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
  HoleCounts find_holes() const {
    std::vector<std::uint64_t> ids;
    run_.for_each_part([&](int part) {
      ids.push_back(run_.file(TaskFile::background, part).read([](const io::CheckedFile& file) {
        file.verify();
        return labels_id(file);
      }));
    });
    JoinedSlabs joined = run_.join(TaskFile::background, of_background());
    const std::size_t all = joined.components.size();
    const Selection holes =
        select(std::move(joined.components), run_.extent(), !is_3d(of_background()), input_.hole_selection());
    const HoleCounts found{
        holes.components.size(),
        std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0})};
    // By label of the whole background.
    std::vector<Label> stays(all + 1, 0);
    for (std::size_t label = 1; label <= all; ++label)
      stays[label] = !holes.map.empty() && holes.map[label] == 0;
    for (int part = 1; part <= run_.parts(); ++part) {
      const auto i = static_cast<std::size_t>(part) - 1;
      std::vector<Label>& numbers = joined.numbers[i];
      for (Label& number : numbers) number = stays[number];
      run_.file(TaskFile::holes, part).write([&](io::CheckedFileWriter& file) {
        file.put(std::vector{ids[i]});
        file.put(numbers);
        file.put(std::vector{found});
      });
    }
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
    const auto i = static_cast<std::size_t>(part) - 1;
    return {joined_.id(), joined_.labels[i], measures_.needs_background() ? backgrounds_[i] : 0};
  }

  /// Leaves what parts need to measure their components.
  void unite(const JoinedSlabs& joined) const {
    std::vector<CavitiesOfPart> cavities(static_cast<std::size_t>(run_.parts()));
    if (measures_.needs_background()) find_cavities(cavities);
    for (int part = 1; part <= run_.parts(); ++part) {
      if (is_united(part)) continue;
      const auto i = static_cast<std::size_t>(part) - 1;
      const std::vector<Label>& numbers = joined.numbers[i];
      const std::set<Label> there(numbers.begin() + 1, numbers.end());
      Components components;
      for (const Label label : there) components.push_back(joined.components[label - std::size_t{1}]);
      run_.file(TaskFile::united, part).write([&](io::CheckedFileWriter& file) {
        file.put(ids_of(part));
        file.put(numbers);
        file.put(std::vector<Label>(there.begin(), there.end()));
        put_components(file, components, 0, components.size());
        file.put(cavities[i].numbers);
        file.put(std::vector{cavities[i].before});
        put_components(file, cavities[i].components, 0, cavities[i].components.size());
      });
    }
  }

  /// Says what of the backgrounds is a cavity, and in which part that begins.
  void find_cavities(std::vector<CavitiesOfPart>& parts) const {
    JoinedSlabs joined = run_.join(TaskFile::cavities, of_background());
    const Selection cavities =
        select(std::move(joined.components), run_.extent(), !is_3d(of_background()), {.clear_border = true});
    std::size_t cavity = 0;  // they are in the order in which they begin
    for (std::size_t i = 0; i < parts.size(); ++i) {
      CavitiesOfPart& part = parts[i];
      part.numbers = std::move(joined.numbers[i]);
      const int number = static_cast<int>(i) + 1;
      if (run_.is_empty(number)) continue;
      if (!cavities.map.empty())
        for (Label& label : part.numbers) label = cavities.map[label];
      part.before = static_cast<Label>(cavity);
      for (; cavity < cavities.components.size() &&
             cavities.components.box[cavity].min[2] < run_.slab(number).z1;
           ++cavity)
        part.components.push_back(cavities.components[cavity]);
    }
  }

  /// Unites components across periodic borders; returns how they cross.
  Measured wrapped(JoinedSlabs& joined) const {
    const Extent whole = run_.extent();
    std::vector<NumberedSlab> slabs;
    for (int part = 1; part <= run_.parts() && !run_.is_empty(part); ++part) {
      const auto i = static_cast<std::size_t>(part) - 1;
      slabs.push_back(run_.labels(TaskFile::labels, part, joined_.labels[i], joined.numbers[i]));
    }
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole, std::move(slabs), static_cast<Label>(joined.components.size()));
    const Wrapped wrapped = io::with_path(run_.files().input, [&] {
      return wrap(*labels, joined.components, input_.connectivity(), run_.options().periodic, joined.values);
    });
    joined.components = wrapped.components;
    remap(wrapped.map, wrapped.components.size(), joined.values);
    for (std::vector<Label>& numbers : joined.numbers)
      for (Label& number : numbers) number = wrapped.map[number];
    MeasureRequest request = measures_.request();
    request.wraps = wrapped.wraps;
    return measure_nothing(whole, joined.components, request);
  }

  /// Returns the merged measures of all parts.
  Measured measured(const Components& components) {
    Measured all = measure_nothing(run_.extent(), components, measures_.request());
    for (int part = 1; part <= run_.parts(); ++part) {
      std::vector<std::size_t> of;
      run_.file(TaskFile::united, part).read([&](const io::CheckedFile& file) {
        for (const Label label : file.take<Label>(sections::kThere)) {
          if (label == 0 || label > components.size()) io::CheckedFile::refuse();
          of.push_back(label - std::size_t{1});
        }
      });
      measures_of(part).need(
          [&](const io::CheckedFile& file) { add_measured(file, sections::kSums, of, all); });
    }
    joined_.nans = all.derive_intensities(components.size());
    return all;
  }

  void number(JoinedSlabs joined) {
    const Extent whole = run_.extent();
    Measured measured;
    if (run_.options().periodic != PeriodicAxes{}) {
      measured = wrapped(joined);
    } else if (measures_.any()) {
      measured = this->measured(joined.components);
    }
    for (const std::uint64_t area : joined.components.area) joined_.largest = std::max(joined_.largest, area);
    const LabelOptions& options = run_.options();
    const ValueType type = input_.value_type().value_or(ValueType::u8);
    const Selection selected =
        select(std::move(joined.components), whole, !is_3d(input_.connectivity()), input_.selection(),
               measured, {joined.values, type, options.values.per_value});
    measured.select(selected.map);
    remap(selected.map, selected.components.size(), joined.values);
    joined_.count = selected.components.size();
    joined_.dropped = selected.dropped;
    if (options.values.one_each() && !options.values.objects)
      joined_.values = io::sum_up_values(input_.column(joined.values), selected.components);
    if (!run_.files().image.empty()) settle_image(joined.values);
    for (int part = 1; part <= run_.parts(); ++part) {
      std::vector<Label>& numbers = joined.numbers[static_cast<std::size_t>(part) - 1];
      if (!selected.map.empty())
        for (Label& number : numbers) number = selected.map[number];
      write_numbers(part, numbers, selected.components, joined.values, measured);
    }
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
  void write_numbers(int part, const std::vector<Label>& numbers, const Components& components,
                     const Column<ValueBits>& values, const Measured& measured) const {
    const auto cut = [&](int parts) {
      return static_cast<std::size_t>(static_cast<std::uint64_t>(parts) * components.size() /
                                      static_cast<std::uint64_t>(run_.parts()));
    };
    run_.file(TaskFile::numbers, part, joined_.id()).write([&](io::CheckedFileWriter& file) {
      file.put(numbers);
      file.put(std::vector<std::uint64_t>{cut(part - 1)});
      put_components(file, components, cut(part - 1), cut(part));
      const std::span all(values.data(), values.size());
      file.put(values.empty() ? all : all.subspan(cut(part - 1), cut(part) - cut(part - 1)));
      put_measured(file, measured, cut(part - 1), cut(part));
    });
  }

  const StoredRun& run_;
  const LabelInput& input_;
  const LabelMeasures& measures_;
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
