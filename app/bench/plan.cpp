#include "app/bench/plan.hpp"

#include <fmt/core.h>

#include <numeric>

#include "app/bench/generate.hpp"
#include "gpuccl/types.hpp"

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
          sets.push_back({"random", size, density, granularity,
                          random_inputs(options, images_a_set(request, one.axis)), one.axis});
        }
  }
  return sets;
}

}  // namespace gpuccl::bench
