#include <utility>

#include "app/commands/match.hpp"
#include "app/common/messages.hpp"
#include "app/label/hints.hpp"
#include "app/options/command_line.hpp"
#include "app/options/input_options.hpp"
#include "app/options/option_helpers.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/objects.hpp"
#include "gpuccl/values.hpp"
#include "io/files/file_error.hpp"
#include "io/read/intensity_reader.hpp"
#include "io/read/label_reader.hpp"
#include "io/read/one_image.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::app {
namespace {

io::ReadOptions read_options(const std::string& path, const ObjectOptions& options,
                             std::optional<int> frame) {
  io::ReadOptions read;
  read.planes = options.planes;
  if (frame) read.planes.frame = frame;
  if (!options.label) read.palette = io::PaletteUse::index;
  read.warn = [path](const std::string& line) { print_warning(path, line); };
  return read;
}

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i + 1;
  return ids;
}

/// Adds areas and centroids.
void add_places(const Components& components, Objects& objects) {
  objects.areas.assign(components.area.begin(), components.area.end());
  for (std::size_t i = 0; i < components.size(); ++i)
    objects.centroids.push_back(
        {components.centroid(i, 0), components.centroid(i, 1), components.centroid(i, 2)});
}

Objects components_of(const std::string& path, const io::ReadOptions& read, const AlgorithmOptions& options) {
  io::ImageInfo info;
  // Labels refer to the bits, so they are rendered as an image of their own.
  const BitVolume bits = io::read_image(path, read, &info);
  EngineOptions on_cpu;
  on_cpu.device = DeviceChoice::cpu;
  Engine engine(on_cpu, {});
  const Labeled labeled =
      engine.label(bits.view(), options.connectivity_for(info.extent, info.format != "png"));
  Objects objects{info.extent, info.geometry, std::make_unique<LabelImage>(render_all(*labeled.labels))};
  objects.ids = numbers(labeled.components.size());
  add_places(labeled.components, objects);
  return objects;
}

Objects values_of(const std::string& path, const io::ReadOptions& read, const ObjectOptions& options) {
  const std::unique_ptr<io::Reader> reader = io::open_reader(path, read);
  const io::ImageInfo info = reader->info();
  const ValueType type = reader->value_type();
  ValueImage image = reader->read_values(0, info.extent.depth, 0);
  if (image.any_nan()) read.warn(io::kHintOfNan);
  LabeledValues labeled =
      options.per_value ? label_values(std::move(image),
                                       options.components.connectivity_for(info.extent, info.format != "png"))
                        : label_by_value(std::move(image));
  Objects objects{info.extent, info.geometry, std::move(labeled.labeled.labels)};
  const Components& components = labeled.labeled.components;
  add_places(components, objects);
  const std::string scattered =
      hint_of_scattered(components.size(), pixels_of_boxes(components), info.extent);
  if (!options.per_value && !scattered.empty()) read.warn(scattered);
  std::vector<std::uint64_t> values = object_ids(type, labeled.values);
  objects.ids = options.per_value ? numbers(values.size()) : values;
  if (options.per_value) objects.classes = std::move(values);
  return objects;
}

}  // namespace

void ObjectOptions::add_to(const Command& command) {
  add_switch(command, "--label", label, "Label the inputs first: they are masks, not labels");
  add_switch(command, "--per-value", per_value,
             "Score class by class: values are classes, and their components are objects");
  add_connectivity(command, components.connectivity);
  add_planes(command, "--", planes,
             {"Channel to read, from 0", "Time point to read, from 0, or all",
              "Image to read of a TIFF with several, from 0",
              "Page or slice to read, or a range of them, from 0", &every_frame});
}

void ObjectOptions::check() const {
  if (label && per_value)
    throw Error(Failure::usage, "--label and --per-value cannot be combined: --per-value labels each value");
  if (components.connectivity && !label && !per_value)
    throw Error(Failure::usage, "--connectivity is for masks and classes; add --label or --per-value");
  if (label || per_value) components.check();
}

Objects read_objects(const std::string& path, const ObjectOptions& options, std::optional<int> frame) {
  return io::with_path(path, [&] {
    const io::ReadOptions read = read_options(path, options, frame);
    return io::open_with_every_frame([&] {
      return options.label ? components_of(path, read, options.components) : values_of(path, read, options);
    });
  });
}

int count_frames(const std::string& path, const ObjectOptions& options) {
  io::ReadOptions read = read_options(path, options, {});
  read.warn = nullptr;
  return io::with_path(path, [&] { return io::count_frames(path, read); });
}

}  // namespace gpuccl::app
