#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/values.hpp"

// Interface between the library and CUDA. lib/src/no_cuda has the same functions for builds without it.
namespace gpuccl::cuda {

/// The CUDA rows of the table. Without CUDA the same rows (common/gpu_table.cpp), so that a command
/// line means the same on every machine, but their makers throw Error (unavailable).
std::vector<Algorithm> algorithms();

/// Returns the rows of gpuccl::counting_algorithms().
std::vector<Algorithm> counting_algorithms();

/// The rows of gpuccl::block_configurations(); without CUDA one of each algorithm.
std::vector<Algorithm> block_configurations();

/// Labels images of values by the fast engine of a device. Memory is kept from one image to the next.
class ValueLabeler {
 public:
  virtual ~ValueLabeler() = default;
  /// Labels as gpuccl::label_values(). Moves from `image` only on success.
  virtual LabeledValues label(ValueImage& image) = 0;
  /// Same contract as Labeler::time_phases().
  virtual void time_phases(bool timed) = 0;
};

/// `wide_links`: as for images too large for links of 32 bits.
std::unique_ptr<ValueLabeler> make_value_labeler(int gpu, Connectivity connectivity, bool wide_links = false);

/// Error (unavailable) if this machine has no device `gpu`. Starts none.
void require_device(int gpu);

/// Loads the driver and creates the context of device `gpu`, once a process; later calls return at once.
/// Throws Error (unavailable) with the reason: not built in, no driver, driver too old, no such device, busy.
void start_up(int gpu);

/// Name of device `gpu`, which start_up() has found good.
std::string device_name(int gpu);

}  // namespace gpuccl::cuda
