#include "app/parts/task_cavities.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "app/parts/joined_parts.hpp"
#include "app/parts/stored_part.hpp"
#include "app/parts/task_options.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/selection.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

void leave_cavities(const TaskFolder& folder, int part, Piece& piece, const Extent& whole,
                    const LabelSource* labels, LazyEngine& engine) {
  BitVolume bits;
  Piece::Labels background;
  background.labeled = piece.label_background_of(labels, engine.start(), bits);
  const std::string path = folder.cavities_path(part);
  io::concerning(path, [&] {
    io::CheckedFileWriter file(path, folder.cavities_tag(part), folder.options());
    put_part(file, {}, background, piece.slab(), whole);
    file.commit();
  });
}

io::CheckedFile open_cavities(const TaskFolder& folder, int part) {
  return {folder.cavities_path(part), folder.cavities_tag(part), sections::kOfLabels};
}

std::vector<CavitiesOfPart> find_cavities(const OpenedRun& run, const LabelInput& input,
                                          const std::vector<Slab>& slabs) {
  const TaskFolder& folder = run.folder();
  const Connectivity connectivity = complementary(input.connectivity());
  JoinedSlabs joined = join_slabs(input.extent(), connectivity, slabs, [&](std::size_t i) {
    SlabToJoin background;
    const int part = static_cast<int>(i) + 1;
    run.for_part(part, folder.cavities_path(part),
                 [&] { background = take_part_to_join(open_cavities(folder, part), slabs[i], input, 0); });
    return background;
  });
  const Selection cavities =
      select(std::move(joined.components), input.extent(), !is_3d(connectivity), {.clear_border = true});
  std::vector<CavitiesOfPart> parts(slabs.size());
  std::size_t cavity = 0;  // they are in the order in which they begin
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    CavitiesOfPart& part = parts[i];
    part.numbers = std::move(joined.numbers[i]);
    if (!cavities.map.empty())
      for (Label& number : part.numbers) number = cavities.map[number];
    part.before = static_cast<Label>(cavity);
    for (; cavity < cavities.components.size() && cavities.components.box[cavity].min[2] < slabs[i].z1;
         ++cavity)
      part.components.push_back(cavities.components[cavity]);
  }
  return parts;
}

Labeled take_cavities(const TaskFolder& folder, int part, const io::CheckedFile& united, const Slab& slab,
                      const Extent& whole) {
  const std::string again = "run --part " + word_of_part(part, folder.parts()) + " again";
  auto numbers = united.take<Label>(sections::kCavityNumbers);
  const auto before = united.take<Label>(sections::kCavitiesBefore);
  const auto ids = united.take<std::uint64_t>(sections::kIds);
  return with_remedy(folder.cavities_path(part), again, [&] {
    auto file = std::make_shared<io::CheckedFile>(open_cavities(folder, part));
    file->verify();
    if (ids.size() != sections::kOfIds || labels_id(*file) != ids[sections::kOfCavities] || numbers.empty() ||
        before.empty())
      throw Error(Failure::data, "has changed since gpuccl join; run gpuccl join again");
    return cavities_of_slab(whole, take_part(std::move(file), slab, whole, std::move(numbers)),
                            before.front(), take_components(united, sections::kCavities, whole));
  });
}

}  // namespace gpuccl::app
