#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpuccl::bench {

/// The machine and the software of a measurement: name and value, in the order in which a report shows them.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Processor, threads, memory, system, compiler and the time. With `gpu` also the GPU, driver and CUDA, for
/// which the driver is started.
Environment environment(bool with_gpu, int gpu);

/// Cycles that the cores of a device have in a millisecond: all of a GPU, one of the CPU, whose published
/// algorithms use one thread. 0 where the clock is not known.
struct Cycles {
  double gpu = 0;
  double cpu = 0;
};
Cycles cycles_a_ms(bool with_gpu, int gpu);

}  // namespace gpuccl::bench
