#include "app/options/input_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "app/common/messages.hpp"
#include "app/options/command_line.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"

namespace gpuccl::app {
namespace {

constexpr int kLastGpu = 1023;

std::string number(Connectivity connectivity) { return std::to_string(static_cast<int>(connectivity)); }

/// Parses "all", which is {}, or "0,2". Returns what is wrong with any other text.
std::string read_gpus(const std::string& given, std::vector<int>& gpus) {
  gpus.clear();
  if (given == "all") return {};
  for (const std::string& word : split(given, ',')) {
    const std::optional<int> gpu = parse_number<int>(word);
    if (!gpu || *gpu < 0 || *gpu > kLastGpu)
      return "is not all or a comma-separated list of CUDA devices, 0 to " + std::to_string(kLastGpu);
    if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end()) return "names device " + word + " twice";
    gpus.push_back(*gpu);
  }
  return {};
}

/// The inverse of read_gpus().
std::string text_of(const std::vector<int>& gpus) {
  std::string text;
  for (const int gpu : gpus) text += (text.empty() ? "" : ",") + std::to_string(gpu);
  return text.empty() ? "all" : text;
}

}  // namespace

void add_connectivity(const Command& command, std::optional<Connectivity>& target) {
  Choices<Connectivity> choices;
  for (const Connectivity connectivity : kConnectivities)
    choices.emplace_back(number(connectivity), connectivity);
  add_choice<Connectivity>(command, "-c,--connectivity", target, choices,
                           "Neighbors of a pixel that connect [8; 26 for volumes]");
}

Option add_device(const Command& command, DeviceChoice& target, const std::string& help) {
  return add_choice<DeviceChoice>(command, "--device", target,
                                  {{"auto", DeviceChoice::automatic},
                                   {"cuda", DeviceChoice::cuda},
                                   {"gpu", DeviceChoice::cuda},
                                   {"cpu", DeviceChoice::cpu}},
                                  help)
      .changes(Effect::nothing);
}

void add_gpu(const Command& command, int& target) {
  add_number(command, "--gpu", target, 0, kLastGpu, "N", "CUDA device [0]");
}

void add_threads(const Command& command, int& target) {
  add_number(command, "--threads", target, 1, 4096, "N", "Number of CPU threads [all]")
      .changes(Effect::nothing);
}

void AlgorithmOptions::add_to(const Command& command) {
  command.group("Labeling");
  add_connectivity(command, connectivity);
  add_switch(command, "--per-slice", per_slice,
             "Label every slice separately with 4- or 8-connectivity; labels continue");
  command
      .add_value("--algo", "NAME", "Algorithm, see 'gpuccl list' [auto]",
                 [this](const std::string& given) {
                   engine.algorithm = io::lower_case(given);
                   return std::string();
                 })
      .prints([this] { return engine.algorithm; })
      .changes(Effect::run);
  const Option device =
      add_device(command, engine.device, "Device; auto falls back to the CPU if no GPU is usable [auto]");
  if (is_device_implied) device.prints([] { return "auto"; });
  command
      .add_value("--gpus,--gpu", "LIST",
                 "CUDA devices, as in 0,2, or all; each labels one input of a batch at a time [0]",
                 [this, device](const std::string& given) {
                   if (!device.is_given()) engine.device = DeviceChoice::cuda, is_device_implied = true;
                   if (engine.device == DeviceChoice::cpu) return std::string("--device cpu uses none");
                   return read_gpus(given, engine.gpus);
                 })
      .prints([this] { return text_of(engine.gpus); })
      .changes(Effect::nothing);
  add_switch(command, "--time-phases", engine.time_phases,
             "Time each phase of a GPU algorithm separately, which is slower as a whole")
      .changes(Effect::nothing);
  add_threads(command, threads);
}

std::string visible_devices(const char* now, const std::vector<int>& gpus) {
  std::vector<std::string> listed;
  if (now != nullptr) listed = split(now, ',');
  listed.erase(
      std::find_if(listed.begin(), listed.end(), [](const auto& one) { return one.starts_with('-'); }),
      listed.end());  // CUDA ends its list at -1
  std::string visible;
  for (const int gpu : gpus) {
    const auto at = static_cast<std::size_t>(gpu);
    if (now != nullptr && at >= listed.size()) return {};
    visible += (visible.empty() ? "" : ",") + (now == nullptr ? std::to_string(gpu) : listed[at]);
  }
  return visible;
}

