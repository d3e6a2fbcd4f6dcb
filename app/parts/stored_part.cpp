#include "app/parts/stored_part.hpp"

#include <algorithm>
#include <utility>

#include "app/parts/task_folder.hpp"
#include "gpuccl/error.hpp"
#include "io/parts/stored_labels.hpp"

namespace gpuccl::app {
namespace {

/// The labels of a part as far as they touch others: of its first and its last slice, or row.
class LabelsAtFaces final : public LabelSource {
 public:
  LabelsAtFaces(const io::CheckedFile& file, Extent extent, std::size_t rows, Label count)
      : first_(io::take_runs(file, sections::kFirstFace)),
        last_(io::take_runs(file, sections::kLastFace)),
        extent_(extent),
        count_(count) {
    for (const LabelRuns* const face : {&first_, &last_})
      for (const LabelRun& run : face->runs)
        if (run.label > count_ || run.end > extent_.width) io::CheckedFile::refuse();
    for (const LabelRuns* const face : {&first_, &last_})
      if (face->ends.size() != rows) io::CheckedFile::refuse();
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

/// In its first and in its last slice, or row.
std::int64_t rows_of_face(const Slab& slab, const Extent& whole) {
  return std::min<std::int64_t>(extent_of(slab, whole).rows(), whole.depth > 1 ? whole.height : 1);
}

}  // namespace

void put_part(io::CheckedFileWriter& file, const PieceReport& report, const Piece::Labels& found,
              const Slab& slab, const Extent& whole) {
  file.add(report.text());
  file.end_section();
  const Labeled& labeled = found.labeled;
  put_components(file, labeled.components, 0, labeled.components.size());
  file.put(found.values);
  const std::int64_t rows = extent_of(slab, whole).rows(), face = rows_of_face(slab, whole);
  const auto put = [&](std::int64_t first, std::int64_t count) {
    if (count == 0) return io::put_runs(file, LabelImage({}, 0), 0, 0);
    io::put_runs(file, *labeled.labels, first, count);
  };
  put(0, face);
  put(rows - face, face);
  put(0, rows);
  if (found.faces.delta > 0) {
    file.put(found.faces.first);
    file.put(found.faces.last);
  }
}

SlabToJoin take_part_to_join(const io::CheckedFile& file, const Slab& slab, const LabelInput& input,
                             double delta) {
  SlabToJoin result;
  Labeled& labeled = result.labeled;
  const Extent extent = extent_of(slab, input.extent());
  const std::int64_t face = rows_of_face(slab, input.extent());
  labeled.components = take_components(file, sections::kComponents, extent);
  const auto values = file.take<ValueBits>(sections::kValues);
  if (values.size() != (input.value_type() ? labeled.components.size() : 0))
    throw Error(Failure::data, "is damaged");
  result.values.assign(values.begin(), values.end());
  if (delta > 0) {
    result.faces = {*input.value_type(), delta, file.take<std::byte>(sections::kFirstElements),
                    file.take<std::byte>(sections::kLastElements)};
    // Leaves out the elements of a face without a neighboring part, as faces_of() does.
    const bool of_slices = input.extent().depth > 1, touches = !of_slices || is_3d(input.connectivity());
    const bool before = touches && (of_slices ? slab.z0 : slab.y0) > 0;
    const bool next =
        touches && (of_slices ? slab.z1 < input.extent().depth : slab.y1 < input.extent().height);
    const std::size_t bytes = static_cast<std::size_t>(face * extent.width) * bytes_of(*input.value_type());
    if (result.faces.first.size() != (before ? bytes : 0) || result.faces.last.size() != (next ? bytes : 0))
      io::CheckedFile::refuse();
  }
  labeled.labels = std::make_unique<LabelsAtFaces>(file, extent, static_cast<std::size_t>(face),
                                                   static_cast<Label>(labeled.components.size()));
  return result;
}

NumberedSlab take_part(std::shared_ptr<const io::CheckedFile> file, const Slab& slab, const Extent& whole,
                       std::vector<Label> numbers) {
  const auto count = static_cast<Label>(numbers.size() - 1);
  return {slab,
          std::make_unique<io::StoredLabels>(std::move(file), sections::kRuns, extent_of(slab, whole), count),
          std::move(numbers)};
}

}  // namespace gpuccl::app
