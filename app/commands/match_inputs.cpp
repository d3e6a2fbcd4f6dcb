#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/label/batch/find_inputs.hpp"
#include "app/label/label_options.hpp"
#include "app/label/label_paths.hpp"
#include "app/options/command_line.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/parts.hpp"
#include "io/files/file_error.hpp"
#include "io/image/limits.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {
namespace {

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i + 1;
  return ids;
}

constexpr std::size_t kManyValues = 32;

/// Returns whether values are spread as those of a photograph are, or nested as those of a probability map:
/// on average, the bounding box of each is a large part of the box of all.
bool are_spread(const Components& components) {
  constexpr double kLarge = 0.2;
  const auto elements_of = [](const Box& box) {
    double elements = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) elements *= box.max[axis] - box.min[axis] + 1;
    return elements;
  };
  Box all{{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
  double boxes = 0;
  for (const Box& box : components.box) {
    boxes += elements_of(box);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all.min[axis] = std::min(all.min[axis], box.min[axis]);
      all.max[axis] = std::max(all.max[axis], box.max[axis]);
    }
  }
  const auto count = static_cast<double>(components.size());
  return components.size() >= kManyValues && boxes > kLarge * count * elements_of(all);
}

/// Returns whether a large image has short runs, as noise has: counting its pieces takes longer than a match.
bool is_large_noise(const LabelRows& labels) {
  constexpr std::int64_t kLarge = 1 << 22, kRows = 64;
  constexpr double kShort = 4;
  if (labels.extent().elements() <= kLarge) return false;
  const std::int64_t rows = std::min(kRows, labels.extent().rows());
  LabelRuns sample;
  labels.list_runs((labels.extent().rows() - rows) / 2, rows, sample, nullptr);
  double elements = 0;
  for (const LabelRun& run : sample.runs) elements += run.end - run.begin;
  return elements < kShort * static_cast<double>(sample.runs.size());
}

/// Returns whether few values have many connected pieces each, as classes have. `max_bytes`: to count them.
bool are_classes(const LabelRows& labels, const Components& components, std::int64_t max_bytes) {
  constexpr double kManyPieces = 8;
  if (components.size() < 2 || components.size() >= kManyValues) return false;
  if (labels.prepare(0, 1) < labels.extent().rows()) return false;  // in slabs: reading again takes long
  if (is_large_noise(labels)) return false;
  MeasureRequest request;
  request.wanted[static_cast<std::size_t>(MeasureId::components)] = true;
  request.connectivity = labels.extent().depth > 1 ? Connectivity::c26 : Connectivity::c8;
  request.labels_touch = request.in_pieces = true;
  request.max_bytes = max_bytes;
  double pieces = 0;
  try {
    const MeasureTable measured = measure(labels, components, request);
    for (std::size_t i = 0; i < components.size(); ++i)
      pieces += measured.values(components, i)[MeasureId::components];
  } catch (const Error&) {  // memory: no hint
  }
  return pieces >= kManyPieces * static_cast<double>(components.size());
}

/// Returns the options of labeling that find the objects.
LabelOptions label_options(const ObjectOptions& objects, std::optional<int> frame) {
  LabelOptions options;
  options.values.by_values = !objects.label;
  options.values.objects = !objects.label && !objects.per_value;
  options.values.are_classes = objects.per_value;
  options.values.round = objects.round;
  options.algorithm = objects.components;
  options.algorithm.engine.device = DeviceChoice::cpu;
  options.planes = objects.planes;
  if (frame) options.planes.frame = frame;
  options.input.limits.memory =
      std::max<std::int64_t>(1, io::memory_limit({.memory = objects.memory}) / 8 * objects.share);
  options.resolve();
  return options;
}

}  // namespace

