#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/environment.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "io/read/reader.hpp"

namespace gpuccl::bench {

/// The experiments of Allegretti, Bolelli, Grana 2020 (section 5), and those of other papers.
enum class Test { average, steps, density, granularity, size, iterations, memory, work, host, blocks, cca };
inline constexpr std::pair<Test, const char*> kTests[] = {
    {Test::average, "average"},         {Test::steps, "steps"}, {Test::density, "density"},
    {Test::granularity, "granularity"}, {Test::size, "size"},   {Test::iterations, "iterations"},
    {Test::memory, "memory"},           {Test::work, "work"},   {Test::host, "host"},
    {Test::blocks, "blocks"},           {Test::cca, "cca"},
};

std::string name(Test test);
/// Returns whether the test uses random images, with one set per value of an axis.
bool is_sweep(Test test);
/// Returns whether the test counts memory accesses or work, with kernels compiled for that.
bool is_counted(Test test);

/// The protocol of the review of Bolelli, Allegretti, Lumetti, Grana, IEEE TPDS 2024.
inline constexpr const char* kTpds2024 = "tpds2024";

/// Parameter that varies from set to set.
enum class Axis { none, density, granularity, size };
std::string name(Axis axis);

/// Options for timing each image.
struct TimingOptions {
  int warm_up = 3;
  int repetitions = 10;
  double limit_s = 2;        // ends warming up and repeating, but not before the first repetition
  bool preallocated = true;  // times labeling into a label image that exists
  bool allocated = true;     // times labeling with the allocation of the label image
  bool rotate = false;       // cycles through more copies of input and output than caches hold
  std::function<bool()> stop = [] { return false; };  // true ends repeating, as the time limit does
};

/// One image, made or read just before it is measured.
struct Input {
  std::string name;
  std::function<BitVolume()> load;
};

/// Images whose times are averaged: a dataset, or random images of one size, density and granularity.
struct KindOfImages {
  std::string dataset;                // "random" for random images
  std::optional<Extent> extent = {};  // these three are for random images only
  double density = 0;                 // 0 to 1
  int granularity = 0;
  Axis axis = Axis::none;  // the parameter that varies from set to set
};
struct ImageSet : KindOfImages {
  std::vector<Input> inputs = {};
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
  std::optional<int> images;  // per set; default: 3 random ones, 10 in a sweep, all of a dataset
  std::uint32_t seed = 1;
  TimingOptions timing;
};

/// Returns the random images of an experiment: every combination of its sizes, densities and granularities.
/// Image i of a set is made with `seed` + i, so that the sets of a sweep differ only in their axis. Error
/// (usage).
std::vector<ImageSet> random_image_sets(const Request& request);

/// Called with every image of a dataset that was read.
using Look = std::function<void(const io::Reader& reader, BitView image)>;

/// Returns the images of a dataset, in the order in which they are measured. `path` is one of
/// - an image or volume file;
/// - a folder with YACCLAB's files.txt: its lines name image files or, for volumes, folders of slices;
/// - any other folder: the PNG and TIFF files in it and in its subfolders; a subfolder with a files.txt is a
///   dataset of its own, so that the folder of all of YACCLAB's datasets can be given at once.
/// With `options.stack`, a folder is one volume. A dataset has at most `most` images. Opens no image.
/// Error (no_input): missing, not readable, or without images.
std::vector<ImageSet> read_datasets(const io::Source& source, const io::ReadOptions& options,
                                    std::optional<int> most, const Look& look = nullptr);

/// Returns "" if the GPU can be used, else the reason why not.
using AskForGpu = std::function<std::string()>;

struct ChosenAlgorithms {
  std::vector<const Algorithm*> algorithms;
  std::vector<std::string> left_out;  // names of algorithms that need a GPU, if none can be used
  std::string problem;                // why none can be used
  bool named_are_left_out = false;    // some of them were named and have no CPU version that is measured
};

/// Returns the algorithms of `table` to measure. Those that take hours must be named; "all" does not include
/// them, unless no other is left. Looks for a GPU only if the outcome depends on it; without one, leaves out
/// what needs it. Error: usage (no such algorithm, device or connectivity), unavailable (nothing is left
/// without the GPU, or --device cuda needs it).
ChosenAlgorithms choose_algorithms(const Request& request, const std::vector<Algorithm>& table,
                                   const AskForGpu& problem_of_gpu);

/// Returns a line about algorithms that were left out; "" if there are none.
std::string describe_left_out(const std::vector<std::string>& left_out, const std::string& problem);

/// Settings of an experiment that its report names.
struct Setting {
  Test test = Test::average;
  TimingOptions timing;
  std::string protocol;                   // --protocol; "" for none
  std::vector<std::string> not_measured;  // algorithms that need a GPU that cannot be used
  std::string no_gpu;                     // why it cannot be used
};

/// An experiment as it is measured.
struct Plan : Setting {
  std::vector<ImageSet> image_sets;
  std::vector<const Algorithm*> algorithms;
  std::optional<Connectivity> connectivity;  // else 8, and 26 for volumes
  int gpu = 0;
  Cycles cycles;
  ReadClock read_clock = [](DeviceKind) { return std::optional<ClockReading>(); };
};

}  // namespace gpuccl::bench
