// What all labelers on a GPU have in common, on the emulation of CUDA: which device is current, what is
// launched, what memory is kept.

#include <cuda_runtime_api.h>

#include <set>

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/floor.hpp"
#include "support/catch.hpp"
#include "support/images.hpp"
#include "support/reference.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

/// One device again, and that current.
struct Repair {
  ~Repair() {
    cudaSetDevice(0);
    emulation::set_machine(1, 13000);
  }
};

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

TEST_CASE("the caller's device stays current, whatever is asked of a labeler on another") {
  const Repair repair;
  const BitVolume image = random_image({70, 37}, 0.4, 1, 7);
  for (const std::string name : {"runs", "bke", "uf", "ole"})
    for (const int own : {0, 1}) {
      INFO(name << ", caller on " << own);
      emulation::set_machine(2, 13000);
      cudaSetDevice(own);
      const auto expect = [&](const char* what, auto work) { expect_current(own, what, work); };
      std::unique_ptr<Labeler> labeler;
      Labeled labeled;
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
      for (const std::size_t bytes : {500, 1 << 20})
        expect("windows", [&] {
          labeled = staged.label_in_windows(image.view(), bytes);
          expect_same(labeled, flood_fill(image.view(), Connectivity::c8));
        });
      expect("floor", [&] { stream_floor(1 - own, image.extent(), 1); });
      expect("end", [&] {
        labeler.reset();
        labeled = {};
      });
    }
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
  const Repair repair;
  emulation::set_machine(2, 13000);
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
    for (const bool in_order : {false, true}) {
      const Labeled labeled = in_order ? engine.label_in_order(image.view(), Connectivity::c8)
                                       : engine.label(image.view(), Connectivity::c8);
      REQUIRE(labeled.phases.size() == (timed ? 4 : 0));
    }
    // Of an image: BoundaryMerge, Numbering, WriteLabels, and always the statistics.
    REQUIRE(emulation::early_launches() - before == (timed ? 2 * 1 : 2 * 4));
  }
}

TEST_CASE("labels that come down in windows are waited for, also where there are no components") {
  const BitVolume empty({300, 70});
  const auto labeler = labeler_of("runs", Connectivity::c8);
  expect_same(dynamic_cast<StagedLabeler&>(*labeler).label_in_windows(empty.view(), 1000),
              flood_fill(empty.view(), Connectivity::c8));
}

TEST_CASE("memory of labels that came down in windows labels the next images") {
  const BitVolume image = random_image({300, 70}, 0.4, 2, 7);
  const Labeled expected = flood_fill(image.view(), Connectivity::c8);
  for (const std::string name : {"runs", "bke"}) {
    INFO(name);
    const auto labeler = labeler_of(name, Connectivity::c8);
    const auto label = [&] {
      return dynamic_cast<StagedLabeler&>(*labeler).label_in_windows(image.view(), 1000);
    };
    Labeled before = label(), now = label();  // read while the next one is labelled
    const std::uint64_t allocations = emulation::allocations();
    for (int i = 0; i < 4; ++i) {
      before = std::move(now);
      now = label();
      expect_same(before, expected);
    }
    REQUIRE(emulation::allocations() == allocations);
  }
}
