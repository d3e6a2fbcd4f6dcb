#include "app/bench/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/bench/generate.hpp"
#include "gpuccl/types.hpp"
#include "io/files/file_names.hpp"
#include "io/files/number_text.hpp"
#include "io/image/formats.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::bench {
namespace {

/// Returns the number of images: as in the papers for sweeps, otherwise few, so that all algorithms take
/// only minutes.
int images_a_set(const Request& request, Axis axis) {
  return request.images.value_or(axis == Axis::none ? 3 : 10);
}

template <class T>
std::vector<T> given_or(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

/// Returns the sizes in 2D, in 3D, or both, depending on the connectivity.
std::vector<Extent> extents(const Request& request, std::vector<Extent> in_2d,
                            const std::vector<Extent>& in_3d) {
  if (request.connectivity) return is_3d(*request.connectivity) ? in_3d : in_2d;
  in_2d.insert(in_2d.end(), in_3d.begin(), in_3d.end());
  return in_2d;
}

/// Returns squares from 32x32 to `largest`, each twice as wide as the one before.
std::vector<Extent> squares(int largest) {
  std::vector<Extent> sizes;
  for (int side = 32; side <= largest; side *= 2) sizes.push_back({side, side, 1});
  return sizes;
}

std::vector<double> tenths(int first, int last) {
  std::vector<double> densities;
  for (int tenth = first; tenth <= last; ++tenth) densities.push_back(tenth / 10.0);
  return densities;
}

/// Default parameters of the experiments: the papers' ranges, so that curves can be compared with
/// theirs.
struct Ranges {
  Axis axis = Axis::none;
  std::vector<Extent> sizes;
  std::vector<double> densities;
  std::vector<int> granularities;
};

std::vector<Ranges> default_ranges(const Request& request) {
  const std::vector<Extent> usual = extents(request, {{2048, 2048, 1}}, {{256, 256, 256}});
  const std::vector<int> few = {1, 4, 16};
  switch (request.test) {
    case Test::average:
    case Test::steps:
    case Test::memory:
    case Test::host:
    case Test::blocks:
    case Test::cca:
      break;
    case Test::density:
      return {{Axis::density, usual, tenths(0, 10), few}};
    case Test::iterations:
      return {{Axis::density, usual, tenths(0, 10), {1}}};
    case Test::granularity: {
      std::vector<int> all(16);
      std::iota(all.begin(), all.end(), 1);
      return {{Axis::granularity, usual, {0.5}, all}};
    }
    case Test::size:
      return {{Axis::size,
               extents(request, squares(8192),
                       {{32, 32, 32}, {64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512}}),
               {0.5},
               few}};
    case Test::work: {
      const std::vector<Extent> volumes = {{32, 32, 32}, {64, 64, 64}, {128, 128, 128}, {256, 256, 256}};
      const bool is_volume = request.connectivity && is_3d(*request.connectivity);
      return {{Axis::size, is_volume ? volumes : squares(4096), {0.5}, {1}},
              {Axis::density, {is_volume ? volumes.back() : Extent{2048, 2048, 1}}, tenths(1, 9), {1}}};
    }
  }
  return {{Axis::none, usual, {0.1, 0.5}, {1, 8}}};
}

/// Replaces defaults by requested parameters. If none of them varies then, there is one series.
std::vector<Ranges> ranges(const Request& request) {
  std::vector<Ranges> all = default_ranges(request);
  if (all.size() > 1 && (!request.sizes.empty() || !request.densities.empty())) {
    const bool by_size = request.sizes.size() > 1 || request.densities.size() == 1;
    std::erase_if(all, [&](const Ranges& one) { return (one.axis == Axis::size) != by_size; });
  }
  for (Ranges& one : all) {
    one.sizes = given_or(request.sizes, one.sizes);
    one.densities = given_or(request.densities, one.densities);
    one.granularities = given_or(request.granularities, one.granularities);
  }
  return all;
}

std::vector<Input> random_inputs(const GenerateOptions& first, int images) {
  std::vector<Input> inputs;
  GenerateOptions options = first;
  for (int i = 0; i < images; ++i, ++options.seed)
    inputs.push_back(
        {fmt::format("random image of seed {}", options.seed), [options] { return generate(options); }});
  return inputs;
}

void check(const Request& request, const std::vector<Extent>& sizes) {
  if (!request.connectivity) return;
  for (const Extent& size : sizes)
    if (is_3d(*request.connectivity) != (size.depth > 1))
      throw Error(ErrorCode::usage, fmt::format("{}-connectivity is for {}, and a size is {}",
                                                static_cast<int>(*request.connectivity),
                                                is_3d(*request.connectivity) ? "volumes" : "images",
                                                size.depth > 1 ? "a volume's" : "an image's"));
}

}  // namespace

std::string name(Test test) {
  for (const auto& [known, name] : kTests)
    if (known == test) return name;
  return {};
}

std::string name(Axis axis) {
  constexpr const char* kNames[] = {"none", "density", "granularity", "size"};
  return kNames[static_cast<int>(axis)];
}

bool is_sweep(Test test) { return test == Test::density || test == Test::granularity || test == Test::size; }

bool is_counted(Test test) { return test == Test::memory || test == Test::work; }

std::vector<ImageSet> random_image_sets(const Request& request) {
  std::vector<ImageSet> sets;
  GenerateOptions options;
  options.seed = request.seed;
  for (const Ranges& one : ranges(request)) {
    check(request, one.sizes);
    for (const Extent& size : one.sizes)
      for (const int granularity : one.granularities)
        for (const double density : one.densities) {
          options.extent = size;
          options.granularity = granularity;
          options.density = density;
          sets.push_back({{"random", size, density, granularity, one.axis},
                          random_inputs(options, images_a_set(request, one.axis))});
        }
  }
  return sets;
}

namespace {

bool allowed(DeviceKind device, DeviceChoice choice) {
  return choice == DeviceChoice::automatic || (choice == DeviceChoice::cuda) == (device == DeviceKind::cuda);
}

bool has_connectivity(const Algorithm& algorithm, const std::optional<Connectivity>& connectivity) {
  return !connectivity || find_variant(algorithm, *connectivity) != nullptr;
}

bool is_part_of(const Algorithm& algorithm, Test test) {
  return test != Test::iterations || !iterated_phase(algorithm).empty();
}

/// Returns true for algorithms whose iterations grow with component length: hours at the default sizes.
bool is_slow(const Algorithm* algorithm) { return algorithm->name == "ep" || algorithm->name == "fb"; }

std::string known_names(const std::vector<Algorithm>& table) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : table)
    if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) names.push_back(algorithm.name);
  std::string list = "all";
  for (const std::string& name : names) list += ", " + name;
  return list;
}