void AlgorithmOptions::hide_other_gpus() {
  constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  if (engine.device == DeviceChoice::cpu) return;
  const std::string visible = visible_devices(std::getenv(kName), engine.gpus);
  engine.hides_gpus = !visible.empty() && ::setenv(kName, visible.c_str(), 1) == 0;
}

void AlgorithmOptions::check() const {
  if (per_slice && connectivity && is_3d(*connectivity))
    throw Error(ErrorCode::usage,
                number(*connectivity) + "-connectivity and --per-slice cannot be combined; use 4 or 8");
  if (engine.time_phases && engine.device == DeviceChoice::cpu)
    throw Error(ErrorCode::usage, "--time-phases and --device cpu cannot be combined");
  check_options(engine, connectivity);
}

Connectivity AlgorithmOptions::connectivity_for(const Extent& extent, bool can_be_volume,
                                                bool has_per_slice) const {
  const bool volume = extent.depth > 1 && !per_slice;
  const Connectivity chosen = connectivity.value_or(volume ? Connectivity::c26 : Connectivity::c8);
  if (is_3d(chosen) && !can_be_volume)
    throw Error(ErrorCode::usage, number(chosen) + "-connectivity is for volumes; use 4 or 8");
  if (!is_3d(chosen) && volume)
    throw Error(ErrorCode::usage,
                number(chosen) + "-connectivity is for images, but this is a volume of " +
                    std::to_string(extent.depth) + " slices; use 6, 18 or 26" +
                    (has_per_slice ? ", or --per-slice to label each slice separately" : ""));
  check_options(engine, chosen);
  return chosen;
}

/// Parses "3" and "3..7".
static std::optional<io::PageRange> parse_pages(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = parse_number<int>(text.substr(0, dots));
  const auto last = dots == std::string::npos ? first : parse_number<int>(text.substr(dots + 2));
  if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
  return io::PageRange{*first, std::int64_t{*last} + 1};
}

std::string parse_channel(const std::string& given, io::PlaneChoice& planes) {
  planes.channel = parse_number<int>(given);
  planes.channel_name = planes.channel ? "" : given;
  return planes.channel.value_or(0) >= 0 && !given.empty()
             ? std::string()
             : "'" + given + "' is neither an integer of at least 0 nor a name";
}

std::optional<std::string> channel_text(const io::PlaneChoice& planes) {
  if (planes.channel) return std::to_string(*planes.channel);
  return planes.channel_name.empty() ? std::nullopt : std::optional(planes.channel_name);
}

void add_planes(const Command& command, const std::string& prefix, io::PlaneChoice& planes,
                const PlanesHelp& help) {
  const auto add_place = [&](const char* name, std::optional<int>& target, const char* said) {
    add_number(command, prefix + name, target, 0, std::numeric_limits<int>::max(), "N", said);
  };
  if (help.channel != nullptr)
    command
        .add_value(prefix + "channel", "N|NAME", help.channel,
                   [&planes](const std::string& given) { return parse_channel(given, planes); })
        .prints([&planes] { return channel_text(planes); });
  if (help.every_frame == nullptr) {
    add_place("frame", planes.frame, help.frame);
  } else {
    command
        .add_value(prefix + "frame", "N|all", help.frame,
                   [&planes, &every = *help.every_frame](const std::string& given) {
                     every = given == "all";
                     planes.frame = every ? std::nullopt : parse_number<int>(given);
                     return every || planes.frame.value_or(-1) >= 0
                                ? std::string()
                                : "'" + given + "' is not an integer of at least 0, nor all";
                   })
        .prints([&planes, &every = *help.every_frame]() -> std::optional<std::string> {
          if (every) return "all";
          return planes.frame ? std::optional(std::to_string(*planes.frame)) : std::nullopt;
        });
  }
  add_place("series", planes.series, help.series);
  command
      .add_value(prefix + "page", "N[..M]", help.page,
                 [&planes](const std::string& given) {
                   planes.pages = parse_pages(given);
                   return planes.pages
                              ? std::string()
                              : "'" + given + "' is neither a page, such as 0, nor a range, such as 0..9";
                 })
      .prints([&planes]() -> std::optional<std::string> {
        if (!planes.pages) return std::nullopt;
        const auto [first, end] = *planes.pages;
        return std::to_string(first) + (end - first > 1 ? ".." + std::to_string(end - 1) : "");
      });
}

