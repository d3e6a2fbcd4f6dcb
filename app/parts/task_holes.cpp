#include "app/parts/task_holes.hpp"

#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "app/common/stopwatch.hpp"
#include "app/parts/stored_part.hpp"
#include "app/parts/task_options.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/selection.hpp"
#include "io/files/file_error.hpp"
#include "io/parts/checked_file.hpp"
#include "io/parts/section_checks.hpp"

namespace gpuccl::app {
namespace {

io::CheckedFile open_background(const TaskFolder& folder, int part) {
  return {folder.background_path(part), folder.background_tag(part), sections::kOfLabels};
}

/// Returns none if the file is missing or damaged. Holes that were found in it are valid even then.
std::optional<std::uint64_t> id_of_background(const TaskFolder& folder, int part) {
  try {
    return labels_id(open_background(folder, part));
  } catch (const Error& error) {
    if (error.failure() != Failure::data && error.failure() != Failure::no_input) throw;
    return std::nullopt;
  }
}

io::CheckedFile open_holes(const TaskFolder& folder, int part) {
  return {folder.holes_path(part), folder.holes_tag(part), sections::kOfHoles};
}

std::uint64_t id_of_holes(const io::CheckedFile& holes) {
  const auto id = holes.take<std::uint64_t>(sections::kOfBackground);
  return id.empty() ? 0 : id.front();
}

void leave_holes(const TaskFolder& folder, int part, std::uint64_t background,
                 const std::vector<Label>& stays, const HoleCounts& found) {
  const std::string path = folder.holes_path(part);
  io::concerning(path, [&] {
    io::CheckedFileWriter file(path, folder.holes_tag(part), folder.options());
    file.put(std::vector<std::uint64_t>{background});
    file.put(stays);
    file.put(std::vector<HoleCounts>{found});
    file.commit();
  });
}

}  // namespace

void leave_background(const TaskFolder& folder, int part, Piece& piece, const LabelInput& input,
                      LazyEngine& engine) {
  const Stopwatch total;
  Piece::Labels found;
  io::concerning(input.files().input, [&] {
    Engine& started = engine.start();
    piece.read();
    found.labeled = piece.label_background(started);
  });
  PieceReport report = piece.report();
  report.fill_ms = 0;  // all of it is label_ms
  report.total_ms = total.milliseconds();
  const std::string path = folder.background_path(part);
  io::concerning(path, [&] {
    io::CheckedFileWriter file(path, folder.background_tag(part), folder.options());
    put_part(file, report, found, piece.slab(), input.extent());
    file.commit();
  });
}

PieceReport fill_part(const TaskFolder& folder, int part, Piece& piece, const Extent& whole) {
  const Stopwatch filling;
  std::uint64_t id = 0;
  std::vector<Label> holes_of = with_remedy(folder.holes_path(part), "run gpuccl join again", [&] {
    const io::CheckedFile holes = open_holes(folder, part);
    id = id_of_holes(holes);
    auto stays = holes.take<Label>(sections::kStays);
    io::check_numbers(stays, 1);
    for (Label& label : stays) label = label == 0 ? 1 : 0;
    return stays;
  });
  const auto fill = [&] {
    auto file = std::make_shared<io::CheckedFile>(open_background(folder, part));
    file->verify();
    if (labels_id(*file) != id || holes_of.empty())
      throw Error(Failure::data, "has changed since gpuccl join; run gpuccl join again");
    PieceReport found = PieceReport::of_text(file->take_text(sections::kFound));
    piece.resume(found);
    piece.fill(take_part(std::move(file), piece.slab(), whole, std::move(holes_of)));
    found.label_ms += filling.milliseconds();
    return found;
  };
  const std::string again = "run --part " + word_of_part(part, folder.parts()) + " again";
  return with_remedy(folder.background_path(part), again, fill);
}

std::optional<HoleCounts> found_holes(const TaskFolder& folder) {
  std::vector<HoleCounts> found;
  for (int part = 1; part <= folder.parts(); ++part) {
    if (!is_whole(folder.holes_path(part), folder.holes_tag(part), sections::kOfHoles)) return std::nullopt;
    const io::CheckedFile holes = open_holes(folder, part);
    const std::optional<std::uint64_t> id = id_of_background(folder, part);
    if (id && *id != id_of_holes(holes)) return std::nullopt;
    found = holes.take<HoleCounts>(sections::kHoleCounts);
  }
  return found.empty() ? std::nullopt : std::optional(found.front());
}

HoleCounts find_holes(const OpenedRun& run, const LabelInput& input, const std::vector<Slab>& slabs) {
  const TaskFolder& folder = run.folder();
  std::vector<std::uint64_t> ids;
  run.for_each_part([&](int part) {
    io::concerning(folder.background_path(part), [&] {
      const io::CheckedFile file = open_background(folder, part);
      file.verify();
      ids.push_back(labels_id(file));
    });
  });
  const Connectivity connectivity = complementary(input.connectivity());
  JoinedSlabs joined = join_slabs(input.extent(), connectivity, slabs, [&](std::size_t i) {
    SlabToJoin background;
    const int part = static_cast<int>(i) + 1;
    run.for_part(part, folder.background_path(part),
                 [&] { background = take_part_to_join(open_background(folder, part), slabs[i], input, 0); });
    return background;
  });
  const std::size_t all = joined.components.size();
  const Selection holes = select(std::move(joined.components), input.extent(), !is_3d(connectivity),
                                 {.max_size = *run.options().fill_holes, .clear_border = true});
  const HoleCounts found{
      holes.components.size(),
      std::accumulate(holes.components.area.begin(), holes.components.area.end(), std::uint64_t{0})};
  // By label of the whole background.
  std::vector<Label> stays(all + 1, 0);
  for (std::size_t label = 1; label <= all; ++label)
    stays[label] = !holes.map.empty() && holes.map[label] == 0;
  for (int part = 1; part <= folder.parts(); ++part) {
    const auto i = static_cast<std::size_t>(part) - 1;
    std::vector<Label> numbers = {0};
    if (i < slabs.size()) numbers = std::move(joined.numbers[i]);
    for (Label& number : numbers) number = stays[number];
    leave_holes(folder, part, ids[i], numbers, found);
  }
  return found;
}

}  // namespace gpuccl::app
