// Common properties of all labelers on a GPU, on the emulation of CUDA: which device is current, what is
// launched, what memory is kept.

#include <cuda_runtime_api.h>

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/detail/staged.hpp"
#include "gpuccl/engine.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

int current_device() {
  int device = -1;
  cudaGetDevice(&device);
  return device;
}

/// The work must leave device `expected` current.
template <class Work>
void expect_current(int expected, const char* what, Work work) {
  work();
  INFO(what);
  REQUIRE(current_device() == expected);
}

std::unique_ptr<Labeler> labeler_of(const std::string& name, Connectivity connectivity, int gpu = 0) {
  return find_variant(*find_algorithm(name, DeviceKind::cuda), connectivity)->make(gpu);
}

}  // namespace

TEST_CASE("the caller's device stays current during calls of a labeler on another") {
  const emulation::Machine two(2);
  const BitVolume image = random_image({70, 37}, 0.4, 1, 7);
  for (const std::string name : {"runs", "bke", "uf", "ole"})
    for (const int own : {0, 1}) {
      INFO(name << ", caller on " << own);
      cudaSetDevice(own);
      const auto expect = [&](const char* what, auto work) { expect_current(own, what, work); };
      std::unique_ptr<Labeler> labeler;
      Labeling labeled;
      expect("make", [&] { labeler = labeler_of(name, Connectivity::c8, 1 - own); });
      StagedLabeler& staged = dynamic_cast<StagedLabeler&>(*labeler);
      expect("upload", [&] { staged.upload(image.view()); });
      expect("allocate", [&] { staged.allocate(); });
      expect("run", [&] { staged.run(Numbering::consecutive, nullptr); });
      expect("statistics", [&] { staged.statistics(nullptr); });
      expect("wait", [&] { staged.wait(); });
      expect("labels", [&] { staged.labels(); });
      expect("components", [&] { staged.components(); });
      expect("release", [&] { staged.release(); });
      expect("label", [&] { expect_same_as_flood_fill(*labeler, image.view(), Connectivity::c8); });
      expect("label and keep", [&] { labeled = staged.label(image.view()); });
      expect("floor", [&] { measure_bandwidth_bound(1 - own, image.extent(), 1); });
      expect("end", [&] {
        labeler.reset();
        labeled = {};
      });
    }
}

TEST_CASE("components are found without a label image") {
  emulation::configure({.seed = 17});
  const std::vector<CudaVariant> variants = cuda_variants();
  expect_components_alone(variants, random_image({70, 37}, 0.4, 1, 7).view());
  expect_components_alone(variants, random_image({20, 9, 7}, 0.3, 1, 8).view());
  expect_components_alone(variants, BitVolume({70, 37}).view());
}

TEST_CASE("components come down in pieces") {
  const BitVolume image = generated("dots", {1030, 1030});
  Engine engine({.algorithm = "runs", .device = DeviceChoice::cpu}, {});
  const Components expected = engine.label(image.view(), Connectivity::c8).components;
  REQUIRE(expected.size() > std::size_t{1} << 18);  // of one piece
  for (const std::string name : {"runs", "bke"}) {
    INFO(name);
    REQUIRE((labeler_of(name, Connectivity::c8)->label(image.view()).components == expected));
  }
}

TEST_CASE("a device that nobody uses is not started") {
  const emulation::Machine two(2);
  const BitVolume image = random_image({70, 37}, 0.4, 1, 7);
  expect_same_as_flood_fill(*labeler_of("runs", Connectivity::c8, 1), image.view(), Connectivity::c8);
  REQUIRE(emulation::devices_in_use() == std::set<int>{1});
}

TEST_CASE("phases are timed when that is asked for, and launches overlap when it is not") {
  const BitVolume image = random_image({300, 70}, 0.4, 2, 7);
  for (const bool timed : {false, true}) {
    INFO((timed ? "timed" : "not timed"));
    const std::uint64_t before = emulation::early_launches();
    Engine engine({.algorithm = "runs", .device = DeviceChoice::cuda, .time_phases = timed}, nullptr);
    const Labeling labeled = engine.label(image.view(), Connectivity::c8);
    std::vector<std::string> phases;
    for (const PhaseTime& time : labeled.phases) phases.push_back(time.phase);
    REQUIRE(phases == (timed ? std::vector<std::string>{"LocalMerge", "BoundaryMerge", "Numbering",
                                                        "MarkRuns", "CountRuns", "WriteRuns"}
                             : std::vector<std::string>{}));
    // BoundaryMerge, Numbering, CountRuns, WriteRuns, and always the statistics.
    REQUIRE(emulation::early_launches() - before == (timed ? 1 : 5));
  }
}