/// Returns none for other text.
static std::optional<io::GivenSpacing> parse_spacing(const std::string& text) {
  std::vector<std::string> words = split(text, ',');
  io::GivenSpacing given;
  if (words.size() > 2 && !parse_number<double>(words.back())) {
    given.unit = io::length_unit(words.back());
    if (given.unit == io::LengthUnit::unknown) return std::nullopt;
    words.pop_back();
  }
  if (words.size() < 2 || words.size() > given.spacing.size()) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<double> length = parse_number<double>(words[i]);
    if (!length || !io::is_spacing(*length)) return std::nullopt;
    given.spacing[i] = *length;
  }
  return given;
}

std::string spacing_text(const io::GivenSpacing& given) {
  std::string text = io::shortest(given.spacing[0]) + "," + io::shortest(given.spacing[1]);
  if (given.spacing[2] > 0) text += "," + io::shortest(given.spacing[2]);
  if (given.unit != io::LengthUnit::unknown) text += "," + std::string(io::name_of(given.unit));
  return text;
}

void add_spacing(const Command& command, std::optional<io::GivenSpacing>& spacing) {
  const Option option = command.add_value(
      "--spacing", "X,Y[,Z][,UNIT]",
      "Pixel size, instead of that of the file; UNIT is nm, um, mm or another length",
      [&spacing](const std::string& given) {
        spacing = parse_spacing(given);
        return spacing
                   ? std::string()
                   : "'" + given + "' is not X,Y or X,Y,Z or X,Y,Z,UNIT, such as 0.2,0.2,1,um; units are " +
                         io::kLengthUnits;
      });
  option.prints([&] { return spacing ? std::optional(spacing_text(*spacing)) : std::nullopt; });
}

void check_spacing(const std::optional<io::GivenSpacing>& given, const io::ImageInfo& input,
                   Connectivity connectivity) {
  const bool is_volume = is_3d(connectivity) && input.extent.depth > 1;
  if (given && given->spacing[2] <= 0 && is_volume && !input.geometry.is_known(3))
    throw Error(ErrorCode::usage,
                "--spacing X,Y does not set the z spacing of a volume; use --spacing X,Y,Z");
}

void add_periodic(const Command& command, PeriodicAxes& periodic, const std::string& help) {
  const Option option = command.add_value("--periodic", "AXES", help, [&periodic](const std::string& given) {
    periodic = {};
    for (const std::string& axis : split(given, ',')) {
      const std::size_t place = std::string_view("xyz").find(axis);
      if (axis.size() != 1 || place == std::string_view::npos)
        return "'" + given + "' is not a comma-separated list of x, y and z";
      if (periodic[place]) return "names " + axis + " twice";
      periodic[place] = true;
    }
    return std::string();
  });
  option.prints([&] { return joined(names_of(periodic)); });
}

std::vector<std::string> names_of(const PeriodicAxes& periodic) {
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < periodic.size(); ++axis)
    if (periodic[axis]) names.emplace_back(1, "xyz"[axis]);
  return names;
}

namespace {

/// Reads a finite number, and its exact value where a double is another number, as beyond 2^53.
bool parse_threshold(const std::string& given, std::optional<double>& threshold,
                     std::optional<io::SampleValue>& whole) {
  threshold = parse_number<double>(given);
  const auto exact = io::SampleValue::parse(given);
  const bool is_rounded = exact && threshold && *exact != io::SampleValue::of(*threshold);
  whole = is_rounded || (threshold && std::abs(*threshold) >= 0x1p53) ? exact : std::nullopt;
  return threshold && std::isfinite(*threshold);
}

std::string text_of(double threshold, const std::optional<io::SampleValue>& whole) {
  return whole ? whole->text() : io::shortest(threshold);
}

Option add_threshold(const Command& command, InputOptions& input) {
  io::ForegroundOptions& foreground = input.foreground;
  const Option option = command.add_value(
      "--threshold", "T|otsu|LOW:HIGH",
      "Set foreground to values above T or Otsu's; LOW:HIGH: above LOW, connected to above HIGH",
      [&input, &foreground](const std::string& given) {
        foreground.otsu = io::lower_case(given) == "otsu";
        input.high.reset();
        input.whole_high.reset();
        const std::size_t colon = given.find(':');
        bool is_good =
            parse_threshold(given.substr(0, colon), foreground.threshold, foreground.whole_threshold);
        if (colon != std::string::npos)
          is_good = parse_threshold(given.substr(colon + 1), input.high, input.whole_high) && is_good;
        if (foreground.otsu) return std::string();
        if (!is_good)
          return "'" + given +
                 (colon == std::string::npos ? "' is not a number, LOW:HIGH or otsu"
                                             : "' is not a range LOW:HIGH of two numbers");
        return input.high && *input.high < *foreground.threshold ? "'" + given + "' has LOW above HIGH"
                                                                 : std::string();
      });
  return option.prints([&input, &foreground]() -> std::optional<std::string> {
    if (foreground.otsu) return "otsu";
    if (!foreground.threshold) return std::nullopt;
    return text_of(*foreground.threshold, foreground.whole_threshold) +
           (input.high ? ":" + text_of(*input.high, input.whole_high) : "");
  });
}

/// Adds --value: one class of a segmentation, or several.
Option add_values(const Command& command, std::vector<io::SampleInterval>& values) {
  const Option option =
      command.add_value("--value", "V|LOW..HIGH[,...]",
                        "Set foreground to these values only, such as one class of a segmentation",
                        [&values](const std::string& given) {
                          for (const std::string& part : split(given, ',')) {
                            const auto value = io::SampleInterval::parse(part);
                            if (!value) return "'" + part + "' is not a number or a range LOW..HIGH";
                            if (value->high < value->low) return "'" + part + "' ends before it begins";
                            values.push_back(*value);
                          }
                          io::sort_and_unite(values);
                          return std::string();
                        });
  return option.prints([&values] {
    std::string text;
    for (const io::SampleInterval& value : values) text += (text.empty() ? "" : ",") + value.text();
    return text.empty() ? std::nullopt : std::optional(text);
  });
}

}  // namespace

