#include "app/parts/join_tasks.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/label/written_values.hpp"
#include "app/parts/finished_run.hpp"
#include "app/parts/joined_parts.hpp"
#include "app/parts/opened_run.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/values.hpp"
#include "io/parts/stored_labels.hpp"
#include "io/report/value_table.hpp"
#include "io/write/label_writer.hpp"

namespace gpuccl::app {
namespace {

/// The labels of a part as far as they touch others: of its first and its last slice, or row.
class LabelsAtFaces final : public LabelSource {
 public:
  LabelsAtFaces(const io::CheckedFile& file, Extent extent, Label count)
      : first_(io::take_runs(file, sections::kFirstFace)),
        last_(io::take_runs(file, sections::kLastFace)),
        extent_(extent),
        count_(count) {
    for (const LabelRuns* const face : {&first_, &last_})
      for (const LabelRun& run : face->runs)
        if (run.label == 0 || run.label > count_ || run.end > extent_.width)
          throw Error(Failure::data, "is damaged");
  }

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void render(std::int64_t, std::int64_t, LabelsOut, const Label*) const override {
    throw Error(Failure::internal, "labels of faces cannot be rendered");
  }
  void list_runs(std::int64_t first_row, std::int64_t, LabelRuns& out, const Label*) const override {
    out = first_row == 0 ? first_ : last_;
  }

 private:
  LabelRuns first_, last_;
  Extent extent_;
  Label count_;
};

class Join {
 public:
  explicit Join(const OpenedRun& run) : run_(run), folder_(run.folder()), input_(run.open_input()) {}

  std::uint64_t join() {
    run_.for_each_part([&](int part) {
      io::concerning(folder_.labels_path(part), [&] {
        const io::CheckedFile file = open(part);
        joined_.parts.push_back(FoundPart::of_text(file.take_text(sections::kFound)));
        joined_.labels.push_back(labels_id(file));
      });
    });
    if (const std::optional<JoinedParts> before = done_before()) return before->count;
    number();
    return joined_.count;
  }

 private:
  io::CheckedFile open(int part) const {
    return {folder_.labels_path(part), folder_.labels_tag(part), sections::kOfLabels};
  }

  /// What an earlier join of the same labels has left, if that is whole.
  std::optional<JoinedParts> done_before() const {
    if (!is_whole(folder_.joined_path(), folder_.joined_tag(), joined_.sections())) return std::nullopt;
    JoinedParts before = JoinedParts::read(folder_);
    if (before.labels != joined_.labels) return std::nullopt;
    for (int part = 1; part <= folder_.parts(); ++part)
      if (!is_whole(folder_.numbers_path(part), folder_.numbers_tag(part, before.id()), sections::kOfNumbers))
        return std::nullopt;
    return before;
  }

  void number() {
    const Extent whole = input_.extent();
    std::vector<Slab> slabs;  // that are not empty: the first ones
    for (const Slab& slab : cut_into_parts(whole, folder_.parts()))
      if (slab.z0 < slab.z1 && slab.y0 < slab.y1) slabs.push_back(slab);
    JoinedSlabs joined = join_slabs(whole, input_.connectivity(), slabs, [&](std::size_t i) {
      return labeled(static_cast<int>(i) + 1, slabs[i]);
    });
    for (const std::uint64_t area : joined.components.area) joined_.largest = std::max(joined_.largest, area);
    const LabelOptions& options = run_.options();
    const ValueType type = input_.value_type().value_or(ValueType::u8);
    const Selection selected = select(std::move(joined.components), whole, !is_3d(input_.connectivity()),
                                      options.selection, {}, {joined.values, type, options.values.per_value});
    follow(selected.map, selected.components.size(), joined.values);
    joined_.count = selected.components.size();
    joined_.dropped = selected.dropped;
    if (input_.value_type())
      joined_.values = io::sum_up_values(input_.column(joined.values), selected.components);
    if (!run_.files().image.empty()) settle_image(joined.values);
    for (int part = 1; part <= folder_.parts(); ++part) {
      std::vector<Label> numbers = {0};
      if (const auto i = static_cast<std::size_t>(part) - 1; i < slabs.size()) {
        numbers = std::move(joined.numbers[i]);
        if (!selected.map.empty())
          for (Label& number : numbers) number = selected.map[number];
      }
      write_numbers(part, numbers, selected.components, joined.values);
    }
    joined_.write(folder_);
  }

  /// The type that all labels, or values in place of them, fit.
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
  LabeledValues labeled(int part, const Slab& slab) const {
    LabeledValues result;
    Labeled& labeled = result.labeled;
    run_.for_part(part, folder_.labels_path(part), [&] {
      const io::CheckedFile file = open(part);
      labeled.components = take_components(file, sections::kComponents);
      const auto values = file.take<ValueBits>(sections::kValues);
      if (values.size() != (input_.value_type() ? labeled.components.size() : 0))
        throw Error(Failure::data, "is damaged");
      result.values.assign(values.begin(), values.end());
      labeled.labels = std::make_unique<LabelsAtFaces>(
          file, Extent{input_.extent().width, slab.y1 - slab.y0, slab.z1 - slab.z0},
          static_cast<Label>(labeled.components.size()));
    });
    return result;
  }

  /// What a part needs to write its stretch: its numbers, and as many rows of the table as any other.
  void write_numbers(int part, const std::vector<Label>& numbers, const Components& components,
                     const Column<ValueBits>& values) const {
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
      file.commit();
    });
  }

  const OpenedRun& run_;
  const TaskFolder& folder_;
  const PartInput input_;
  JoinedParts joined_;
};

}  // namespace

std::optional<std::uint64_t> join_tasks(const std::string& folder) {
  const OpenedRun run(folder);
  if (is_finished(run.folder(), run.files())) return std::nullopt;
  return Join(run).join();
}

}  // namespace gpuccl::app
