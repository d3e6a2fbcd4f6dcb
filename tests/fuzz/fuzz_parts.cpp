#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "../support/scratch_folder.hpp"
#include "app/parts/task_files.hpp"
#include "decode.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/engine.hpp"

// Files between tasks, whose sections have other bytes than the tasks wrote and valid checksums. The first
// byte chooses the file; four bytes each are a change: section, place, kind and value.
namespace gpuccl {
namespace {

constexpr Slab kSlab{0, 3, 0, 4};  // the whole volume
using Sections = std::vector<std::vector<char>>;

MeasureRequest all_measures() {
  MeasureRequest request{.wanted = {}, .connectivity = Connectivity::c26, .spacing = {1, 2, 3}};
  request.wanted = measures_of(MeasureGroup::shape) | measures_of(MeasureGroup::topology) |
                   measures_of(MeasureGroup::physical) | measures_of(MeasureGroup::border);
  for (const MeasureId id : {MeasureId::cavities, MeasureId::tunnels})
    request.wanted.reset(static_cast<std::size_t>(id));
  return request;
}

/// A volume of 5 x 4 x 3 elements that is labeled as a mask or as a label map, and files of both.
struct Run {
  ScratchFolder folder;
  app::LabelPaths paths;
  app::LabelOptions options;
  std::optional<app::LabelInput> input;
  std::array<Sections, 3> files;  // labels, components with measures, and joined parts

  explicit Run(bool by_values) {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4, 5), }";
    header.resize(117, ' ');
    paths.input = folder / "in.npy";
    std::ofstream samples(paths.input, std::ios::binary);
    samples << std::string("\x93NUMPY\1\0v\0", 10) << header << '\n';
    for (int i = 0; i < 60; ++i) samples << static_cast<char>(i * i % 7 % 3);
    samples.close();
    options.values.by_values = by_values;
    if (by_values) options.values.delta = 1;
    input.emplace(paths, options, app::WarnAbout{});
    app::PartLabeler piece(*input, kSlab);
    piece.read();
    Engine engine({.device = DeviceChoice::cpu}, {});
    SoloLink link;
    const app::PartLabeler::Labels found = app::label_piece(link, piece, paths.input, engine, [] {});
    const Components& components = found.labeled.components;
    files[0] = written(app::sections::kOfLabels, [&](io::CheckedFileWriter& file) {
      app::write_labeled_part(file, piece.report(), found, kSlab, input->extent());
    });
    files[1] = written(app::sections::kOfNumberedPart + app::sections::kOfMeasured, [&](auto& file) {
      std::vector<Label> numbers(components.size() + 1);
      std::iota(numbers.begin(), numbers.end(), Label{0});
      app::write_numbered_part(file, numbers, components, 0, components.size());
      const MeasureTable measured = measure(*found.labeled.labels, components, all_measures());
      app::write_measured(file, measured, 0, components.size());
    });
    files[2] = written(app::sections::kOfJoinedParts, [&](io::CheckedFileWriter& file) {
      app::JoinedParts joined;
      joined.labels = {1};
      joined.pieces = {piece.report()};
      joined.write(file);
    });
  }

  template <class Write>
  std::shared_ptr<const io::CheckedFile> write(std::size_t count, Write write) const {
    const std::string path = folder / "file";
    io::CheckedFileWriter out(path, {}, {.sync = false, .sync_folder = false});
    write(out);
    out.commit();
    return std::make_shared<io::CheckedFile>(path, io::FileTag{}, count);
  }
  template <class Write>
  Sections written(std::size_t count, Write write) const {
    const std::shared_ptr<const io::CheckedFile> file = this->write(count, write);
    Sections sections;
    for (std::size_t i = 0; i < count; ++i) sections.push_back(file->read<char>(i));
    return sections;
  }

  /// Joins the part with itself, and lists and renders its labels.
  void join(const std::shared_ptr<const io::CheckedFile>& file) const {
    app::PartFacts::of_text(file->read_text(app::sections::kReport));
    const std::vector<Slab> slabs{kSlab};
    const JoinedSlabs joined = join_slabs(input->extent(), input->connectivity(), slabs, [&](std::size_t) {
      return app::read_slab_to_join(*file, kSlab, *input, options.values.most_difference());
    });
    const std::vector<Label> numbers = joined.numbers(0);
    if (*std::max_element(numbers.begin(), numbers.end()) > joined.whole.count) __builtin_trap();
    const SlabLabels slab = app::stored_slab(file, kSlab, input->extent(), numbers);
    LabelRuns runs;
    slab.labels->list_runs(0, slab.labels->extent().rows(), runs, nullptr);
    for (const LabelRun& run : runs.runs)
      if (run.label >= numbers.size() || run.begin >= run.end || run.end > input->extent().width)
        __builtin_trap();
    render_all(*slab.labels);
  }

  void read_measures(const io::CheckedFile& file) const {
    const PartResult part = app::read_numbered_part(file, 0, input->extent());
    MeasureTable measured = empty_measures(input->extent(), part.components, all_measures());
    std::vector<std::size_t> all(part.components.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    app::add_measured(file, app::sections::kOfNumberedPart, all, measured);
    for (const std::size_t i : all) measured.values(part.components, i);
  }
};

void change(std::span<const std::uint8_t> how, Sections& sections) {
  std::vector<char>& section = sections[how[0] % sections.size()];
  const auto at = section.begin() + static_cast<std::ptrdiff_t>(how[1] % (section.size() + 1));
  const auto value = static_cast<char>(how[3]);
  if (how[2] % 4 == 0) {
    section.insert(at, std::size_t{how[2]} / 4 % 17, value);
  } else if (at != section.end()) {
    how[2] % 4 == 1
        ? static_cast<void>(section.erase(at, at + std::min<std::ptrdiff_t>(value & 15, section.end() - at)))
        : static_cast<void>(*at = value);
  }
}

void read_changed(const std::uint8_t* data, std::size_t size) {
  static const Run of_mask(false), of_values(true);
  const Run& run = data[0] % 2 == 0 ? of_mask : of_values;
  const std::size_t which = data[0] / 2 % run.files.size();
  Sections sections = run.files[which];
  for (std::size_t i = 1; i + 4 <= size; i += 4) change({data + i, 4}, sections);
  const auto file = run.write(sections.size(), [&](io::CheckedFileWriter& out) {
    for (const std::vector<char>& section : sections) out.add_section(section);
  });
  if (which == 0) run.join(file);
  if (which == 1) run.read_measures(*file);
  if (which == 2) app::JoinedParts::read(*file, 1).id();
}

}  // namespace
}  // namespace gpuccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    gpuccl::read_changed(data, size);
  } catch (const gpuccl::Error& error) {
    if (std::strlen(error.what()) == 0) __builtin_trap();
  }
  return 0;
}
