#include "app/label/measure_options.hpp"

#include <cctype>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include "app/label/label_options.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "io/files/file_names.hpp"
#include "io/files/input_file.hpp"
#include "io/files/json.hpp"
#include "io/files/number_text.hpp"

namespace gpuccl::app {
namespace {

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::usage, reason); }

void check_engine(const EngineOptions& engine) {
  if (engine.algorithm != "auto" && engine.algorithm != "runs")
    refuse(engine.algorithm + " labels only binary images; with --values use auto or runs");
}

}  // namespace

void ValueOptions::add_input_to(const Command& command) {
  const Option by = add_switch(command, "--values", by_values,
                               "Connect pixels with equal nonzero values, as in a segmentation");
  for (const char* const rule : {"--threshold", "--value", "--invert", "--foreground"})
    by.excludes(rule, "samples are read as stored, so leave out one of them");
  by.excludes("--fill-holes");
  command
      .add_value("--delta", "D", "With --values: connect values that differ by at most D",
                 [this](const std::string& given) {
                   delta = parse_number<double>(given);
                   const auto exact = io::SampleValue::parse(given);
                   if (exact && *exact != io::SampleValue::of(*delta))
                     return "'" + given + "' has too many digits for exact comparison; round it";
                   return delta && *delta >= 0 && *delta <= std::numeric_limits<double>::max()
                              ? std::string()
                              : "'" + given + "' is not a number of at least 0";
                 })
      .prints([this] { return delta ? std::optional(io::shortest(*delta)) : std::nullopt; })
      .needs("--values");
  add_round(command, round, "With --values: round values to integers").needs("--values");
}

io::ValueRule ValueOptions::rule() const {
  using enum io::ValueRule::Kind;
  return {objects || are_classes ? labels : delta ? stored : integers, round};
}

void ValueOptions::add_selection_to(const Command& command) {
  add_switch(command, "--per-value", per_value, "With --values: apply --largest to each value separately")
      .needs("--values")
      .needs("--largest N");
  add_switch(command, "--keep-values", keep_values,
             "With --values: write the values of remaining components instead of labels")
      .needs("--values")
      .needs("--output FILE")
      .excludes("--label-type", "values have the type of the input")
      .excludes("--order", "no labels are written");
  add_switch(command, "--split-values", split_values,
             "With --values: write values; the largest piece of each keeps it, others get new ones")
      .needs("--values")
      .excludes("--keep-values")
      .excludes("--label-type", "values have the type of the input")
      .excludes("--order", "new values are in raster order");
}

std::string rule_of(const ValueOptions& options) {
  if (options.objects) return "each value is an object";
  return options.most_difference() > 0 ? "values that differ by at most " + io::shortest(*options.delta)
                                       : "equal values";
}

void check_value_type(ValueType type, const ValueOptions& options) {
  if (options.objects) return;                    // integers, whatever their type
  constexpr double kMaxExact = 9007199254740992;  // 2^53: every integer up to it is a double
  if (is_floating(type) && options.split_values)
    throw Error(
        ErrorCode::data,
        "has floating-point values; --split-values needs integers: leave --delta out, or add --round");
  if (!is_floating(type) && options.most_difference() > kMaxExact)
    throw Error(ErrorCode::usage, "--delta above 9007199254740992 needs floating-point values");
}

void check_values(const LabelOptions& options) {
  const ValueOptions& values = options.values;
  const auto is_of_label = [](const Condition::Step& step) {
    return step.kind == Condition::Step::Kind::comparison_of_value && step.name == kLabelOfObject;
  };
  const std::vector<Condition::Step>& steps = options.selection.keep.steps;
  if (!values.are_labels() && std::any_of(steps.begin(), steps.end(), is_of_label))
    refuse(std::string("--keep: components get their labels after filtering; compare ") +
           (values.objects     ? "value, that of the file"
            : values.by_values ? "value"
                               : "other measures"));
  if (!values.by_values) {
    if (options.selection.keep.compares_value()) refuse("--keep of a value needs --values");
    return;
  }
  const MeasureSet wanted = options.measure.wanted | options.selection.keep.measures();
  const MeasureSet by_pieces = measures_of(MeasureGroup::topology);
  if (values.objects && options.algorithm.connectivity && (wanted & by_pieces).none())
    refuse("--connectivity decides which pixels are one piece; add --measure components or topology");
  if (values.objects && values.keep_values && options.label_type != io::LabelType::automatic)
    refuse("--label-type needs --relabel; values have the type of the input");
  check_engine(options.algorithm.engine);
  if (values.most_difference() > 0 && (values.per_value || values.keep_values || values.split_values ||
                                       options.selection.keep.compares_value()))
    refuse(
        "--per-value, --keep-values, --split-values and --keep 'value ...' need one value per component; use "
        "--delta 0");
}

