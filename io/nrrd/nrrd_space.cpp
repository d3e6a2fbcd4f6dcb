#include "io/nrrd/nrrd_space.hpp"

#include "io/files/file_names.hpp"

namespace gpuccl::io {
namespace {

constexpr struct {
  WorldSpace space;
  const char *name, *short_name;
} kSpaces[] = {{WorldSpace::ras, "right-anterior-superior", "ras"},
               {WorldSpace::las, "left-anterior-superior", "las"},
               {WorldSpace::lps, "left-posterior-superior", "lps"},
               {WorldSpace::scanner_xyz, "scanner-xyz", "scanner-xyz"},
               {WorldSpace::right_handed, "3D-right-handed", "3d-right-handed"},
               {WorldSpace::left_handed, "3D-left-handed", "3d-left-handed"}};

}  // namespace

WorldSpace nrrd_space(const std::string& name) {
  const std::string word = lower_case(name);
  for (const auto& known : kSpaces)
    if (word == lower_case(known.name) || word == known.short_name) return known.space;
  return WorldSpace::unknown;
}

const char* nrrd_name(WorldSpace space) {
  for (const auto& known : kSpaces)
    if (space == known.space) return known.name;
  return "";
}

}  // namespace gpuccl::io
