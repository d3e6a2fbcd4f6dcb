#include "app/parts/join_tasks.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/label/written_values.hpp"
#include "app/parts/finished_run.hpp"
#include "app/parts/joined_parts.hpp"
#include "app/parts/opened_run.hpp"
#include "app/parts/stored_part.hpp"
#include "app/parts/task_cavities.hpp"
#include "app/parts/task_holes.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/periodic.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/value_slabs.hpp"
#include "io/report/value_table.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

class Join {
 public:
  explicit Join(const OpenedRun& run)
      : run_(run), folder_(run.folder()), input_(run.open_input()), measures_(input_.measures()) {
    for (const Slab& slab : cut_into_parts(input_.extent(), folder_.parts()))
      if (slab.z0 < slab.z1 && slab.y0 < slab.y1) slabs_.push_back(slab);
  }

  Joined join() {
    if (run_.options().fill_holes) {
      const std::optional<HoleCounts> before = found_holes(folder_);
      joined_.holes = before ? *before : find_holes(run_, input_, slabs_);
      if (!is_any_labeled()) return {joined_.holes.count, "hole"};
    }
    run_.for_each_part([&](int part) {
      io::concerning(folder_.labels_path(part), [&] {
        const io::CheckedFile file = open(part);
        joined_.parts.push_back(PieceReport::of_text(file.take_text(sections::kFound)));
        joined_.labels.push_back(labels_id(file));
      });
      if (!measures_.needs_background()) return;
      io::concerning(folder_.cavities_path(part),
                     [&] { backgrounds_.push_back(labels_id(open_cavities(folder_, part))); });
    });
    if (const std::optional<JoinedParts> before = done_before()) return {before->count, "component"};
    std::error_code none;  // while it is there parts do not measure what is missing
    std::filesystem::remove(folder_.joined_path(), none);
    JoinedSlabs joined = join_slabs(input_.extent(), input_.connectivity(), slabs_, [&](std::size_t i) {
      return labeled(static_cast<int>(i) + 1, slabs_[i]);
    });
    joined_.count = joined.components.size();
    if (input_.measures_rows() && !is_measured()) {
      unite(joined);
    } else {
      number(std::move(joined));
    }
    return {joined_.count, "component"};
  }

 private:
  double delta() const { return run_.options().values.most_difference(); }

  io::CheckedFile open(int part) const {
    return {folder_.labels_path(part), folder_.labels_tag(part), sections::of_labels(delta())};
  }

  bool is_any_labeled() const {
    for (int part = 1; part <= folder_.parts(); ++part)
      if (std::filesystem::exists(folder_.labels_path(part))) return true;
    return false;
  }

  /// Returns the result of an earlier join of the same labels, if it is intact.
  std::optional<JoinedParts> done_before() const {
    if (!is_whole(folder_.joined_path(), folder_.joined_tag(), joined_.sections())) return std::nullopt;
    JoinedParts before = JoinedParts::read(folder_);
    if (before.labels != joined_.labels) return std::nullopt;
    for (int part = 1; part <= folder_.parts(); ++part)
      if (!is_whole(folder_.numbers_path(part), folder_.numbers_tag(part, before.id()), sections::kOfNumbers))
        return std::nullopt;
    return before;
  }

  /// Whether parts have been measured since these labels were united; if some have, all must.
  bool is_measured() const {
    bool any = false;
    for (int part = 1; part <= folder_.parts(); ++part) {
      if (!is_united(part)) return false;
      any = any || std::filesystem::exists(folder_.measures_path(part));
    }
    if (any)
      run_.for_each_part([&](int part) {
        io::concerning(folder_.measures_path(part), [&] { open_measures(part).verify(); });
      });
    return any;
  }

  bool is_united(int part) const {
    const std::string path = folder_.united_path(part);
    if (!is_whole(path, folder_.united_tag(part), sections::kOfUnited)) return false;
    return open_united(part).take<std::uint64_t>(sections::kIds) == ids_of(part);
  }
  std::vector<std::uint64_t> ids_of(int part) const {
    const auto i = static_cast<std::size_t>(part) - 1;
    return {joined_.id(), joined_.labels[i], measures_.needs_background() ? backgrounds_[i] : 0};
  }
  io::CheckedFile open_united(int part) const {
    return {folder_.united_path(part), folder_.united_tag(part), sections::kOfUnited};
  }
  io::CheckedFile open_measures(int part) const {
    return {folder_.measures_path(part), folder_.measures_tag(part, joined_.id()), sections::kOfMeasures};
  }

  /// Leaves what parts need to measure their components.
  void unite(const JoinedSlabs& joined) const {
    std::vector<CavitiesOfPart> cavities;
    if (measures_.needs_background()) cavities = find_cavities(run_, input_, slabs_);
    cavities.resize(static_cast<std::size_t>(folder_.parts()));
    for (int part = 1; part <= folder_.parts(); ++part) {
      if (is_united(part)) continue;
      const auto i = static_cast<std::size_t>(part) - 1;
      const std::vector<Label> numbers = i < slabs_.size() ? joined.numbers[i] : std::vector<Label>{0};
      const std::set<Label> there(numbers.begin() + 1, numbers.end());
      Components components;
      for (const Label label : there) components.push_back(joined.components[label - std::size_t{1}]);
      const std::string path = folder_.united_path(part);
      io::concerning(path, [&] {
        io::CheckedFileWriter file(path, folder_.united_tag(part), folder_.options());
        file.put(ids_of(part));
        file.put(numbers);
        file.put(std::vector<Label>(there.begin(), there.end()));
        put_components(file, components, 0, components.size());
        file.put(cavities[i].numbers);
        file.put(std::vector{cavities[i].before});
        put_components(file, cavities[i].components, 0, cavities[i].components.size());
        file.commit();
      });
    }
  }

