#include "app/parts/task_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {
namespace {

/// Upper halves of a sum of coordinates.
struct High {
  std::uint64_t at;
  std::array<std::uint64_t, 3> sum;
};

std::uint64_t fingerprint_of(const std::vector<std::uint64_t>& numbers) {
  return io::fingerprint(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])});
}

/// Labels of the first and the last slice (or row) of a part.
class LabelsAtFaces final : public LabelRows {
 public:
  LabelsAtFaces(const io::CheckedFile& file, Extent extent, std::size_t rows, Label count)
      : first_(io::read_runs(file, sections::kFirstFace)),
        last_(io::read_runs(file, sections::kLastFace)),
        extent_(extent),
        count_(count) {
    for (const LabelRuns* const face : {&first_, &last_}) {
      if (face->ends.size() != rows) io::CheckedFile::throw_damaged();
      for (const LabelRun& run : face->runs)
        if (run.label > count_ || run.end > extent_.width) io::CheckedFile::throw_damaged();
    }
  }

  Extent extent() const override { return extent_; }
  Label count() const override { return count_; }
  void list_runs(std::int64_t first_row, std::int64_t, LabelRuns& out, const Label*) const override {
    out = first_row == 0 ? first_ : last_;
  }

 private:
  LabelRuns first_, last_;
  Extent extent_;
  Label count_;
};

/// Returns the number of rows in the first slice, and in the last; 1 in a 2D image.
std::int64_t rows_of_face(const Slab& slab, const Extent& whole) {
  return std::min<std::int64_t>(extent_of(slab, whole).rows(), whole.depth > 1 ? whole.height : 1);
}

/// Writes components [begin, end) as sections::kOfComponents sections.
void write_components(io::CheckedFileWriter& file, const Components& components, std::size_t begin,
                      std::size_t end) {
  const auto put = [&](const auto& column) {
    const std::span all(column.data(), column.size());
    file.add_section(all.subspan(begin, end - begin));
  };
  put(components.area);
  put(components.box);
  put(components.sum);
  std::vector<High> highs;
  for (auto at = components.sum_high.lower_bound(begin); at != components.sum_high.end() && at->first < end;
       ++at)
    highs.push_back({at->first - begin, at->second});
  file.add_section(highs);
}

/// Reads the components of an image or slab of this extent. Error (data).
Components read_components(const io::CheckedFile& file, std::size_t section, const Extent& extent,
                           bool is_periodic = false) {
  const auto take = [&](std::size_t i, auto& column) {
    using T = typename std::remove_reference_t<decltype(column)>::value_type;
    const std::vector<T> values = file.read<T>(section + i);
    column.assign(values.begin(), values.end());
  };
  Components components;
  take(0, components.area);
  take(1, components.box);
  take(2, components.sum);
  if (components.box.size() != components.size() || components.sum.size() != components.size())
    io::CheckedFile::throw_damaged();
  for (const High& high : file.read<High>(section + 3)) components.sum_high[high.at] = high.sum;
  io::check_components(components, extent, is_periodic);
  return components;
}

}  // namespace

bool StoredFile::exists() const { return std::filesystem::exists(path); }

bool StoredFile::is_valid(const std::function<void(const io::CheckedFile& file)>& check) const {
  try {
    read(check);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data && error.code() != ErrorCode::no_input) throw;
    return false;
  }
}

void StoredFile::write(const std::function<void(io::CheckedFileWriter& file)>& write) const {
  io::with_path(path, [&] {
    io::CheckedFileWriter file(path, tag, options);
    write(file);
    file.commit();
  });
}

void write_numbered_part(io::CheckedFileWriter& file, const std::vector<Label>& labels,
                         const Components& components, std::size_t begin, std::size_t end) {
  file.add_section(labels);
  file.add_section(std::vector<std::uint64_t>{begin});
  write_components(file, components, begin, end);
}

PartResult read_numbered_part(const io::CheckedFile& file, std::size_t section, const Extent& whole,
                              bool is_periodic) {
  PartResult part;
  part.labels.numbers = file.read<Label>(section + sections::kLabels);
  part.first = static_cast<Label>(file.read_one<std::uint64_t>(section + sections::kFirst));
  part.components = read_components(file, section + sections::kOwned, whole, is_periodic);
  return part;
}

void write_measured(io::CheckedFileWriter& file, const MeasureTable& measured, std::size_t begin,
                    std::size_t end) {
  std::vector<std::uint64_t> words, ends;
  for (std::size_t i = begin; i < end && measured.any(); ++i) {
    save(measured, i, words);
    ends.push_back(words.size());
  }
  file.add_section(words);
  file.add_section(ends);
}

