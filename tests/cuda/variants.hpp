#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpuccl/detail/staged.hpp"

namespace tests {

/// One CUDA algorithm at one connectivity, and its labeler, used for image after image.
struct CudaVariant {
  std::string name;
  gpuccl::Connectivity connectivity;
  std::unique_ptr<gpuccl::Labeler> labeler;

  /// Null if the algorithm has no stages.
  gpuccl::StagedLabeler* staged() const { return dynamic_cast<gpuccl::StagedLabeler*>(labeler.get()); }
};

/// The CUDA rows of the table, on device 0. If the environment has GPUCCL_ALGO, a list of names, only these.
std::vector<CudaVariant> cuda_variants(const std::vector<gpuccl::Algorithm>& table = gpuccl::algorithms());

/// The times of the phases of labeling `image`.
gpuccl::PhaseTimes timed_phases(gpuccl::Labeler& labeler, gpuccl::BitView image);

/// The label image that the labeler leaves on the device must have the labels and components expected.
void expect_image(gpuccl::StagedLabeler& labeler, gpuccl::BitView image, const gpuccl::Labeling& expected);

/// Every variant must label `image` as flood fill does: the same partition before renumbering, the same
/// numbers and components after it, both as an image on the device and as labels of runs on the host.
void expect_all_right(const std::vector<CudaVariant>& variants, gpuccl::BitView image);

/// Like expect_all_right(), for images that flood fill would take too long for: compares with the CPU's
/// `runs`.
void expect_all_as_on_cpu(const std::vector<CudaVariant>& variants, gpuccl::BitView image);

/// Every variant must find the components of flood fill without a label image.
void expect_components_alone(const std::vector<CudaVariant>& variants, gpuccl::BitView image);

/// Every variant must give labels of which all is measured as of flood fill's, to the last digit; of those
/// that gather sums, from these.
void expect_same_measures(const std::vector<CudaVariant>& variants, gpuccl::BitView image);

/// Loops over many cases on the emulation try one in so many: one in GPUCCL_ONE_IN of the environment, all
/// with GPUCCL_LONG, else one in a prime, so that loops reach all combinations in turn.
inline const int kOneIn = [] {
  if (std::getenv("GPUCCL_LONG") != nullptr) return 1;
  const char* const one_in = std::getenv("GPUCCL_ONE_IN");
  return one_in != nullptr ? std::max(1, std::atoi(one_in)) : 23;
}();

}  // namespace tests