/// Adds the measures that a word means to `wanted`; false if it means none.
static bool add_measures(const std::string& word, MeasureSet& wanted) {
  bool known = false;
  for (const Measure& measure : measures())
    if (word == "all" || word == name_of(measure.group) || word == measure.name) {
      wanted.set(static_cast<std::size_t>(measure.id));
      known = true;
    }
  return known;
}

/// Returns true if the first of these names is a column that every table has.
static bool is_basic(const std::string& names) {
  const std::string first = names.substr(0, names.find_first_of(", "));
  return std::any_of(measures().begin(), measures().end(), [&](const Measure& measure) {
    return measure.name == first && measure.group == MeasureGroup::basic;
  });
}

static std::string problem_with(const std::string& word) {
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
          requested |= measures_of_word;
          for (const Measure& measure : measures())
            needs_spacing |= is_physical(measure) && measures_of_word[static_cast<std::size_t>(measure.id)] &&
                             word != name_of(MeasureGroup::basic);  // whose others are there in any case
          needs_intensity |= (measures_of_word & measures_of(MeasureGroup::intensity)).any();
          needs_periodic |= (measures_of_word & measures_of(MeasureGroup::periodic)).any();
        }
        words = given;
        return std::string();
      });
  // Groups without a measure of this input change nothing.
  option.prints(
      [this] { return words.empty() || columns(wanted).empty() ? std::nullopt : std::optional(words); });
}

/// Returns the names of images, which commas separate unless the whole text names a file.
static std::vector<std::string> paths_in(const std::string& given) {
  std::error_code none;
  return std::filesystem::exists(given, none) ? std::vector{given} : split(given, ',');
}

/// Replaces characters that column names do not contain. Those beyond ASCII stay if all of it is UTF-8.
static std::string safe_name(std::string name) {
  constexpr unsigned char kAscii = 0x80;
  const bool is_unicode = io::is_utf8(name);
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = byte < kAscii ? std::isalnum(byte) != 0 : is_unicode;
    if (!is_letter && c != '_' && c != '-' && c != '.' && c != '+') c = '_';
  }
  return name;
}

/// Returns "dapi" for "images/dapi.tif", "images/dapi/" and "cells.h5:/images/dapi".
static std::string name_of_path(const std::string& path) {
  const io::InputName input = io::split_input(path);
  std::string name = input.inside.empty() ? io::without_extension(input.file) : input.inside;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return safe_name(std::filesystem::path(name).filename().string());
}

/// Returns "0000" for "*_0000" and for "*_D=*_0000".
static std::string name_of_pattern(const std::string& pattern) {
  std::string name = pattern.substr(pattern.find('=') + 1);
  std::erase(name, '*');
  const std::size_t begin = std::min(name.find_first_not_of("_-."), name.size());
  const std::size_t end = name.find_last_not_of("_-.") + 1;
  return safe_name(begin < end ? name.substr(begin, end - begin) : name);
}