void ObjectOptions::add_to(const Command& command) {
  add_switch(command, "--label", label, "Label the inputs first: they are masks, not labels");
  add_switch(command, "--per-value", per_value,
             "Score class by class: values are classes, and their components are objects");
  add_memory(command, memory, "Memory limit; larger images are read in slabs");
  add_round(command, round).excludes("--label", "masks have no labels to round");
  add_connectivity(command, components.connectivity);
  add_planes(command, "--", planes,
             {nullptr, "Time point to read, from 0, or all", "Image to read of a TIFF with several, from 0",
              "Page or slice to read, or a range of them, from 0", &every_frame});
}

void ObjectOptions::add_folders_to(const Command& command) {
  command.add_value("--channel", "N|NAME=N,...",
                    "Channel to read, from 0, of both images or of truth=N,prediction=N; also by name",
                    [this](const std::string& given) { return parse_channels(given); });
  add_switch(command, "--recursive", recursive, "Search folders for images with all their folders");
}

std::string ObjectOptions::parse_channels(const std::string& given) {
  const std::string names[] = {"truth=", "prediction="};
  prediction_channel.reset();
  if (!given.starts_with(names[0]) && !given.starts_with(names[1])) return parse_channel(given, planes);
  const bool first = given.starts_with(names[1]);
  const std::size_t comma = given.find("," + names[first ? 0 : 1]);
  prediction_channel.emplace();  // without a channel of its own, that of a file with one
  const auto parse = [&](const std::string& word, bool second) {
    return parse_channel(word.substr(names[second ? 1 : 0].size()), second ? *prediction_channel : planes);
  };
  std::string problem = parse(given.substr(0, comma), first);
  return problem.empty() && comma != std::string::npos ? parse(given.substr(comma + 1), !first) : problem;
}

ObjectOptions ObjectOptions::of(bool prediction) const {
  ObjectOptions one = *this;
  if (!prediction || !prediction_channel) return one;
  one.planes.channel = prediction_channel->channel;
  one.planes.channel_name = prediction_channel->channel_name;
  return one;
}

void ObjectOptions::check() const {
  if (label && per_value)
    throw Error(ErrorCode::usage,
                "--label and --per-value cannot be combined: --per-value labels each value");
  if (components.connectivity && !label && !per_value)
    throw Error(ErrorCode::usage, "--connectivity is for masks and classes; add --label or --per-value");
  if (label || per_value) components.check();
}

Objects read_objects(const std::string& path, const ObjectOptions& options, std::optional<int> frame,
                     const std::shared_ptr<io::KeptInputs>& kept) {
  return io::with_path(path, [&] {
    Objects objects;
    LabelPaths files;
    files.input = path;
    files.kept = kept;
    objects.source = std::make_unique<LabeledImage>(files, label_options(options, frame),
                                                    [](const auto&... about) { print_warning(about...); });
    LabeledImage& source = *objects.source;
    objects.extent = source.input().extent();
    objects.connectivity = source.input().connectivity();
    objects.geometry = source.input().info().geometry;
    PartResult found = source.label();
    objects.labels = std::move(found.labels.labels);
    objects.components = std::move(found.components);
    const Components& components = objects.components;
    const PartLabeler& piece = source.piece();
    const bool are_objects = source.options().values.objects;
    if (options.label && piece.report().first_values.size() > 2)
      print_warning(path,
                    "has more than two values, and --label takes every nonzero pixel as foreground; remove "
                    "--label if values are labels, use --per-value instead if they are classes, or match "
                    "label images of 'gpuccl label --threshold T' without --label");
    if (are_objects && are_spread(components))
      print_warning(path,
                    "its " + counted(components.size(), "value") +
                        " are spread over the image, as in a photograph or probability map; match label "
                        "images of 'gpuccl label', masks with --label or classes with --per-value");
    const auto left =
        static_cast<std::int64_t>(static_cast<double>(source.options().input.limits.memory) / 2);
    if (are_objects && are_classes(*objects.labels, components, left))
      print_warning(path, "its " + counted(components.size(), "value") +
                              " have many connected pieces each, as classes have, and each value is one "
                              "object; --per-value makes each piece an object");
    if (options.per_value && components.size() >= kManyValues) {
      const std::set<std::uint64_t> values(found.values.begin(), found.values.end());
      if (values.size() >= kManyValues && components.size() >= 8 * values.size())
        print_warning(path,
                      "its " + counted(values.size(), "value") +
                          " have many connected pieces each, as in a probability map; match label images "
                          "of 'gpuccl label --threshold T'");
    }
    constexpr std::int64_t kMinElements = 4096;  // of a hint, because anything is likely in less
    if (const std::int64_t all = objects.extent.elements();
        all >= kMinElements && static_cast<std::int64_t>(piece.report().foreground) == all) {
      const std::set<std::uint64_t> distinct(found.values.begin(), found.values.end());
      if (distinct.size() == 2) objects.without_background.assign(distinct.begin(), distinct.end());
      if (components.size() == 1)
        print_warning(path, "every pixel is foreground, so the image is one object; check the input");
    }
    objects.areas.assign(components.area.begin(), components.area.end());
    std::vector<std::uint64_t> values(found.values.begin(), found.values.end());
    objects.ids = are_objects ? values : numbers(components.size());
    if (options.per_value) objects.classes = std::move(values);
    objects.bytes = piece.budget().needed(piece.budget().writing(0));
    return objects;
  });
}