TEST_CASE("labels outlive the labels of the next image, and the labeler") {
  const BitVolume one = random_image({70, 40}, 0.4, 1, 1), two = random_image({70, 40}, 0.6, 1, 2);
  for (const std::string name : {"runs", "bke"}) {
    auto labeler = labeler_of(name, Connectivity::c8);
    const Labeling of_one = labeler->label(one.view()), of_two = labeler->label(two.view());
    labeler.reset();
    expect_same(of_one, flood_fill(one.view(), Connectivity::c8));
    expect_same(of_two, flood_fill(two.view(), Connectivity::c8));
  }
}

TEST_CASE("labels of runs beyond 65535, on both sides of the size of a transfer slot") {
  const BitVolume image = generated("dots", {2600, 1700});  // more than 4 MiB of labels
  for (const std::string name : {"runs", "bke"}) {
    const auto labeler = labeler_of(name, Connectivity::c8);
    const auto on_cpu = runs_on_cpu(Connectivity::c8);
    for (const Extent extent : {Extent{2600, 1700, 1}, Extent{2600, 400, 1}}) {
      const BitView some{image.row(0), extent, image.row_pitch()};
      const Labeling expected = on_cpu->label(some), labeled = labeler->label(some);
      REQUIRE(labeled.labels->count() == static_cast<Label>(1300 * extent.height / 2));
      REQUIRE(labeled.components == expected.components);
      REQUIRE(compare(*labeled.labels, *expected.labels).same_numbers);
    }
  }
}

TEST_CASE("labels of every CUDA algorithm are measured as those of the CPU, to the last digit") {
  const std::vector<CudaVariant> variants = cuda_variants();
  expect_same_measures(variants, random_image({140, 60, 1}, 0.5, 2, 1).view());
  expect_same_measures(variants, random_image({70, 18, 9}, 0.3, 2, 1).view());
}

TEST_CASE("sums are gathered where tiles have many components, and of slices, to the last digit") {
  std::vector<CudaVariant> variants = cuda_variants();
  std::erase_if(variants, [](const CudaVariant& variant) { return variant.name != "runs"; });
  for (const double density : {0.1, 0.45, 0.9})
    expect_same_measures(variants, random_image({300, 70, 1}, density, 1, 2).view());
  expect_same_measures(variants, random_image({270, 35, 18}, 0.1, 1, 3).view());
  expect_same_measures(variants, random_image({131, 40, 19}, 0.5, 3, 4).view());
}

TEST_CASE("labels of runs where there are none, and where there is no image") {
  for (const CudaVariant& variant : cuda_variants())
    for (const Extent extent : {Extent{300, 70, 1}, Extent{65, 3, 5}, Extent{0, 7, 1}, Extent{7, 0, 2}}) {
      INFO(variant.name << " " << to_string(extent));
      const BitVolume image(extent);
      const Labeling labeled = variant.labeler->label(image.view());
      REQUIRE(labeled.labels->extent() == extent);
      REQUIRE(labeled.labels->count() == 0);
      REQUIRE(labeled.components.size() == 0);
      if (extent.elements() > 0) expect_same(labeled, flood_fill(image.view(), variant.connectivity));
    }
}

TEST_CASE("words behind those of a row are no part of the image") {
  for (const CudaVariant& variant : cuda_variants())
    for (const Extent extent : {Extent{33, 9, 1}, Extent{64, 5, 3}, Extent{130, 4, 2}}) {
      INFO(variant.name << " " << to_string(extent));
      const BitVolume image = random_image(extent, 0.5, 1, 3);
      const std::int64_t pitch = image.row_pitch() + 4;
      std::vector<std::uint32_t> words(static_cast<std::size_t>(extent.rows() * pitch), ~0u);
      for (std::int64_t row = 0; row < extent.rows(); ++row)
        std::copy_n(image.row(row), image.row_pitch(), words.data() + row * pitch);
      expect_same(variant.labeler->label({words.data(), extent, pitch}),
                  flood_fill(image.view(), variant.connectivity));
    }
}