void MeasureOptions::add_intensity_to(const Command& command) {
  command
      .add_value("--intensity", "IMAGE[,...]",
                 "Intensity images; for several inputs, folders with files of the same names",
                 [this](const std::string& given) {
                   intensities.clear();
                   for (const std::string& path : paths_in(given)) {
                     intensities.push_back(io::Source::of_image(path));
                     if (std::string problem = wrong_path(path); !problem.empty()) return problem;
                   }
                   return std::string();
                 })
      .prints([this] {
        return joined({intensities.begin(), intensities.end()});
      });
  command
      .add_value("--intensity-channel", "N|NAME[,...]|all",
                 "Channels of the images of --intensity, from 0 or by name",
                 [this](const std::string& given) {
                   intensity_channels.clear();
                   intensity_planes.channel.reset();
                   intensity_planes.channel_name.clear();
                   all_channels = given == "all";
                   if (all_channels) return std::string();
                   if (given.find(',') == std::string::npos) return parse_channel(given, intensity_planes);
                   std::set<std::string> names;
                   for (const std::string& word : split(given, ',')) {
                     io::PlaneChoice one;
                     if (std::string problem = parse_channel(word, one); !problem.empty()) return problem;
                     if (!names.insert(safe_name(word)).second) return "names channel " + word + " twice";
                     intensity_channels.push_back(word);
                   }
                   return std::string();
                 })
      .prints([this]() -> std::optional<std::string> {
        if (all_channels) return "all";
        if (auto one = channel_text(intensity_planes)) return one;
        return joined(intensity_channels);
      });
  add_planes(command, "--intensity-", intensity_planes,
             {nullptr, "Time point of the image of --intensity, from 0 [that of --frame]",
              "Index of the image in the TIFF of --intensity, from 0 [that of --series]",
              "Page or slice of the image of --intensity, or a range of them, from 0"});
}

void MeasureOptions::add_intensity_name_to(const Command& command) {
  const Option option =
      command.add_value("--intensity-name", "PATTERN[,...]",
                        "Names of these images: *_0000, where * is the input's name; *_D=*_F for x_F of x_D",
                        [this](const std::string& given) {
                          intensity_names = split(given, ',');
                          for (const std::string& pattern : intensity_names)
                            if (std::string problem = NamePattern::problem_with(pattern); !problem.empty())
                              return problem;
                          return std::string();
                        });
  option.prints([this] { return joined(intensity_names); });
}

std::vector<IntensitySource> MeasureOptions::sources(std::span<const std::string> channels) const {
  if (channels.empty()) channels = intensity_channels;
  std::vector<IntensitySource> sources;
  for (std::size_t file = 0; file < intensity_files(); ++file) {
    const std::string of_file = intensities.size() > 1       ? name_of_path(intensities[file])
                                : intensity_names.size() > 1 ? name_of_pattern(intensity_names[file])
                                                             : "";
    if (channels.empty()) sources.push_back({file, "", of_file});
    for (const std::string& channel : channels)
      sources.push_back({file, channel, of_file + (of_file.empty() ? "" : ":") + safe_name(channel)});
  }
  return sources;
}

std::vector<std::string> MeasureOptions::channels_of(const std::vector<std::string>& names) const {
  std::set<std::string> different;
  for (const std::string& name : names)
    if (!name.empty() && !parse_number<double>(name)) different.insert(safe_name(name));
  const bool by_name = different.size() == names.size() && intensity_files() == 1;
  std::vector<std::string> channels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool are_segments = names[i].find(" = ") != std::string::npos;  // a layer of several, from Slicer
    channels.push_back(by_name && !are_segments ? names[i] : std::to_string(i));
  }
  return channels;
}

void resolve_images(Condition& condition, std::span<const IntensitySource> sources) {
  if (sources.empty()) return;
  std::string names;  // a few, for messages
  for (std::size_t i = 0; i < std::min<std::size_t>(sources.size(), 3); ++i)
    names += (i == 0 ? "" : i + 1 == sources.size() ? " or " : ", ") + sources[i].name;
  if (sources.size() > 3) names += ", ...";
  for (Condition::Step& step : condition.steps) {
    const Measure& measure = measure_of(step.measure);
    if (step.kind != Condition::Step::Kind::comparison || measure.group != MeasureGroup::intensity) continue;
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const IntensitySource& one) { return one.name == step.name; });
    const std::string is_of = "--keep: " + std::string(measure.name);
    if (found != sources.end())
      step.image = static_cast<std::size_t>(found - sources.begin());
    else if (step.name.empty())
      throw Error(ErrorCode::usage, is_of + " needs the name of an image in brackets: " + names);
    else if (sources.front().name.empty())
      throw Error(ErrorCode::usage,
                  is_of + "[" + step.name + "]: there is only one intensity image; leave out the brackets");
    else
      throw Error(ErrorCode::usage,
                  is_of + "[" + step.name + "]: no intensity image has this name; the names are " + names);
  }
}