void warn_of_grids(const std::string& a, const io::Geometry& of_a, const std::string& b,
                   const io::Geometry& of_b, const Extent& extent, const std::string& what) {
  const std::string_view other = io::grid_difference(of_a, of_b, extent);
  if (!other.empty())
    print_warning(b, "has another " + std::string(other) + " than " + display_name(a) + "; " + what +
                         " are compared by index, not by position");
}

int count_frames(const std::string& path, const ObjectOptions& options, const std::string& option) {
  io::ReadOptions read;
  read.planes = options.planes;
  if (!options.label) read.palette = io::PaletteUse::index;
  read.values = {io::ValueRule::Kind::labels, options.round};
  return io::with_path(path, [&] { return io::count_frames(path, read, option); });
}

namespace {

/// Returns the error of a file whose partner is missing. `folder`: the folder without it.
io::FileError without_partner(const ImagePair& pair, const NamePattern& pattern, const std::string& folder,
                              bool has_pattern) {
  const bool no_truth = pair.truth.empty();
  const std::string& path = no_truth ? pair.prediction : pair.truth;
  const std::optional<std::string> missing = no_truth ? pair.name : pattern.name_for(pair.name);
  if (!missing)
    return {path, ErrorCode::no_input,
            "has a name that does not match " + pattern.from() + ", the pattern of --prediction-name"};
  return {path, ErrorCode::no_input,
          "has no partner called '" + *missing + "' in " + folder +
              (has_pattern ? "" : "; --prediction-name pairs other names")};
}

/// Returns the pairs of two folders. A file without a partner, or one of two with its name, is a failure of
/// its own.
FoundPairs pairs_of_folders(const std::string& truth, const std::string& prediction,
                            const std::string& prediction_name, bool recursive) {
  const NamePattern pattern(prediction_name);
  std::map<std::string, ImagePair> pairs;
  std::map<std::string, io::FileError> ambiguous;  // names that several files have
  const auto add = [&](const std::string& name, const std::string& path, std::string ImagePair::*place) {
    ImagePair& pair = pairs[name];
    pair.name = name;
    if (!(pair.*place).empty()) ambiguous.emplace(name, two_of_a_name(path, pair.*place));
    pair.*place = path;
  };
  for (const BatchInput& input : images_in(truth, recursive)) add(input.name, input.path, &ImagePair::truth);
  for (const BatchInput& input : images_in(prediction, recursive, true))  // without images, each truth fails
    if (const std::optional<std::string> name = pattern.name_before(input.name))  // else another image
      add(*name, input.path, &ImagePair::prediction);
  FoundPairs found{.is_batch = true};
  for (const auto& [name, pair] : pairs) {
    if (const auto error = ambiguous.find(name); error != ambiguous.end())
      found.fail(name, {}, error->second);
    else if (!pair.truth.empty() && !pair.prediction.empty())
      found.pairs.push_back(pair);
    else
      found.fail(
          name, {},
          without_partner(pair, pattern, pair.truth.empty() ? truth : prediction, !prediction_name.empty()));
  }
  return found;
}

/// Adds a pair for each time point. One of both may be a folder with an image for each.
void add_frames(const ImagePair& pair, const ObjectOptions& objects, std::vector<ImagePair>& frames) {
  std::array<std::vector<BatchInput>, 2> stills;
  std::array<int, 2> counts{};
  for (const bool second : {false, true}) {
    const io::Source source = second ? pair.prediction : pair.truth;
    if (source.is_folder) stills[second] = images_in(source, objects.recursive);
    counts[second] = source.is_folder ? static_cast<int>(stills[second].size())
                                      : count_frames(source, objects.of(second), "--frame all");
  }
  if (counts[0] != counts[1])
    throw io::FileError(pair.prediction, ErrorCode::data,
                        "has " + counted(static_cast<std::uint64_t>(counts[1]), "time point") + ", but " +
                            display_name(pair.truth) + " has " + std::to_string(counts[0]));
  for (int frame = 0; frame < counts[0]; ++frame) {
    ImagePair& one = frames.emplace_back(ImagePair{pair.name, pair.truth, pair.prediction, frame});
    for (const bool second : {false, true})
      if (!stills[second].empty())
        one.still = (second ? one.prediction : one.truth) =
            stills[second][static_cast<std::size_t>(frame)].path;
  }
}

}  // namespace

