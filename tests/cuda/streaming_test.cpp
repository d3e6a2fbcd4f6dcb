// Labels that stay on the device until they are read, on the emulation of CUDA.

#include <cuda_runtime_api.h>

#include <random>

#include "cuda/variants.hpp"
#include "emulation.hpp"
#include "engine/rescued_labels.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/slabs.hpp"
#include "support/catch.hpp"
#include "support/failure_of.hpp"
#include "support/images.hpp"
#include "support/reference.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

struct Repair {
  ~Repair() { emulation::fail_call(0, cudaSuccess); }
};

/// A labeler whose labels never come down all at once.
StagedLabeler& staged(const std::unique_ptr<Labeler>& labeler) {
  return dynamic_cast<StagedLabeler&>(*labeler);
}

std::unique_ptr<Labeler> runs_c8() {
  return find_variant(*find_algorithm("runs", DeviceKind::cuda), Connectivity::c8)->make(0);
}

/// The labels of rows [first, first + rows).
std::vector<Label> rows_of(const LabelSource& labels, std::int64_t first, std::int64_t rows) {
  std::vector<Label> values(static_cast<std::size_t>(rows * labels.extent().width));
  labels.render(first, rows, values.data(), nullptr);
  return values;
}

}  // namespace

TEST_CASE("labels come down in windows of any size, by every algorithm") {
  const std::vector<CudaVariant> variants = cuda_variants();
  for (const Extent extent : {Extent{70, 37, 1}, Extent{19, 5, 7}, Extent{1, 9, 1}}) {
    const BitVolume image = random_image(extent, 0.4, 1, 7);
    for (const std::size_t bytes : {1, 1000, 1 << 20})
      expect_all_right_in_windows(variants, image.view(), bytes);
  }
}

TEST_CASE("labels that need more than 16 bits come down in windows") {
  const BitVolume image = generated("dots", {1024, 520});
  const auto labeler = runs_c8();
  const Labeled expected = flood_fill(image.view(), Connectivity::c8);
  REQUIRE(expected.labels->count() > 0xffff);
  expect_same(staged(labeler).label_in_windows(image.view(), 50000), expected);
}

TEST_CASE("strips of any height, again from the start, and skipping rows") {
  const BitVolume image = random_image({40, 300}, 0.4, 1, 3);
  const Labeled expected = flood_fill(image.view(), Connectivity::c8);
  const auto labeler = runs_c8();
  const Labeled labeled = staged(labeler).label_in_windows(image.view(), 40 * 2 * 16);
  std::mt19937 random(1);
  std::int64_t first = 0;
  for (int strip = 0; strip < 500; ++strip) {
    const std::int64_t rows = std::min<std::int64_t>(1 + random() % 40, 300 - first);
    const std::int64_t ready = labeled.labels->prepare(first, rows);
    REQUIRE(ready >= first + rows);
    REQUIRE(rows_of(*labeled.labels, first, ready - first) ==
            rows_of(*expected.labels, first, ready - first));
    first += rows + (random() % 8 == 0 ? random() % 60 : 0);
    if (first >= 300) first = random() % 300;
  }
}

TEST_CASE("slabs whose labels come down in windows") {
  for (const auto& [extent, connectivity] :
       {std::pair{Extent{40, 150, 1}, Connectivity::c8}, std::pair{Extent{17, 9, 30}, Connectivity::c26}}) {
    const BitVolume image = random_image(extent, 0.4, 2, 3);
    const Labeled expected = flood_fill(image.view(), connectivity);
    const auto labeler = find_variant(*find_algorithm("runs", DeviceKind::cuda), connectivity)->make(0);
    for (const std::size_t bytes : {1, 500, 1 << 20})
      for (const int elements : {1, 1000, 1 << 20}) {
        SlabWork work = slab_work(image, *labeler);
        work.label = [&, bytes](BitView slab) { return staged(labeler).label_in_windows(slab, bytes); };
        expect_same(
            label_by_slabs(extent, connectivity, cut_into_slabs(extent, connectivity, elements), work),
            expected);
      }
  }
}

TEST_CASE("labels outlive the labels of the next image, and the labeler") {
  const BitVolume one = random_image({70, 40}, 0.4, 1, 1), two = random_image({70, 40}, 0.6, 1, 2);
  for (const std::size_t bytes : {500, 1 << 20}) {
    auto labeler = runs_c8();
    const Labeled of_one = staged(labeler).label_in_windows(one.view(), bytes);
    const Labeled of_two = staged(labeler).label_in_windows(two.view(), bytes);
    labeler.reset();
    expect_same(of_one, flood_fill(one.view(), Connectivity::c8));
    expect_same(of_two, flood_fill(two.view(), Connectivity::c8));
  }
}

TEST_CASE("a device that is lost while labels come down is noticed") {
  const Repair repair;
  const BitVolume image = random_image({40, 300}, 0.4, 1, 3);
  const auto labeler = runs_c8();
  for (const bool rescued : {false, true}) {
    Labeled labeled = staged(labeler).label_in_windows(image.view(), 1000);
    const RescuedLabels labels(std::move(labeled.labels), [&](const Error& error) {
      REQUIRE(error.failure() == Failure::temporary);
      if (!rescued) throw error;
      return flood_fill(image.view(), Connectivity::c8).labels;
    });
    REQUIRE(labels.prepare(0, 1) < 300);
    emulation::fail_call(1, cudaErrorECCUncorrectable, true);
    if (rescued) {
      const LabelImage all = render_all(labels);
      REQUIRE(rows_of(all, 0, 300) == rows_of(*flood_fill(image.view(), Connectivity::c8).labels, 0, 300));
    } else {
      REQUIRE(failure_of([&] { render_all(labels); }) == Failure::temporary);
    }
    emulation::fail_call(0, cudaSuccess);
  }
}

TEST_CASE("the CPU labels once more when the GPU is lost while labels come down") {
  const Repair repair;
  constexpr int kRows = 260;
  const BitVolume image = generated("comb", {1 << 16, kRows});  // more than comes down at once
  int warnings = 0;
  Engine engine({.algorithm = "bke"}, [&](const std::string&) { ++warnings; });
  EngineReport report;
  const Labeled labeled = engine.label_in_order(image.view(), Connectivity::c8, &report);
  REQUIRE(report.device_kind == DeviceKind::cuda);
  REQUIRE(warnings == 0);
  emulation::fail_call(1, cudaErrorECCUncorrectable, true);
  const LabelImage all = render_all(*labeled.labels);
  REQUIRE(warnings == 1);
  REQUIRE(rows_of(all, 0, kRows) == rows_of(*flood_fill(image.view(), Connectivity::c8).labels, 0, kRows));
}
