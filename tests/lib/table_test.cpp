#include "engine/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "support/test.hpp"

using namespace gpuccl;

TEST_CASE("the table holds every algorithm once on a device, with where it was published") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    CHECK(find_algorithm(algorithm.name, algorithm.device) == &algorithm);
    CHECK(!algorithm.title.empty());
    CHECK(!algorithm.variants.empty());
    const bool ours =
        algorithm.name == "runs" || algorithm.name == "runs-bytes" || algorithm.name == "flood-fill";
    CHECK(algorithm.paper.empty() == ours);
    CHECK(algorithm.phases.empty() == ours);
  }
  for (const char* name : {"runs", "flood-fill"})
    for (const Connectivity connectivity : kConnectivities)
      REQUIRE(find_variant(*find_algorithm(name, DeviceKind::cpu), connectivity) != nullptr);
}

TEST_CASE("with or without CUDA, without a GPU a GPU algorithm is listed but cannot be made") {
  if (!cuda_status().devices.empty()) return;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.device == DeviceKind::cuda)
      for (const Variant& variant : algorithm.variants)
        REQUIRE(error_code_of([&] { variant.make(0); }) == ErrorCode::unavailable);
}

TEST_CASE("a row and variants that do not fit together are refused") {
  CHECK_THROWS_AS(gpu_rows([](const std::string& name, const std::vector<Connectivity>& connectivities) {
                    std::vector<Variant> variants;
                    for (const Connectivity connectivity : connectivities)
                      variants.push_back({connectivity, nullptr});
                    if (name == "ole") variants.pop_back();
                    return variants;
                  }),
                  std::logic_error);
}

TEST_CASE("the iterated phase of an algorithm is its first repeated one") {
  const auto iterated = [](const std::string& name, DeviceKind device) {
    return iterated_phase(*find_algorithm(name, device));
  };
  CHECK(iterated("np", DeviceKind::cuda) == "Propagate");
  CHECK(iterated("rcu", DeviceKind::cuda) == "Rows");
  CHECK(iterated("ole", DeviceKind::cuda) == "Scan");
  CHECK(iterated("fb", DeviceKind::cpu) == "Forward");
  CHECK(iterated("bke", DeviceKind::cuda).empty());
  CHECK(iterated("runs", DeviceKind::cpu).empty());
}