io::ForegroundOptions InputOptions::weak_rule() const {
  io::ForegroundOptions weak = foreground;
  if (has_hysteresis() && weak.invert) {  // components are dark, and so are their markers, even more
    weak.threshold = high;
    weak.whole_threshold = whole_high;
  }
  return weak;
}

io::ForegroundOptions InputOptions::strong_rule() const {
  io::ForegroundOptions strong = foreground;
  if (!strong.invert) {
    strong.threshold = high;
    strong.whole_threshold = whole_high;
  }
  return strong;
}

void InputOptions::add_to(const Command& command, const std::string& memory_help) {
  add_stack_to(command);
  add_switch(command, "--invert", foreground.invert, "Swap foreground and background: label dark objects");
  const Option threshold = add_threshold(command, *this);
  add_values(command, foreground.values).excludes(threshold);
  add_choice<bool>(command, "--foreground", foreground.raw, {{"auto", false}, {"raw", true}},
                   "Interpretation of samples; raw: as stored, ignoring the photometric tag [auto]");
  add_reading_to(command, memory_help);
}

void InputOptions::add_for_labels(const Command& command, const std::string& memory_help) {
  add_stack_to(command);
  add_reading_to(command, memory_help);
}

void InputOptions::add_stack_to(const Command& command) {
  command.group("Input");
  add_switch(command, "--stack", stack, "Read a folder as one volume; its files are the slices");
}

void InputOptions::add_reading_to(const Command& command, const std::string& memory_help) {
  add_choice<io::PaletteUse>(
      command, "--palette", palette,
      {{"auto", io::PaletteUse::automatic}, {"index", io::PaletteUse::index}, {"luma", io::PaletteUse::luma}},
      "Read palette images as indices, or as the luma of their colors [auto]");
  const auto add_limit = [&](const char* name, std::int64_t& limit, const std::string& help, Effect effect) {
    add_amount(command, name, limit, help).changes(effect);
  };
  add_limit("--max-pixels", limits.max_pixels, "Reject pages with more pixels [64G]", Effect::run);
  add_limit("--max-dim", limits.max_dim, "Reject longer axes [2147483647]", Effect::run);
  add_limit("--max-pages", limits.max_pages, "Reject inputs with more slices [1000000]", Effect::run);
  command
      .add_value("--formats", "FORMAT[,...]|any",
                 "Formats allowed, whatever the extension [the one of the extension]",
                 [this](const std::string& given) -> std::string {
                   try {
                     limits.formats = io::formats_of_words(given);
                     return "";
                   } catch (const Error& error) {
                     return error.what();
                   }
                 })
      .prints([this] {
        return joined({limits.formats.begin(), limits.formats.end()});
      })
      .changes(Effect::run);
  add_switch(command, "--follow", limits.follow, "Follow names and links that lead out of the input's folder")
      .changes(Effect::run);
  add_memory(command, limits.memory, memory_help).changes(Effect::nothing);
}

Option add_memory(const Command& command, std::int64_t& memory, const std::string& help) {
  return add_amount(command, "--memory", memory, help + " [three quarters of the available memory]");
}

Option add_round(const Command& command, bool& round, const std::string& help) {
  return add_switch(command, "--round", round, help);
}

}  // namespace gpuccl::app
