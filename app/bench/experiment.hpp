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
  std::string protocol;                   // these three are for the report
  std::vector<std::string> not_measured;  // algorithms that were left out
  std::string no_gpu;                     // because of this
  ReadClock read_clock = [](DeviceKind) { return std::optional<ClockReading>(); };
};

/// Callbacks that report the progress of an experiment.
struct Observer {
  /// Before each image: how much is done, 0 to 1, and what comes.
  std::function<void(double done, const std::string& what)> progress;
  /// Called with the problem of a file or an algorithm; the experiment continues.
  std::function<void(const std::string& line)> problem;
  /// After each set of images, with all there is so far.
  std::function<void(const Results& so_far)> finished = [](const Results&) {};
  /// Asked before each image and algorithm: whether to end with what was measured so far.
  std::function<bool()> stop = [] { return false; };
};

/// Measures every algorithm on every image. An algorithm whose labels of an image are not those of the CPU
/// engine is not timed on it, and none goes on with the random images of a set when it has taken three time
/// limits on them. What cannot be measured is reported and left out (Results::failures).
Results measure(const Plan& plan, const Observer& observer);

}  // namespace gpuccl::bench
