#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"

namespace gpuccl::bench {

/// The experiments of Allegretti, Bolelli, Grana 2020 (section 5), and those of other papers.
enum class Test { average, steps, density, granularity, size, iterations, memory, work, host, blocks, cca };
inline constexpr Test kTests[] = {Test::average, Test::steps,      Test::density, Test::granularity,
                                  Test::size,    Test::iterations, Test::memory,  Test::work,
                                  Test::host,    Test::blocks,     Test::cca};

std::string name(Test test);
/// Images made by the random generator, one set a value of an axis.
bool is_sweep(Test test);
/// Counted by kernels that are compiled for that.
bool is_counted(Test test);

/// The protocol of the review of Bolelli, Allegretti, Lumetti, Grana, IEEE TPDS 2024.
inline constexpr const char* kTpds2024 = "tpds2024";

/// Parameter that varies from set to set.
enum class Axis { none, density, granularity, size };

/// Options for timing each image.
struct TimingOptions {
  int warm_up = 3;
  int repetitions = 10;
  double limit_s = 2;        // warming up and repeating end then, when one repetition is there
  bool preallocated = true;  // into a label image that exists
  bool allocated = true;     // with the allocation of the label image
  bool rotate = false;       // over as many copies of input and output as no cache holds
  std::function<bool()> stop = [] { return false; };  // whether to end as if the time were over
};

/// One image, made or read just before it is measured.
struct Input {
  std::string name;
  std::function<BitVolume()> load;
};

/// Images whose times are averaged: a dataset, or random images of one size, density and granularity.
struct ImageSet {
  std::string dataset;           // "random" for random images
  std::optional<Extent> extent;  // these three: random images only
  double density = 0;            // 0 to 1
  int granularity = 0;
  std::vector<Input> inputs;
  Axis axis = Axis::none;  // that the set is a place on
};

/// Experiment as requested by the user.
struct Request {
  Test test = Test::average;
  std::vector<std::string> algorithms;  // names, and "all"; empty: all but slow ones
  DeviceChoice device = DeviceChoice::automatic;
  int gpu = 0;
  std::optional<Connectivity> connectivity;  // else 8, and 26 for volumes
  std::vector<std::string> datasets;
  std::vector<Extent> sizes;  // these three: empty means the experiment's own
  std::vector<double> densities;
  std::vector<int> granularities;
  std::optional<int> images;  // a set; else 3 random ones, of a sweep 10, all of a dataset
  std::uint32_t seed = 1;
  TimingOptions timing;
};

/// The random images of an experiment, every combination of its sizes, densities and granularities. Image i
/// of a set is made with `seed` + i, so that the sets of a sweep differ in nothing but their axis. Error
/// (usage).
std::vector<ImageSet> random_image_sets(const Request& request);

/// Returns "" if the GPU can be used, else the reason why not.
using AskForGpu = std::function<std::string()>;

struct ChosenAlgorithms {
  std::vector<const Algorithm*> algorithms;
  std::vector<std::string> left_out;  // names of those that need a GPU where none can be used
  std::string problem;                // why it cannot
  bool named_are_left_out = false;    // some of them were named and are not measured on the CPU either
};

/// The algorithms of `table` that take part; those that take hours only if they are named, not as one of
/// "all", unless no other is left. The GPU is asked for only if the outcome depends on it; without one, what
/// needs it is left out. Error: usage (no such algorithm, device or connectivity), unavailable (nothing is
/// left without the GPU, or --device cuda needs it).
ChosenAlgorithms choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                   const AskForGpu& problem_of_gpu);

/// A line about algorithms that were left out; "" if none was.
std::string describe_left_out(const ChosenAlgorithms& chosen);

}  // namespace gpuccl::bench