  /// Unites components across periodic borders; returns how they cross.
  Measured wrapped(JoinedSlabs& joined) const {
    const Extent whole = input_.extent();
    std::vector<NumberedSlab> slabs;
    for (std::size_t i = 0; i < slabs_.size(); ++i) slabs.push_back(stored(i, joined.numbers[i]));
    const std::unique_ptr<LabelSource> labels =
        joined_labels(whole, std::move(slabs), static_cast<Label>(joined.components.size()));
    const Wrapped wrapped = io::concerning(run_.files().input, [&] {
      return wrap(*labels, joined.components, input_.connectivity(), run_.options().periodic, joined.values);
    });
    joined.components = wrapped.components;
    follow(wrapped.map, wrapped.components.size(), joined.values);
    for (std::vector<Label>& numbers : joined.numbers)
      for (Label& number : numbers) number = wrapped.map[number];
    MeasureRequest request = measures_.request();
    request.wraps = wrapped.wraps;
    return measure_nothing(whole, joined.components, request);
  }

  /// All rows of a part.
  NumberedSlab stored(std::size_t i, const std::vector<Label>& numbers) const {
    NumberedSlab result;
    const int part = static_cast<int>(i) + 1;
    run_.for_part(part, folder_.labels_path(part), [&] {
      auto file = std::make_shared<io::CheckedFile>(open(part));
      file->verify();
      result = take_part(std::move(file), slabs_[i], input_.extent(), numbers);
    });
    return result;
  }

  /// Returns the merged measures of all parts.
  Measured measured(const Components& components) {
    Measured all = measure_nothing(input_.extent(), components, measures_.request());
    for (int part = 1; part <= folder_.parts(); ++part) {
      const std::string path = folder_.united_path(part);
      const auto there = io::concerning(path, [&] {
        auto labels = open_united(part).take<Label>(sections::kThere);
        for (const Label label : labels)
          if (label == 0 || label > components.size()) io::CheckedFile::refuse();
        return labels;
      });
      std::vector<std::size_t> of;
      of.reserve(there.size());
      for (const Label label : there) of.push_back(label - std::size_t{1});
      run_.for_part(part, folder_.measures_path(part),
                    [&] { add_measured(open_measures(part), sections::kSums, of, all); });
    }
    joined_.nans = all.derive_intensities(components.size());
    return all;
  }

  void number(JoinedSlabs joined) {
    const Extent whole = input_.extent();
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
    follow(selected.map, selected.components.size(), joined.values);
    joined_.count = selected.components.size();
    joined_.dropped = selected.dropped;
    if (options.values.one_each())
      joined_.values = io::sum_up_values(input_.column(joined.values), selected.components);
    if (!run_.files().image.empty()) settle_image(joined.values);
    for (int part = 1; part <= folder_.parts(); ++part) {
      std::vector<Label> numbers = {0};
      if (const auto i = static_cast<std::size_t>(part) - 1; i < slabs_.size()) {
        numbers = std::move(joined.numbers[i]);
        if (!selected.map.empty())
          for (Label& number : numbers) number = selected.map[number];
      }
      write_numbers(part, numbers, selected.components, joined.values, measured);
    }
    joined_.write(folder_);
  }

  /// The type that all labels, or values instead of them, fit.
  void settle_image(const Column<ValueBits>& values) {
    const std::string& image = run_.files().image;
    const LabelOptions& options = run_.options();
    io::concerning(image, [&] {
      WrittenValues written{options.label_type, {}, static_cast<Label>(joined_.count)};
      if (options.values.keep_values) written = written_values(*input_.value_type(), values, {});
      joined_.image_largest = written.largest;
      joined_.image_type = io::resolve_label_type(written.type, written.largest, io::label_format(image));
    });
  }

  /// A part as join_slabs() needs it.
  SlabToJoin labeled(int part, const Slab& slab) const {
    SlabToJoin result;
    run_.for_part(part, folder_.labels_path(part),
                  [&] { result = take_part_to_join(open(part), slab, input_, delta()); });
    return result;
  }

  /// Writes the numbers of a part, and as many rows of the table as for any other part.
  void write_numbers(int part, const std::vector<Label>& numbers, const Components& components,
                     const Column<ValueBits>& values, const Measured& measured) const {
    const auto cut = [&](int parts) {
      return static_cast<std::size_t>(static_cast<std::uint64_t>(parts) * components.size() /
                                      static_cast<std::uint64_t>(folder_.parts()));
    };
    const std::string path = folder_.numbers_path(part);
    io::concerning(path, [&] {
      io::CheckedFileWriter file(path, folder_.numbers_tag(part, joined_.id()), folder_.options());
      file.put(numbers);
      file.put(std::vector<std::uint64_t>{cut(part - 1)});
      put_components(file, components, cut(part - 1), cut(part));
      const std::span all(values.data(), values.size());
      file.put(values.empty() ? all : all.subspan(cut(part - 1), cut(part) - cut(part - 1)));
      put_measured(file, measured, cut(part - 1), cut(part));
      file.commit();
    });
  }

  const OpenedRun& run_;
  const TaskFolder& folder_;
  const LabelInput input_;
  const LabelMeasures& measures_;
  std::vector<Slab> slabs_;  // of the parts that are not empty: the first ones
  JoinedParts joined_;
  std::vector<std::uint64_t> backgrounds_;  // labels_id() of each, where cavities are counted
};

}  // namespace

std::optional<Joined> join_tasks(const std::string& folder) {
  const OpenedRun run(folder);
  if (is_finished(run.folder(), run.files())) return std::nullopt;
  return Join(run).join();
}

}  // namespace gpuccl::app
