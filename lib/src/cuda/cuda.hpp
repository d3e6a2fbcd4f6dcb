#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/values.hpp"

// Interface between the library and CUDA. lib/src/no_cuda has the same functions for builds without it.
namespace gpuccl::cuda {

/// Returns the variants of the GPU algorithm `name` (algorithms.def), one for each of `connectivities`.
/// Builds without CUDA list the same ones, so a command line has the same meaning on every machine, but their
/// makers throw Error (unavailable).
std::vector<Variant> variants_of(const std::string& name, const std::vector<Connectivity>& connectivities);

/// As variants_of(), for published algorithms that count memory accesses.
std::vector<Variant> instrumented_variants_of(const std::string& name,
                                              const std::vector<Connectivity>& connectivities);

/// An algorithm with other thread-block sizes than its default.
struct BlockConfiguration {
  std::string blocks;  // "16x16"
  std::vector<Variant> variants;
};
/// Returns the block sizes that `algorithm` is compiled for, if there are several; without CUDA one.
std::vector<BlockConfiguration> block_configurations_of(const Algorithm& algorithm);

/// Labels multi-label images with the fast engine on a device. Memory is reused for the next image.
class ValueLabeler {
 public:
  virtual ~ValueLabeler() = default;
  /// Labels as gpuccl::label_values(). Moves from `image` only on success.
  virtual ValueLabeling label(ValueImage& image) = 0;
  /// Same contract as Labeler::time_phases().
  virtual void time_phases(bool timed) = 0;
};

/// `wide_links`: use 64-bit links, as for images too large for 32 bits.
std::unique_ptr<ValueLabeler> make_value_labeler(int gpu, Connectivity connectivity, bool wide_links = false);

/// Throws Error (unavailable), about device `number`, if CUDA has no device `gpu`. Does not start a device.
void require_device(int gpu, int number);

/// Loads the driver and creates the context of device `gpu`, once per process; later calls return
/// immediately. Throws Error (unavailable) with the reason: built without CUDA, no driver, driver too old, no
/// such device, or busy.
void start_up(int gpu);

/// Returns the name of device `gpu`, after start_up().
std::string device_name(int gpu);

}  // namespace gpuccl::cuda