io::FileError two_of_a_name(const std::string& path, const std::string& other) {
  return {path, ErrorCode::usage,
          "differs from " + display_name(other) + " only in the extension; move one of them elsewhere"};
}

void FoundPairs::fail(const std::string& name, std::optional<int> frame, const io::FileError& error) {
  codes.insert(report_failure(error));
  failed.push_back({name, frame, error});
}

void FoundPairs::attempt(const ImagePair& pair, const std::function<void()>& work) {
  if (!is_batch) return work();
  if (const std::optional<io::FileError> error = error_in(pair.truth, work))
    fail(pair.name, pair.frame, *error);
}

FoundPairs find_pairs(const io::Source& truth, const io::Source& prediction,
                      const std::string& prediction_name, const ObjectOptions& objects) {
  std::error_code unknown;
  const bool are_folders =
      truth.is_folder && (prediction.is_folder || (prediction.is_store && !objects.every_frame));
  for (const auto& [one, other] : {std::tie(truth, prediction), std::tie(prediction, truth)})
    if (other.is_folder && !(one.is_folder || one.is_store)) {
      const bool exists = one.is_stream || std::filesystem::exists(io::split_input(one.path).file, unknown);
      if (exists && objects.every_frame) continue;
      throw io::FileError(one, ErrorCode::no_input,
                          exists ? "is no folder, but the other is; --frame all matches its time points with "
                                   "the images of the folder"
                                 : "no such folder");
    }
  if (!are_folders && !prediction_name.empty())
    throw Error(ErrorCode::usage, "--prediction-name is for two folders");
  if (objects.recursive && !truth.is_folder && !prediction.is_folder)
    throw Error(ErrorCode::usage, "--recursive is for folders");
  FoundPairs found = are_folders ? pairs_of_folders(truth, prediction, prediction_name, objects.recursive)
                                 : FoundPairs{.pairs = {{"", truth, prediction}}};
  if (!objects.every_frame) return found;
  std::vector<ImagePair> frames;
  for (const ImagePair& pair : found.pairs) found.attempt(pair, [&] { add_frames(pair, objects, frames); });
  found.pairs = std::move(frames);
  return found;
}

}  // namespace gpuccl::app
