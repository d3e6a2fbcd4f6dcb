// The table of algorithms is the same with and without CUDA, so that a command line means the same
// everywhere.

#include "cuda/cuda.hpp"
#include "gpuccl/error.hpp"
#include "no_cuda/algorithms.hpp"
#include "support/catch.hpp"
#include "support/failure_of.hpp"

using namespace gpuccl;

TEST_CASE("a build without CUDA lists the GPU algorithms that a build with it has") {
  const std::vector<Algorithm> with = cuda::algorithms(), without = no_cuda::algorithms();
  REQUIRE(with.size() == without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    REQUIRE(with[i].name == without[i].name);
    REQUIRE(with[i].title == without[i].title);
    REQUIRE(with[i].paper == without[i].paper);
    REQUIRE(with[i].device == without[i].device);
    REQUIRE(with[i].variants.size() == without[i].variants.size());
    for (std::size_t k = 0; k < with[i].variants.size(); ++k)
      REQUIRE(with[i].variants[k].connectivity == without[i].variants[k].connectivity);
  }
}

TEST_CASE("a GPU algorithm cannot be made without CUDA") {
  for (const Algorithm& algorithm : no_cuda::algorithms())
    for (const Variant& variant : algorithm.variants)
      REQUIRE(failure_of([&] { variant.make(0); }) == Failure::unavailable);
}

TEST_CASE("the table holds every algorithm once on a device") {
  for (const Algorithm& algorithm : algorithms()) {
    REQUIRE(find_algorithm(algorithm.name, algorithm.device) == &algorithm);
    REQUIRE(!algorithm.title.empty());
    REQUIRE(!algorithm.variants.empty());
  }
  for (const char* name : {"runs", "flood-fill"})
    for (const Connectivity connectivity : kConnectivities)
      REQUIRE(find_variant(*find_algorithm(name, DeviceKind::cpu), connectivity) != nullptr);
}
