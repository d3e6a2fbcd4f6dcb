#include "app/label/measure_options.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "app/options/number_lists.hpp"
#include "app/options/option_helpers.hpp"
#include "app/options/plane_options.hpp"
#include "app/options/suggestions.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::app {
namespace {

/// Adds the measures that a word means to `wanted`; false if it means none.
bool add_measures(const std::string& word, MeasureSet& wanted) {
  bool known = false;
  for (const Measure& measure : measures())
    if (word == "all" || word == name_of(measure.group) || word == measure.name) {
      wanted.set(static_cast<std::size_t>(measure.id));
      known = true;
    }
  return known;
}

/// Returns true if the first of these names is a column that every table has.
bool is_basic(const std::string& names) {
  const std::string first = names.substr(0, names.find_first_of(", "));
  return std::any_of(measures().begin(), measures().end(), [&](const Measure& measure) {
    return measure.name == first && measure.group == MeasureGroup::basic;
  });
}

std::string problem_with(const std::string& word) {
  std::vector<std::string> known = {"all"};
  std::set<std::string> groups;
  for (const Measure& measure : measures()) {
    known.emplace_back(measure.name);
    if (groups.insert(std::string(name_of(measure.group))).second) known.emplace_back(name_of(measure.group));
  }
  const std::string meant = nearest_measure(word, known);
  return "'" + word + "' is not a measure; " +
         (meant.empty() ? "see gpuccl list --measures"
                        : "did you mean " + meant + (is_basic(meant) ? ", which every table has" : "") + "?");
}

}  // namespace

void MeasureOptions::add_measure_to(const Command& command) {
  const Option option = command.add_value(
      "--measure", "LIST",
      "Measures to add: groups, names or all, comma-separated; see gpuccl list --measures",
      [this](const std::string& given) {
        for (const std::string& word : split(given, ',')) {
          MeasureSet measures_of_word;
          if (!add_measures(word, measures_of_word)) return problem_with(word);
          wanted |= measures_of_word;
          if (measures_of_word.count() == 1) named |= measures_of_word;
          if (word == "all") continue;
          for (const Measure& measure : measures())
            needs_spacing |= is_physical(measure) && measures_of_word[static_cast<std::size_t>(measure.id)] &&
                             word != name_of(MeasureGroup::basic);  // whose others are there in any case
          needs_intensity |= (measures_of_word & measures_of(MeasureGroup::intensity)).any();
          needs_periodic |= (measures_of_word & measures_of(MeasureGroup::periodic)).any();
        }
        words = given;
        return std::string();
      });
  // Groups of which nothing is measured here change nothing.
  option.prints(
      [this] { return words.empty() || columns(wanted).empty() ? std::nullopt : std::optional(words); });
}

void MeasureOptions::add_intensity_to(const Command& command) {
  add_path_or_stream(command, "--intensity", intensity, "IMAGE",
                     "Image to measure samples of; for several inputs a folder with the same names");
  add_planes(command, "--intensity-", intensity_planes,
             {"Channel of the image of --intensity, from 0", "Time point of the image of --intensity, from 0",
              "Image to read of --intensity, a TIFF with several, from 0",
              "Page or slice of the image of --intensity, or a range of them, from 0"});
}

void MeasureOptions::add_intensity_name_to(const Command& command) {
  const Option option = command.add_value(
      "--intensity-name", "PATTERN",
      "Names of these images: *_0000, where * is the input's name; *_D=*_F for x_F of x_D",
      [this](const std::string& given) {
        intensity_name = given;
        const std::vector<std::string> sides = split(given, '=');
        const bool is_good =
            sides.size() <= 2 && std::all_of(sides.begin(), sides.end(), [](const std::string& side) {
              return std::count(side.begin(), side.end(), '*') == 1 && side.find('/') == std::string::npos;
            });
        return is_good ? std::string()
                       : "'" + given + "' is not a pattern such as *_0000 or *_D=*_F, with one * each";
      });
  option.prints([this] { return intensity_name.empty() ? std::nullopt : std::optional(intensity_name); });
}

void MeasureOptions::settle(const MeasureSet& compared, const PeriodicAxes& periodic,
                            const ValueOptions& values) {
  if (values.by_values) settle_values(compared, values.objects);
  settle_intensity(compared);
  settle_periodic(compared, periodic);
}

void MeasureOptions::settle_values(const MeasureSet& compared, bool objects) {
  // Measures that count everything around a component as background, but here that includes other values.
  const auto looks_around = [](const Measure& measure) {
    const std::string_view name = measure.name;
    return name.starts_with("perimeter") || name.starts_with("roundness") || name.starts_with("surface") ||
           name.starts_with("sphericity") || measure.group == MeasureGroup::topology;
  };
  const std::string without = objects ? "; use 'gpuccl label --value V' to measure one value at a time"
                                      : "; use --value V to measure one value at a time";
  const std::string conflict =
      objects ? " cannot be measured where objects may touch" : " and --values cannot be combined";
  const bool any = wanted.any();
  for (const Measure& measure : measures()) {
    const auto id = static_cast<std::size_t>(measure.id);
    if (!looks_around(measure)) continue;
    if ((named | compared)[id])
      throw Error(Failure::usage, std::string(measure.name) + conflict +
                                      ", nor can other perimeters, surfaces and topology" + without);
    wanted.reset(id);
  }
  if (any && wanted.none())
    throw Error(Failure::usage, "--measure " + words + conflict + "; shape can" + without);
}

void MeasureOptions::settle_periodic(const MeasureSet& compared, const PeriodicAxes& periodic) {
  const MeasureSet of_periodic = measures_of(MeasureGroup::periodic);
  if (periodic == PeriodicAxes{}) {
    if (needs_periodic || (compared & of_periodic).any())
      throw Error(Failure::usage, "wraps_x, wraps_y and wraps_z need --periodic");
    wanted &= ~of_periodic;
    return;
  }
  const MeasureSet known = of_periodic | measures_of(MeasureGroup::basic);
  for (const MeasureId id : columns((wanted | compared) & ~known))
    throw Error(Failure::usage,
                "--periodic: " + std::string(measure_of(id).name) +
                    " is not measured across borders; use area, bounding box, centroid or wraps");
  constexpr MeasureId kWraps[] = {MeasureId::wraps_x, MeasureId::wraps_y, MeasureId::wraps_z};
  for (std::size_t axis = 0; axis < periodic.size(); ++axis) {
    const auto wraps = static_cast<std::size_t>(kWraps[axis]);
    if (!periodic[axis] && (named | compared)[wraps])
      throw Error(Failure::usage,
                  std::string(measure_of(kWraps[axis]).name) + " needs --periodic along that axis");
    wanted[wraps] = periodic[axis];
  }
}

void MeasureOptions::settle_intensity(const MeasureSet& compared) {
  const MeasureSet of_intensity = measures_of(MeasureGroup::intensity);
  if (!intensity.empty()) {
    if (((wanted | compared) & of_intensity).none()) wanted |= of_intensity;
    return;
  }
  if (!intensity_name.empty())
    throw Error(Failure::usage, "--intensity-name is for the folder of images that --intensity gives");
  if (intensity_planes.any())
    throw Error(Failure::usage,
                "--intensity-channel, --intensity-frame, --intensity-series and --intensity-page need "
                "--intensity IMAGE");
  if (needs_intensity || (compared & of_intensity).any())
    throw Error(Failure::usage, "measures of intensity need samples; set them with --intensity IMAGE");
  wanted &= ~of_intensity;
}

}  // namespace gpuccl::app