void MeasureOptions::resolve(const MeasureSet& compared, const PeriodicAxes& periodic,
                             const ValueOptions& values) {
  resolve_pieces(compared, values.objects);
  if (values.by_values) resolve_voids(compared, values.objects);
  resolve_intensity(compared);
  resolve_periodic(compared, periodic);
}

/// Voids are components of the background, which is labeled once, not for each value.
void MeasureOptions::resolve_voids(const MeasureSet& compared, bool objects) {
  for (const MeasureId id : {MeasureId::cavities, MeasureId::tunnels}) {
    if ((named | compared)[static_cast<std::size_t>(id)])
      throw Error(ErrorCode::usage,
                  std::string(measure_of(id).name) +
                      (objects ? " cannot be counted where objects may touch; use 'gpuccl label --value V'"
                               : " and --values cannot be combined; use --value V") +
                      " to measure one value at a time");
    wanted.reset(static_cast<std::size_t>(id));
  }
}

void MeasureOptions::resolve_pieces(const MeasureSet& compared, bool objects) {
  const auto id = static_cast<std::size_t>(MeasureId::components);
  if (!objects && (named | compared)[id])
    throw Error(
        ErrorCode::usage,
        "components counts the connected pieces of an object, and a component has one; use gpuccl measure "
        "for a label image whose values are objects");
  if (!named[id]) wanted.reset(id);
}

void MeasureOptions::resolve_periodic(const MeasureSet& compared, const PeriodicAxes& periodic) {
  const MeasureSet of_periodic = measures_of(MeasureGroup::periodic);
  if (periodic == PeriodicAxes{}) {
    if (needs_periodic || (compared & of_periodic).any())
      throw Error(ErrorCode::usage, "wraps_x, wraps_y and wraps_z need --periodic");
    wanted &= ~of_periodic;
    return;
  }
  const MeasureSet of_intensity = measures_of(MeasureGroup::intensity),
                   known = measures_across_borders(periodic) & ~of_intensity;
  const MeasureSet of_axes = of_periodic | measures_of(MeasureGroup::border);
  for (const MeasureId id : columns((named | compared) & of_axes & ~known))
    throw Error(ErrorCode::usage,
                std::string(measure_of(id).name) + (of_periodic[static_cast<std::size_t>(id)]
                                                        ? " needs --periodic along that axis"
                                                        : " needs an axis without --periodic"));
  wanted &= ~of_axes | known;
  wanted &= known | requested | of_intensity;  // `all`: what can be measured
  for (const MeasureId id : columns((wanted | compared) & ~known))
    throw Error(ErrorCode::usage,
                "--periodic: " + std::string(measure_of(id).name) + " is not measured across borders; " +
                    (of_intensity[static_cast<std::size_t>(id)]
                         ? "write labels with -o, and measure these with 'gpuccl measure LABELS --intensity'"
                         : "use area, bounding box, centroid, extent, border or wraps"));
  wanted |= of_periodic & known;
}

void MeasureOptions::resolve_intensity(const MeasureSet& compared) {
  const MeasureSet of_intensity = measures_of(MeasureGroup::intensity);
  if (!intensities.empty()) {
    if (((wanted | compared) & of_intensity).none()) wanted |= of_intensity;
    if (intensities.size() > 1 && intensity_names.size() > 1 && intensities.size() != intensity_names.size())
      throw Error(ErrorCode::usage, "--intensity has " + std::to_string(intensities.size()) +
                                        " folders, but --intensity-name has " +
                                        std::to_string(intensity_names.size()) + " patterns");
    std::set<std::string> names;
    for (const IntensitySource& source : sources())
      if (!names.insert(source.name).second)
        throw Error(ErrorCode::usage,
                    "--intensity: two images are called '" + source.name +
                        "', but their columns need different names; rename one, or link to it");
    return;
  }
  if (!intensity_names.empty())
    throw Error(ErrorCode::usage, "--intensity-name is for the folder of images that --intensity gives");
  if (intensity_planes.any() || !intensity_channels.empty() || all_channels)
    throw Error(ErrorCode::usage,
                "--intensity-channel, --intensity-frame, --intensity-series and --intensity-page need "
                "--intensity IMAGE");
  if (needs_intensity || (compared & of_intensity).any())
    throw Error(ErrorCode::usage, "measures of intensity need samples; set them with --intensity IMAGE");
  wanted &= ~of_intensity;
}

}  // namespace gpuccl::app
