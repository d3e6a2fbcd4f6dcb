#pragma once

#include <string>

#include "gpuccl/engine.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

/// Runs `work`. If --device cuda is given and no GPU can be used, or its memory does not hold all values of a
/// label map, which it labels at once, the error names an alternative without a GPU.
template <class Work>
auto with_remedy(DeviceChoice device, bool of_values, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (device != DeviceChoice::cuda) throw;
    if (error.failure() == Failure::unavailable)
      throw Error(error.failure(), std::string(error.what()) + "; use --device auto or cpu");
    if (error.failure() == Failure::memory && of_values)
      throw Error(error.failure(), std::string(error.what()) + "; use --device cpu");
    throw;
  }
}

}  // namespace gpuccl::app