TEST_CASE("memory of the device is asked for once for images of one size") {
  for (const std::string name : {"runs", "runs-bytes", "bke"}) {
    INFO(name);
    const auto labeler = labeler_of(name, Connectivity::c8);
    const Extent extent{300, 70};
    labeler->label(generated("dots", extent).view());  // as many runs and components as there can be
    const std::uint64_t allocations = emulation::allocations();
    for (std::uint32_t seed = 1; seed < 4; ++seed)
      expect_same_as_flood_fill(*labeler, random_image(extent, 0.2 * seed, 2, seed).view(), Connectivity::c8);
    REQUIRE(emulation::allocations() == allocations);
  }
}

namespace {

EngineOptions on_gpus(std::vector<int> gpus) {
  return {.algorithm = "runs", .device = DeviceChoice::cuda, .gpus = std::move(gpus)};
}

}  // namespace

TEST_CASE("images of a batch are labeled by all of the chosen GPUs, each image by one") {
  const emulation::Machine three(3);
  struct Given {
    std::vector<int> gpus;
    bool hides_gpus;
    std::vector<int> used;
  };
  for (const auto& [gpus, hides_gpus, used] : {Given{{0, 2}, false, {0, 2}}, Given{{}, false, {0, 1, 2}},
                                               Given{{1}, false, {1}}, Given{{5, 3, 9}, true, {3, 5, 9}}}) {
    EngineOptions options = on_gpus(gpus);
    options.hides_gpus = hides_gpus;
    Engine engine(options, nullptr);
    std::mutex lock;
    std::set<int> found;
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 6; ++seed)
      threads.emplace_back([&, seed] {
        const BitVolume image = random_image({700, 600}, 0.4, 2, seed);  // too large for a group
        EngineReport report;
        const Labeling labeled = engine.label(image.view(), Connectivity::c8, &report);
        const std::lock_guard locked(lock);
        expect_same(labeled, flood_fill(image.view(), Connectivity::c8));
        REQUIRE(report.gpus.size() == 1);
        REQUIRE(report.device_kind == DeviceKind::cuda);
        found.insert(report.gpus.front());
      });
    for (std::thread& thread : threads) thread.join();
    REQUIRE(std::includes(used.begin(), used.end(), found.begin(), found.end()));
    REQUIRE((found.size() > 1 || used.size() == 1));
  }
}

TEST_CASE("when one of several GPUs fails, its error goes on") {
  const BitVolume image = random_image({90, 70}, 0.4, 2, 3);
  for (const std::uint64_t call : {1, 20}) {
    const emulation::Machine two(2);
    Engine engine(on_gpus({0, 1}), nullptr);
    emulation::fail_call(call, cudaErrorECCUncorrectable, true);
    REQUIRE(error_code_of([&] { engine.label(image.view(), Connectivity::c8); }) == ErrorCode::temporary);
  }
}

TEST_CASE("a GPU that is named and not there is an error whichever of the others labels") {
  const BitVolume image = random_image({90, 70}, 0.4, 2, 3);
  struct Given {
    int devices;
    std::vector<int> gpus;
    bool hides_gpus;
    std::string message;
  };
  for (const auto& [devices, gpus, hides_gpus, message] :
       {Given{2, {0, 7}, false, "there is no GPU 7, only 2 devices"},
        Given{1, {0, 7}, true, "there is no GPU 7"},
        Given{0, {7}, true, "there is no GPU 7: CUDA, looking for a device: "}}) {
    const emulation::Machine visible(devices);
    EngineOptions options = on_gpus(gpus);
    options.hides_gpus = hides_gpus;
    Engine engine(options, nullptr);
    try {
      engine.label(image.view(), Connectivity::c8);
      REQUIRE(false);
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::unavailable);
      INFO(error.what());
      REQUIRE(std::string(error.what()).starts_with(message));
    }
  }
}