/// Returns the error for an algorithm that was named and cannot be measured.
Error refusal(const std::string& name, const Request& request, const std::vector<Algorithm>& table) {
  const auto named = [&](const Algorithm& algorithm) { return algorithm.name == name; };
  const auto on_device = [&](const Algorithm& algorithm) {
    return named(algorithm) && allowed(algorithm.device, request.device);
  };
  if (std::none_of(table.begin(), table.end(), named) && is_counted(request.test))
    return {ErrorCode::usage, "--test " + bench::name(request.test) + " does not count for '" + name +
                                  "' but for " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), named) && request.test == Test::blocks)
    return {ErrorCode::usage,
            "--test blocks has no other thread blocks for '" + name + "' but for " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), named))
    return {ErrorCode::usage, "no algorithm '" + name + "'; there are " + known_names(table)};
  if (std::none_of(table.begin(), table.end(), on_device))
    return {ErrorCode::usage, request.device == DeviceChoice::cpu
                                  ? name + " runs only on a GPU; use --device cuda or auto"
                                  : name + " runs only on the CPU; use --device cpu or auto"};
  if (std::none_of(table.begin(), table.end(), [&](const Algorithm& algorithm) {
        return on_device(algorithm) && is_part_of(algorithm, request.test);
      }))
    return {ErrorCode::usage, name + " does not iterate, so --test iterations has nothing to count"};
  return {ErrorCode::usage, fmt::format("{} does not label {}-connectivity; see 'gpuccl list'", name,
                                        static_cast<int>(*request.connectivity))};
}

