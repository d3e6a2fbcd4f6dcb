#include "support/arrays.hpp"

#include <fstream>
#include <stdexcept>

#include "support/corpus.hpp"
#include "support/images.hpp"

namespace tests {

using namespace gpuccl;
using nlohmann::json;

namespace {

BitVolume from_rows(Extent extent, const json& slices) {
  return made_from(extent, [&](int x, int y, int z) {
    const json& row = slices.at(static_cast<std::size_t>(z)).at(static_cast<std::size_t>(y));
    return row.get_ref<const std::string&>().at(static_cast<std::size_t>(x)) == '1';
  });
}

BitVolume from_boxes(Extent extent, const json& boxes) {
  BitVolume image(extent);
  for (const json& box : boxes)
    for (int z = box["lo"][0]; z < box["hi"][0]; ++z)
      for (int y = box["lo"][1]; y < box["hi"][1]; ++y)
        for (int x = box["lo"][2]; x < box["hi"][2]; ++x) image.set(x, y, z, box.value("value", 1) != 0);
  return image;
}

BitVolume from_dots(Extent extent, const json& generator) {
  BitVolume image(extent);
  const json& step = generator["step"];
  for (const json& offset : generator["offsets"])
    for (int z = offset[0]; z < extent.depth; z += step[0].get<int>())
      for (int y = offset[1]; y < extent.height; y += step[1].get<int>())
        for (int x = offset[2]; x < extent.width; x += step[2].get<int>()) image.set(x, y, z);
  return image;
}

/// Arrays of the shared folder that are binary, or that are not.
std::vector<json> published(bool multivalued) {
  const std::filesystem::path folder = shared_folder();
  std::vector<json> arrays;
  if (folder.empty()) return arrays;
  std::ifstream file(folder / "cases/arrays.json");
  for (const json& array : json::parse(file))
    if (array.value("multivalued", false) == multivalued) arrays.push_back(array);
  return arrays;
}

}  // namespace

BitVolume image_of(const json& array) {
  const Extent extent{array["shape"][2], array["shape"][1], array["shape"][0]};
  if (array.contains("rows")) return from_rows(extent, array["rows"]);
  const std::string kind = array.at("generator").at("kind");
  if (kind == "boxes") return from_boxes(extent, array["generator"]["boxes"]);
  if (kind == "dots") return from_dots(extent, array["generator"]);
  if (kind == "checkerboard") return tests::generated("checkerboard", extent);
  throw std::runtime_error("unknown generator " + kind);
}

std::vector<json> published_arrays() { return published(false); }
std::vector<json> published_arrays_of_values() { return published(true); }

}  // namespace tests
