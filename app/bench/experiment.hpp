#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/bench/environment.hpp"
#include "app/bench/results.hpp"

namespace gpuccl::bench {

struct Plan {
  Test test = Test::average;
  std::vector<ImageSet> image_sets;
  std::vector<const Algorithm*> algorithms;
  std::optional<Connectivity> connectivity;  // else 8, and 26 for volumes
  int gpu = 0;
  TimingOptions timing;
  Cycles cycles;
  std::string protocol;                   // for the report, as the two below
  std::vector<std::string> not_measured;  // algorithms that need a GPU that cannot be used
  std::string no_gpu;                     // why it cannot be used
  ReadClock read_clock = [](DeviceKind) { return std::optional<ClockReading>(); };
};

/// Callbacks that report the progress of an experiment.
struct Observer {
  /// Called before each image with the fraction that is done, 0 to 1, and what follows.
  std::function<void(double done, const std::string& what)> progress;
  /// Called with the problem of a file or an algorithm; the experiment continues.
  std::function<void(const std::string& line)> problem;
  /// Called after each set of images with all results so far.
  std::function<void(const Results& so_far)> finished = [](const Results&) {};
  /// Called before each image and algorithm; true ends the experiment with the results so far.
  std::function<bool()> stop = [] { return false; };
};

/// Measures every algorithm on every image. An algorithm whose labels of an image differ from the CPU
/// engine's is not timed on it. An algorithm skips the remaining random images of a set after three time
/// limits. Failures are reported, and the experiment continues (Results::failures).
Results measure(const Plan& plan, const Observer& observer);

}  // namespace gpuccl::bench