/// Returns the rows of the table that the request names, whether or not there is a GPU.
std::vector<const Algorithm*> asked_for(const Request& request, const std::vector<Algorithm>& table) {
  std::vector<const Algorithm*> chosen;
  const auto add = [&](const auto& is_meant) {
    const std::size_t before = chosen.size();
    for (const Algorithm& algorithm : table)
      if (is_meant(algorithm) && allowed(algorithm.device, request.device) &&
          has_connectivity(algorithm, request.connectivity) && is_part_of(algorithm, request.test) &&
          std::find(chosen.begin(), chosen.end(), &algorithm) == chosen.end())
        chosen.push_back(&algorithm);
    return chosen.size() > before;
  };
  if (request.algorithms.empty()) add([](const Algorithm&) { return true; });
  for (const std::string& name : request.algorithms) {
    const auto is_named = [&](const Algorithm& algorithm) { return name == "all" || algorithm.name == name; };
    const bool given_before = std::any_of(chosen.begin(), chosen.end(),
                                          [&](const Algorithm* algorithm) { return is_named(*algorithm); });
    if (!add(is_named) && !given_before && name != "all") throw refusal(name, request, table);
  }
  return chosen;
}

bool is_named(const Request& request, const Algorithm* algorithm) {
  return std::find(request.algorithms.begin(), request.algorithms.end(), algorithm->name) !=
         request.algorithms.end();
}

/// Removes GPU algorithms if no GPU can be used.
void remove_gpu_algorithms(const Request& request, const AskForGpu& problem_of_gpu,
                           ChosenAlgorithms& result) {
  std::vector<const Algorithm*>& chosen = result.algorithms;
  const auto on_gpu = [](const Algorithm* algorithm) { return algorithm->device == DeviceKind::cuda; };
  const auto on_cpu = [](const Algorithm* algorithm) { return algorithm->device == DeviceKind::cpu; };
  if (std::none_of(chosen.begin(), chosen.end(), on_gpu)) return;
  const std::string problem = problem_of_gpu();
  if (problem.empty()) return;

  const auto is_measured_on_cpu = [&](const Algorithm* algorithm) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Algorithm* other) {
      return on_cpu(other) && other->name == algorithm->name;
    });
  };
  for (const Algorithm* algorithm : chosen) {
    if (!on_gpu(algorithm)) continue;
    if (is_named(request, algorithm) && is_measured_on_cpu(algorithm)) continue;  // as it was meant
    result.left_out.push_back(algorithm->name);
    if (is_named(request, algorithm)) result.named_are_left_out = true;
  }
  std::erase_if(chosen, on_gpu);
  if (request.device == DeviceChoice::cuda || chosen.empty()) throw Error(ErrorCode::unavailable, problem);
  result.problem = problem;
}

}  // namespace

ChosenAlgorithms choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                   const AskForGpu& problem_of_gpu) {
  ChosenAlgorithms result;
  result.algorithms = asked_for(request, table);
  remove_gpu_algorithms(request, problem_of_gpu, result);
  std::vector<const Algorithm*>& chosen = result.algorithms;
  if (!std::all_of(chosen.begin(), chosen.end(), is_slow))
    std::erase_if(chosen, [&](const Algorithm* algorithm) {
      return is_slow(algorithm) && !is_named(request, algorithm);
    });
  return result;
}