void add_measured(const io::CheckedFile& file, std::size_t section, std::span<const std::size_t> components,
                  MeasureTable& measured) {
  const auto words = file.read<std::uint64_t>(section), ends = file.read<std::uint64_t>(section + 1);
  if (ends.size() != components.size() || (ends.empty() ? 0 : ends.back()) != words.size())
    io::CheckedFile::throw_damaged();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    if (ends[i] < begin || ends[i] > words.size()) io::CheckedFile::throw_damaged();
    add_saved(measured, components[i], std::span(words).subspan(begin, ends[i] - begin));
  }
}

void write_labeled_part(io::CheckedFileWriter& file, const PartFacts& report,
                        const PartLabeler::Labels& found, const Slab& slab, const Extent& whole) {
  file.add(report.text());
  file.end_section();
  const Labeling& labeled = found.labeled;
  write_components(file, labeled.components, 0, labeled.components.size());
  file.add_section(found.values);
  const std::int64_t rows = extent_of(slab, whole).rows(), face = rows_of_face(slab, whole);
  const auto put = [&](std::int64_t first, std::int64_t count) {
    if (count == 0) return io::write_runs(file, LabelImage({}, 0), 0, 0);
    io::write_runs(file, *labeled.labels, first, count);
  };
  put(0, face);
  put(rows - face, face);
  put(0, rows);
  file.add_section(found.faces.first);
  file.add_section(found.faces.last);
}

SlabSummary read_slab_to_join(const io::CheckedFile& file, const Slab& slab, const LabelInput& input,
                              double delta) {
  SlabSummary result;
  Labeling& labeled = result.labeled;
  const Extent extent = extent_of(slab, input.extent());
  const std::int64_t face = rows_of_face(slab, input.extent());
  labeled.components = read_components(file, sections::kComponents, extent);
  const auto values = file.read<ValueBits>(sections::kValues);
  if (values.size() != (input.value_type() ? labeled.components.size() : 0)) io::CheckedFile::throw_damaged();
  result.values.assign(values.begin(), values.end());
  if (delta > 0) {
    result.faces = {*input.value_type(), delta, file.read<std::byte>(sections::kFirstElements),
                    file.read<std::byte>(sections::kLastElements)};
    if (!is_complete(result.faces, slab, input.extent(), input.connectivity()))
      io::CheckedFile::throw_damaged();
  }
  labeled.labels = std::make_unique<LabelsAtFaces>(file, extent, static_cast<std::size_t>(face),
                                                   static_cast<Label>(labeled.components.size()));
  return result;
}

SlabLabels stored_slab(std::shared_ptr<const io::CheckedFile> file, const Slab& slab, const Extent& whole,
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
  return fingerprint_of(sums);
}

std::uint64_t JoinedParts::id() const { return fingerprint_of(labels); }

void JoinedParts::write(io::CheckedFileWriter& file) const {
  file.add_section(std::array<ImageCounts, 1>{*this});
  file.add_section(std::array{static_cast<std::uint64_t>(image_type), std::uint64_t{image_largest}});
  file.add_section(nans);
  file.add_section(labels);
  file.add_section(values);
  for (const PartFacts& piece : pieces) file.add(piece.text() + "\n");
  file.end_section();
}

JoinedParts JoinedParts::read(const io::CheckedFile& file, std::size_t parts) {
  JoinedParts joined;
  static_cast<ImageCounts&>(joined) = file.read_one<ImageCounts>(sections::kCounts);
  const auto [type, largest] = file.read_one<std::array<std::uint64_t, 2>>(sections::kImageType);
  joined.labels = file.read<std::uint64_t>(sections::kOfEachPart);
  if (joined.labels.size() != parts || type > static_cast<std::uint64_t>(io::LabelType::f64))
    io::CheckedFile::throw_damaged();
  joined.image_type = static_cast<io::LabelType>(type);
  joined.image_largest = static_cast<Label>(largest);
  joined.nans = file.read<std::uint64_t>(sections::kNans);
  joined.values = file.read<io::OfValue>(sections::kValueTable);
  std::vector<std::string> reports = split(file.read_text(sections::kReports), '\n');
  if (reports.size() != parts + 1) io::CheckedFile::throw_damaged();  // the last one is empty
  reports.pop_back();
  for (const std::string& report : reports) joined.pieces.push_back(PartFacts::of_text(report));
  return joined;
}

}  // namespace gpuccl::app
