#include "app/bench/plan.hpp"

#include <utility>

#include "gpuccl/error.hpp"
#include "gpuccl/generate.hpp"

namespace gpuccl::bench {
namespace {

constexpr int kImagesAPoint = 10;

template <class T>
std::vector<T> given_or(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

/// 2D, 3D or both, as the connectivity asks for.
std::vector<Extent> extents(const Request& request, std::vector<Extent> in_2d,
                            const std::vector<Extent>& in_3d) {
  if (request.connectivity) return is_3d(*request.connectivity) ? in_3d : in_2d;
  in_2d.insert(in_2d.end(), in_3d.begin(), in_3d.end());
  return in_2d;
}

std::vector<Extent> default_sizes(const Request& request) {
  if (request.test != Test::size) return extents(request, {{2048, 2048, 1}}, {{256, 256, 256}});
  return extents(
      request,
      {{256, 256, 1}, {512, 512, 1}, {1024, 1024, 1}, {2048, 2048, 1}, {4096, 4096, 1}, {8192, 8192, 1}},
      {{64, 64, 64}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512}});
}

std::vector<double> default_densities(const Request& request) {
  switch (request.test) {
    case Test::density:
    case Test::iterations: {
      std::vector<double> every_tenth;
      for (int tenth = 0; tenth <= 10; ++tenth) every_tenth.push_back(tenth / 10.0);
      return every_tenth;
    }
    case Test::average:
    case Test::steps:
    case Test::memory:
    case Test::host:
      return {0.1, 0.5};
    case Test::granularity:
    case Test::size:
      return {0.5};
  }
  return {};
}

std::vector<int> default_granularities(const Request& request) {
  if (request.test == Test::granularity) {
    std::vector<int> all(16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i) + 1;
    return all;
  }
  const bool sets = request.test == Test::average || request.test == Test::steps ||
                    request.test == Test::memory || request.test == Test::host;
  return sets ? std::vector<int>{1, 8} : std::vector<int>{1};
}

std::vector<Input> random_inputs(const GenerateOptions& first, int images) {
  std::vector<Input> inputs;
  GenerateOptions options = first;
  for (int i = 0; i < images; ++i, ++options.seed)
    inputs.push_back(
        {"random image of seed " + std::to_string(options.seed), [options] { return generate(options); }});
  return inputs;
}

void check(const Request& request, const std::vector<Extent>& sizes) {
  if (!request.connectivity) return;
  for (const Extent& size : sizes)
    if (is_3d(*request.connectivity) != (size.depth > 1))
      throw Error(Failure::usage, std::to_string(static_cast<int>(*request.connectivity)) +
                                      "-connectivity is for " +
                                      (is_3d(*request.connectivity) ? "volumes" : "images") +
                                      ", and a size is " + (size.depth > 1 ? "a volume's" : "an image's"));
}

}  // namespace

std::string name(Test test) {
  switch (test) {
    case Test::average:
      return "average";
    case Test::steps:
      return "steps";
    case Test::density:
      return "density";
    case Test::granularity:
      return "granularity";
    case Test::size:
      return "size";
    case Test::iterations:
      return "iterations";
    case Test::memory:
      return "memory";
    case Test::host:
      return "host";
  }
  return {};
}

bool is_sweep(Test test) { return test == Test::density || test == Test::granularity || test == Test::size; }

std::vector<ImageSet> random_image_sets(const Request& request) {
  const std::vector<Extent> sizes = given_or(request.sizes, default_sizes(request));
  check(request, sizes);
  std::vector<ImageSet> sets;
  GenerateOptions options;
  options.seed = request.seed;
  for (const Extent& size : sizes)
    for (const int granularity : given_or(request.granularities, default_granularities(request)))
      for (const double density : given_or(request.densities, default_densities(request))) {
        options.extent = size;
        options.granularity = granularity;
        options.density = density;
        sets.push_back({"random", size, density, granularity,
                        random_inputs(options, request.images.value_or(kImagesAPoint))});
      }
  return sets;
}

}  // namespace gpuccl::bench