std::string describe_left_out(const std::vector<std::string>& left_out, const std::string& problem) {
  if (left_out.empty()) return {};
  std::string names;
  for (const std::string& name : left_out) names += (names.empty() ? "" : ", ") + name;
  return "not measured on a GPU (" + problem + "): " + names;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "files.txt";

std::string dataset_name(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal.filename().string() : normal.parent_path().filename().string();
}

/// How the images of a dataset are read.
struct Reading {
  const io::ReadOptions& options;
  const Look& look;
};

Input image(const fs::path& path, const Reading& reading) {
  std::error_code unknown;  // a path that cannot be looked at is reported when it is opened
  const io::Source source(path.string(), fs::is_directory(path, unknown));
  return {path.string(), [source, options = reading.options, look = reading.look] {
            const std::unique_ptr<io::Reader> reader = io::open_reader(source, options);
            const Extent extent = reader->info().extent;
            BitVolume read(extent);
            reader->read(0, extent.depth, read);
            if (look) look(*reader, read.view());
            return read;
          }};
}

/// The lines of YACCLAB's list, without what Windows editors add.
std::vector<std::string> listed_names(const fs::path& list) {
  std::ifstream file(list);
  if (!file) throw Error(ErrorCode::no_input, list.string() + " cannot be read");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const std::string_view name = io::without_byte_order_mark(line);
    const std::size_t last = name.find_last_not_of(" \t\r");
    if (last != std::string::npos) names.emplace_back(name.substr(0, last + 1));
  }
  return names;
}

ImageSet yacclab_dataset(const fs::path& folder, const Reading& reading) {
  ImageSet dataset{{dataset_name(folder)}};
  for (const std::string& name : listed_names(folder / kList))
    dataset.inputs.push_back(image(folder / name, reading));
  return dataset;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code problem;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    paths.push_back(at->path());
  if (problem)
    throw Error(ErrorCode::no_input, folder.string() + " cannot be read (" + problem.message() + ")");
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
    return io::natural_less(a.filename().string(), b.filename().string());
  });
  return paths;
}

/// Loose images go to `loose`, subfolders with a list become datasets. Links to folders are not followed:
/// they may lead back.
void walk(const fs::path& folder, const Reading& reading, ImageSet& loose, std::vector<ImageSet>& datasets) {
  for (const fs::path& path : entries(folder)) {
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) {
      if (fs::is_symlink(path, unknown)) continue;
      if (fs::exists(path / kList, unknown)) {
        datasets.push_back(yacclab_dataset(path, reading));
      } else {
        walk(path, reading, loose, datasets);
      }
    } else if (io::is_image_name(path.filename())) {
      loose.inputs.push_back(image(path, reading));
    }
  }
}

}  // namespace

std::vector<ImageSet> read_datasets(const io::Source& source, const io::ReadOptions& options,
                                    std::optional<int> most, const Look& look) {
  const std::string& path = source;
  if (!fs::exists(path)) throw Error(ErrorCode::no_input, "no such file or folder");
  const Reading reading{options, look};
  std::vector<ImageSet> datasets;
  if (source.is_stack || !(source.is_folder || source.is_store)) {
    datasets.push_back({{dataset_name(path)}, {image(path, reading)}});
  } else if (fs::exists(fs::path(path) / kList)) {
    datasets.push_back(yacclab_dataset(path, reading));
  } else {
    ImageSet loose{{dataset_name(path)}};
    walk(path, reading, loose, datasets);
    if (!loose.inputs.empty()) datasets.insert(datasets.begin(), std::move(loose));
  }
  std::erase_if(datasets, [](const ImageSet& dataset) { return dataset.inputs.empty(); });
  if (datasets.empty()) throw Error(ErrorCode::no_input, "no PNG or TIFF files in this folder");
  if (most)
    for (ImageSet& dataset : datasets)
      if (dataset.inputs.size() > static_cast<std::size_t>(*most))
        dataset.inputs.resize(static_cast<std::size_t>(*most));
  return datasets;
}

}  // namespace gpuccl::bench
