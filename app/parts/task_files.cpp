#include "app/parts/task_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/parts/checked_file.hpp"

namespace gpuccl::app {
namespace {

/// Upper halves of a sum of coordinates.
struct High {
  std::uint64_t at;
  std::array<std::uint64_t, 3> sum;
};

std::string_view words_as_bytes(const std::vector<std::uint64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)};
}

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

/// Writes components [begin, end) as sections::kOfComponents sections.
void put_components(io::CheckedFileWriter& file, const Components& components, std::size_t begin,
                    std::size_t end) {
  const auto put = [&](const auto& column) {
    const std::span all(column.data(), column.size());
    file.put(all.subspan(begin, end - begin));
  };
  put(components.area);
  put(components.box);
  put(components.sum);
  std::vector<High> highs;
  for (auto at = components.sum_high.lower_bound(begin); at != components.sum_high.end() && at->first < end;
       ++at)
    highs.push_back({at->first - begin, at->second});
  file.put(highs);
}

/// Reads the components of an image, or a slab of it, of this extent. Error (data).
Components take_components(const io::CheckedFile& file, std::size_t section, const Extent& extent,
                           bool is_periodic = false) {
  const auto take = [&](std::size_t i, auto& column) {
    using T = typename std::remove_reference_t<decltype(column)>::value_type;
    const std::vector<T> values = file.take<T>(section + i);
    column.assign(values.begin(), values.end());
  };
  Components components;
  take(0, components.area);
  take(1, components.box);
  take(2, components.sum);
  if (components.box.size() != components.size() || components.sum.size() != components.size())
    throw Error(Failure::data, "is damaged");
  for (const High& high : file.take<High>(section + 3)) components.sum_high[high.at] = high.sum;
  io::check_components(components, extent, is_periodic);
  return components;
}

}  // namespace

void put_numbered(io::CheckedFileWriter& file, const std::vector<Label>& labels, const Components& components,
                  std::size_t begin, std::size_t end) {
  file.put(labels);
  file.put(std::vector<std::uint64_t>{begin});
  put_components(file, components, begin, end);
}

NumberedPart take_numbered(const io::CheckedFile& file, std::size_t section, const Extent& whole,
                           bool is_periodic) {
  NumberedPart part;
  part.labels.numbers = file.take<Label>(section + sections::kLabels);
  part.first = static_cast<Label>(file.take_one<std::uint64_t>(section + sections::kFirst));
  part.components = take_components(file, section + sections::kOwned, whole, is_periodic);
  return part;
}

void put_measured(io::CheckedFileWriter& file, const Measured& measured, std::size_t begin, std::size_t end) {
  std::vector<std::uint64_t> words, ends;
  for (std::size_t i = begin; i < end && measured.any(); ++i) {
    measured.save(i, words);
    ends.push_back(words.size());
  }
  file.put(words);
  file.put(ends);
}

void add_measured(const io::CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  Measured& measured) {
  const auto words = file.take<std::uint64_t>(section), ends = file.take<std::uint64_t>(section + 1);
  if (ends.size() != components.size() || (ends.empty() ? 0 : ends.back()) != words.size())
    throw Error(Failure::data, "is damaged");
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    if (ends[i] < begin || ends[i] > words.size()) throw Error(Failure::data, "is damaged");
    measured.add_saved(components[i], std::span(words).subspan(begin, ends[i] - begin));
  }
}

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
  file.put(found.faces.first);
  file.put(found.faces.last);
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
    if (!is_complete(result.faces, slab, input.extent(), input.connectivity())) io::CheckedFile::refuse();
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

std::uint64_t labels_id(const io::CheckedFile& file) {
  std::vector<std::uint64_t> sums;
  for (std::size_t section = sections::kComponents; section < sections::kOfLabels; ++section) {
    sums.push_back(file.checksum(section));
    sums.push_back(file.bytes(section));
  }
  return io::fingerprint(words_as_bytes(sums));
}

std::uint64_t JoinedParts::id() const { return io::fingerprint(words_as_bytes(labels)); }

void JoinedParts::put(io::CheckedFileWriter& file) const {
  const HoleCounts filled = holes.value_or(HoleCounts());
  std::vector<std::uint64_t> counts{
      count,          dropped,         largest,         static_cast<std::uint64_t>(image_type),
      image_largest,  pixels_of_boxes, holes ? 1U : 0U, filled.count,
      filled.elements};
  counts.insert(counts.end(), nans.begin(), nans.end());
  file.put(counts);
  file.put(labels);
  file.put(values);
  for (const PieceReport& piece : pieces) file.add(piece.text() + "\n");
  file.end_section();
}

JoinedParts JoinedParts::take(const io::CheckedFile& file, std::size_t parts) {
  constexpr std::size_t kBeforeNans = 9;
  JoinedParts joined;
  const auto counts = file.take<std::uint64_t>(sections::kCounts);
  joined.labels = file.take<std::uint64_t>(sections::kOfEachPart);
  if (counts.size() < kBeforeNans || joined.labels.size() != parts ||
      counts[3] > static_cast<std::uint64_t>(io::LabelType::f64))
    io::CheckedFile::refuse();
  joined.count = counts[0];
  joined.dropped = counts[1];
  joined.largest = counts[2];
  joined.image_type = static_cast<io::LabelType>(counts[3]);
  joined.image_largest = static_cast<Label>(counts[4]);
  joined.pixels_of_boxes = counts[5];
  if (counts[6] != 0) joined.holes = {counts[7], counts[8]};
  joined.nans.assign(counts.begin() + kBeforeNans, counts.end());
  joined.values = file.take<io::OfValue>(sections::kValueTable);
  std::vector<std::string> reports = split(file.take_text(sections::kReports), '\n');
  if (reports.size() != parts + 1) io::CheckedFile::refuse();  // an empty one is behind the last line
  reports.pop_back();
  for (const std::string& report : reports) joined.pieces.push_back(PieceReport::of_text(report));
  return joined;
}

}  // namespace gpuccl::app
