#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "app/options/option_helpers.hpp"
#include "io/files/file_names.hpp"

namespace gpuccl::app {
namespace {

/// Names of these options in other programs.
constexpr std::pair<const char*, const char*> kElsewhere[] = {
    {"verbose", "progress"}, {"v", "progress"},  {"silent", "quiet"},    {"q", "quiet"},
    {"force", "overwrite"},  {"f", "overwrite"}, {"algorithm", "algo"},  {"method", "algo"},
    {"csv", "stats"},        {"table", "stats"}, {"minarea", "minsize"}, {"maxarea", "maxsize"},
};

/// Options of other programs for steps before labeling, and for the page.
constexpr const char* kSplitting =
    "splitting touching objects is not part of gpuccl; do it first, for example with scikit-image";
constexpr const char* kFiltering =
    "filtering is not part of gpuccl; do it first, for example with scikit-image";
constexpr std::pair<const char*, const char*> kNotOffered[] = {
    {"watershed", kSplitting},
    {"split", kSplitting},
    {"blur", kFiltering},
    {"gaussian", kFiltering},
    {"median", kFiltering},
    {"view", "run gpuccl view on the label image"},
    {"periodic", "run gpuccl label --periodic first, whose labels and measures hold across borders"},
};

/// Names of the measures in other programs.
constexpr std::pair<const char*, const char*> kMeasuresElsewhere[] = {
    {"volume", "area (area_physical in the unit of the spacing)"},
    {"size", "area"},
    {"count", "area"},
    {"numpixels", "area"},
    {"pixels", "area"},
    {"voxels", "area"},
    {"voxelcount", "area"},
    {"volumephysical", "area_physical"},
    {"physicalvolume", "area_physical"},
    {"physicalarea", "area_physical"},
    {"physicalsize", "area_physical"},
    {"centroid", "cx, cy, cz"},
    {"center", "cx, cy, cz"},
    {"centroidphysical", "cx_physical, cy_physical, cz_physical"},
    {"centroidweighted", "cx_weighted, cy_weighted, cz_weighted"},
    {"weightedcentroid", "cx_weighted, cy_weighted, cz_weighted"},
    {"centerofmass", "cx_weighted, cy_weighted, cz_weighted"},
    {"boundingboxwidth", "width"},
    {"boundingboxheight", "height"},
    {"bbox", "x0, y0, z0, x1, y1, z1"},
    {"boundingbox", "x0, y0, z0, x1, y1, z1"},
    {"mean", "intensity_mean"},
    {"meanintensity", "intensity_mean"},
    {"min", "intensity_min"},
    {"minintensity", "intensity_min"},
    {"max", "intensity_max"},
    {"maxintensity", "intensity_max"},
    {"std", "intensity_std"},
    {"stddev", "intensity_std"},
    {"sum", "intensity_sum"},
    {"median", "intensity_median"},
    {"majoraxislength", "axis_major_length"},
    {"minoraxislength", "axis_minor_length"},
    {"aspectratio", "elongation"},
    {"diameter", "equivalent_diameter_area"},
    {"equivalentdiameter", "equivalent_diameter_area"},
    {"feret", "feret_diameter_max"},
    {"maxferet", "feret_diameter_max"},
    {"minferet", "feret_diameter_min"},
    {"convexarea", "area_convex"},
    {"surface", "surface_crofton"},
    {"surfacearea", "surface_crofton"},
    {"circularity", "roundness"},
    {"fillratio", "extent"},
    {"handles", "tunnels"},
    {"genus", "tunnels"},
    {"voids", "cavities"},
};

/// Returns a name in lower case, without dashes and underscores.
std::string letters(std::string_view name) {
  while (begins_with_typeset_dash(name)) name.remove_prefix(kTypesetDashes[0].size());
  std::string kept;
  for (const char c : io::lower_case(std::string(name)))
    if (c != '-' && c != '_') kept += c;
  return kept;
}

/// Returns the number of letters to insert, delete, replace or swap with the next one to turn `b` into `a`.
std::size_t distance(std::string_view a, std::string_view b) {
  // Three rows of the table of all prefixes of `a` and `b`.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      if (i == 0) {
        row[j] = j;
        continue;
      }
      row[j] = std::min(std::min(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& given, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 40;  // a path is not a misspelt name
  std::string wanted = letters(given);
  if (wanted.empty() || wanted.size() > kLongest) return "";
  for (const auto& [theirs, ours] : kElsewhere)
    if (wanted == theirs) wanted = ours;

  // Fewer changes are better, then a shorter name.
  std::string best;
  std::size_t best_cost = wanted.size() / 3 + 1;
  for (const std::string& name : known) {
    const std::string other = letters(name);
    if (other == wanted) return name;
    const bool begins = wanted.size() > 1 && other.starts_with(wanted);
    const std::size_t least = std::max(wanted.size(), other.size()) - std::min(wanted.size(), other.size());
    if (!begins && least > best_cost) continue;
    const std::size_t cost = begins ? 0 : distance(wanted, other);
    if (cost < best_cost || (cost == best_cost && !best.empty() && name.size() < best.size())) {
      best = name;
      best_cost = cost;
    }
  }
  return best;
}

std::string not_offered(const std::string& given) {
  for (const auto& [theirs, reason] : kNotOffered)
    if (letters(given) == theirs) return reason;
  return "";
}

std::string nearest_measure(const std::string& given, const std::vector<std::string>& known) {
  for (const auto& [theirs, ours] : kMeasuresElsewhere)
    if (letters(given) == theirs) return ours;
  return nearest_name(given, known);
}

}  // namespace gpuccl::app
