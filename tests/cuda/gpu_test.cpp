// Every CUDA algorithm of the table on a real GPU. Without one the program says so and exits with 77
// (skipped). [small] is for compute-sanitizer, [one] for its slowest tool,
// hidden tags for a machine that has time.

#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "cuda/variants.hpp"
#include "gpuccl/compare.hpp"
#include "gpuccl/engine.hpp"
#include "support/catch_listener.hpp"
#include "support/images.hpp"

using namespace gpuccl;
using namespace tests;

namespace {

class SkipWithoutGpu : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    constexpr int kSkipped = 77;
    const CudaStatus status = cuda_status();
    if (!status.devices.empty()) return;
    std::printf("skipped: no GPU (%s)\n", status.problem.c_str());
    std::fflush(stdout);
    std::_Exit(kSkipped);
  }
};
CATCH_REGISTER_LISTENER(SkipWithoutGpu)

std::vector<CudaVariant> variants_of(const std::set<std::string>& names) {
  std::vector<CudaVariant> variants = cuda_variants();
  std::erase_if(variants, [&](const CudaVariant& variant) { return !names.contains(variant.name); });
  return variants;
}

/// Without neighbor propagation, which takes one iteration for every pixel of a long path, and spans that are
/// merged one pair after another.
std::vector<CudaVariant> variants_for_large_images() {
  std::vector<CudaVariant> variants = cuda_variants();
  std::erase_if(variants,
                [](const CudaVariant& variant) { return variant.name == "np" || variant.name == "accl"; });
  return variants;
}

/// Every pattern, but of the noise a third, and another third at the next `turn`: a labeling on a GPU takes
/// its time however small the image is, and the emulation labels them all.
std::vector<NamedImage> patterns(Extent extent, std::size_t turn) {
  std::vector<NamedImage> images = every_pattern(extent);
  std::erase_if(images,
                [&](const NamedImage& named) { return named.name.starts_with("random") && turn++ % 3 != 0; });
  return images;
}

void expect_patterns(const std::vector<Extent>& extents) {
  const std::vector<CudaVariant> variants = cuda_variants();
  for (std::size_t i = 0; i < extents.size(); ++i)
    for (const NamedImage& named : patterns(extents[i], i)) {
      INFO(named.name);
      expect_all_right(variants, named.image.view());
    }
}

/// Labels by every variant, as the CPU has them.
void expect_patterns_as_on_cpu(Extent extent) {
  const std::vector<CudaVariant> variants = variants_for_large_images();
  for (const NamedImage& named : patterns(extent, 0)) {
    INFO(named.name);
    expect_all_as_on_cpu(variants, named.image.view());
  }
}

template <class ExtentOf>
void expect_every_width_up_to(int widest, ExtentOf extent_of) {
  const std::vector<CudaVariant> variants = cuda_variants();
  for (int width = 1; width <= widest; ++width) {
    const Extent extent = extent_of(width);
    const double density = extent.depth == 1 ? 0.5 : 0.3;
    expect_all_right(variants, random_image(extent, density, 1, static_cast<std::uint32_t>(width)).view());
  }
}

/// The first row that differs, or the number of rows.
std::int64_t first_difference(const LabelRows& labels, const LabelRows& expected) {
  const auto width = static_cast<std::size_t>(labels.extent().width);
  std::atomic<std::int64_t> first = labels.extent().rows();
  tbb::parallel_for(std::int64_t{0}, labels.extent().rows(), [&](std::int64_t row) {
    thread_local std::vector<Label> a, b;
    a.resize(width);
    b.resize(width);
    labels.render(row, 1, a.data(), nullptr);
    expected.render(row, 1, b.data(), nullptr);
    if (a == b) return;
    for (std::int64_t known = first; row < known && !first.compare_exchange_weak(known, row);) {
    }
  });
  return first;
}

/// Every variant on noise of every kind, as the CPU labels it.
void expect_sweep(Extent extent) {
  const std::vector<CudaVariant> variants = variants_for_large_images();
  for (int percent = 0; percent <= 100; percent += 10)
    for (const int granularity : {1, 4, 16}) {
      const auto seed = static_cast<std::uint32_t>(percent * 100 + granularity);
      const BitVolume image = random_image(extent, percent / 100.0, granularity, seed);
      std::map<Connectivity, Labeling> expected;
      std::vector<std::unique_ptr<Labeler>> on_cpu;  // which the labels live as long as
      for (const CudaVariant& variant : variants) {
        INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity, " << percent
                          << " %, granularity " << granularity);
        const auto [at, is_new] = expected.try_emplace(variant.connectivity);
        if (is_new) {
          const Algorithm& runs = *find_algorithm("runs", DeviceKind::cpu);
          on_cpu.push_back(find_variant(runs, variant.connectivity)->make(0));
          at->second = on_cpu.back()->label(image.view());
        }
        const Labeling labeled = variant.labeler->label(image.view());
        REQUIRE(labeled.components == at->second.components);
        REQUIRE(first_difference(*labeled.labels, *at->second.labels) == extent.rows());
      }
    }
}

}  // namespace

TEST_CASE("small images", "[small]") {
  const std::vector<CudaVariant> variants = cuda_variants();
  for (const Extent extent : {Extent{1, 1, 1}, Extent{1, 9, 1}, Extent{9, 1, 1}, Extent{65, 9, 1},
                              Extent{129, 35, 1}, Extent{5, 3, 3}, Extent{33, 7, 5}, Extent{65, 4, 9}})
    for (const double density : {0.3, 0.6}) {
      CAPTURE(density);
      expect_all_right(variants, random_image(extent, density, 1, 1).view());
    }
}

TEST_CASE("an image and a volume", "[one]") {
  const std::vector<CudaVariant> variants = cuda_variants();
  expect_all_right(variants, random_image({129, 70, 1}, 0.5, 1, 1).view());
  expect_all_right(variants, random_image({65, 9, 5}, 0.3, 1, 1).view());
}

TEST_CASE("components without a label image", "[small]") {
  const std::vector<CudaVariant> variants = cuda_variants();
  expect_components_alone(variants, random_image({129, 70, 1}, 0.5, 1, 1).view());
  expect_components_alone(variants, random_image({65, 9, 5}, 0.3, 1, 1).view());
}

TEST_CASE("measures", "[small]") {
  const std::vector<CudaVariant> variants = cuda_variants();
  expect_same_measures(variants, random_image({300, 135, 1}, 0.5, 2, 1).view());
  expect_same_measures(variants, random_image({130, 35, 9}, 0.3, 2, 1).view());
}

TEST_CASE("sums of components, by runs", "[one]") {
  const std::vector<CudaVariant> variants = variants_of({"runs"});
  expect_same_measures(variants, random_image({300, 70, 1}, 0.3, 1, 1).view());
  expect_same_measures(variants, random_image({140, 20, 9}, 0.1, 1, 2).view());
}

TEST_CASE("sums of components in many tiles, by runs", "[small]") {
  const std::vector<CudaVariant> variants = variants_of({"runs", "runs-bytes"});
  expect_same_measures(variants, random_image({1500, 700, 1}, 0.5, 3, 1).view());
  expect_same_measures(variants, random_image({700, 500, 1}, 0.1, 1, 2).view());
  expect_same_measures(variants, random_image({300, 70, 40}, 0.3, 4, 3).view());
  expect_same_measures(variants, random_image({300, 50, 40}, 0.08, 1, 4).view());
}

TEST_CASE("noise, by runs", "[one][small]") {
  const std::vector<CudaVariant> variants = variants_of({"runs"});
  expect_all_right(variants, random_image({129, 70, 1}, 0.1, 1, 1).view());
  expect_all_right(variants, random_image({130, 15, 9}, 0.08, 1, 1).view());
}

TEST_CASE("algorithms with other thread blocks", "[small]") {
  const std::vector<CudaVariant> variants = cuda_variants(block_configurations());
  expect_all_right(variants, random_image({300, 135, 1}, 0.5, 1, 1).view());
}

TEST_CASE("a small image, by algorithms with other thread blocks", "[one]") {
  const std::vector<CudaVariant> variants = cuda_variants(block_configurations());
  expect_all_right(variants, random_image({67, 35, 1}, 0.5, 1, 1).view());
}

TEST_CASE("algorithms that count their accesses to memory", "[small]") {
  const std::vector<CudaVariant> variants = cuda_variants(instrumented_algorithms());
  expect_all_right(variants, random_image({129, 35, 1}, 0.5, 1, 1).view());
  expect_all_right(variants, random_image({33, 7, 5}, 0.3, 1, 1).view());
  for (const CudaVariant& variant : variants)
    if (variant.name == "ke-playne" && variant.connectivity == Connectivity::c4)
      for (const PhaseTime& phase : timed_phases(*variant.labeler, drawn({"###"}).view()))
        if (phase.phase == "ResolveLabels") CHECK(phase.accesses.reads == 11);  // see accesses_test.cpp
}

TEST_CASE("patterns at awkward 2D extents") { expect_patterns(awkward_extents_2d()); }

TEST_CASE("patterns at awkward 3D extents") { expect_patterns(awkward_extents_3d()); }

TEST_CASE("every width up to two words and one, images") {
  expect_every_width_up_to(129, [](int width) { return Extent{width, 37, 1}; });
}

TEST_CASE("every width up to two words and one, volumes") {
  expect_every_width_up_to(129, [](int width) { return Extent{width, 11, 5}; });
}

TEST_CASE("components of an image that cross many thread blocks") {
  expect_patterns_as_on_cpu({1023, 777, 1});
}

TEST_CASE("components of a volume that cross many thread blocks") {
  expect_patterns_as_on_cpu({130, 99, 67});
}

TEST_CASE("decision trees tell apart all neighborhoods of a block") {
  // All values of the sixteen pixels that a tree may ask for, in and around the block at (2, 2), with a gap
  // to the next.
  constexpr int kX[] = {1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 1, 2, 3};
  constexpr int kY[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3};
  constexpr int kAcross = 256;
  BitVolume image({8 * kAcross, 6 * kAcross});
  for (int rule = 0; rule < kAcross * kAcross; ++rule)
    for (int i = 0; i < 16; ++i)
      if ((rule >> i & 1) != 0) image.set(rule % kAcross * 8 + kX[i], rule / kAcross * 6 + kY[i]);
  expect_all_as_on_cpu(variants_of({"c-sauf", "tuf", "c-bbdt", "c-drag"}), image.view());
}

TEST_CASE("every width up to 300, by runs") {
  const std::vector<CudaVariant> variants = variants_of({"runs", "runs-bytes"});
  for (int width = 1; width <= 300; ++width) {
    const auto seed = static_cast<std::uint32_t>(width);
    for (const Extent extent : {Extent{width, 3, 1}, Extent{width, 66, 1}, Extent{width, 5, 19}})
      expect_all_right(variants, random_image(extent, 0.45, 1, seed).view());
  }
}

TEST_CASE("shapes that go through many tiles, by runs") {
  const std::vector<CudaVariant> variants = variants_of({"runs", "runs-bytes"});
  for (const char* kind : {"spiral", "comb", "checkerboard", "dots", "hilbert"})
    for (const Extent extent :
         {Extent{2111, 1999, 1}, Extent{300, 290, 70}, Extent{40000, 9, 1}, Extent{9, 40000, 1}}) {
      INFO(kind << " " << to_string(extent));
      expect_all_as_on_cpu(variants, generated(kind, extent).view());
    }
}

void expect_same_bytes_again(const std::vector<CudaVariant>& variants, int repetitions) {
  const BitVolume image = random_image({700, 500, 1}, 0.45, 1, 3);
  const BitVolume volume = random_image({100, 80, 60}, 0.2, 1, 4);
  for (const CudaVariant& variant : variants)
    for (const BitVolume* input : {&image, &volume}) {
      INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
      const Labeling first = variant.labeler->label(input->view());
      for (int i = 0; i < repetitions; ++i) {
        const Labeling again = variant.labeler->label(input->view());
        REQUIRE(compare(*again.labels, *first.labels).same_numbers);
        REQUIRE(again.components == first.components);
      }
    }
}

TEST_CASE("labeling again gives the same bytes") { expect_same_bytes_again(variants_for_large_images(), 10); }

TEST_CASE("labeling again and again by runs gives the same bytes") {
  expect_same_bytes_again(variants_of({"runs", "runs-bytes"}), 200);
}

TEST_CASE("images higher than a grid", "[.long]") {
  expect_all_as_on_cpu(variants_for_large_images(), random_image({3, 1500001, 1}, 0.5, 1, 5).view());
  expect_all_as_on_cpu(variants_for_large_images(), random_image({3, 2, 140001}, 0.5, 1, 5).view());
}

TEST_CASE("2048x2048, densities and granularities", "[.sweep]") { expect_sweep({2048, 2048, 1}); }

TEST_CASE("256x256x256, densities and granularities", "[.sweep]") { expect_sweep({256, 256, 256}); }

void expect_huge(const std::string& name, Connectivity connectivity, Extent extent, int granularity) {
  INFO(name << ", " << static_cast<int>(connectivity) << "-connectivity, " << to_string(extent));
  const BitVolume image = random_image(extent, 0.3, granularity, 6);
  const auto on_cpu = find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity)->make(0);
  const auto on_gpu = find_variant(*find_algorithm(name, DeviceKind::cuda), connectivity)->make(0);
  const Labeling expected = on_cpu->label(image.view());
  const Labeling labeled = on_gpu->label(image.view());
  REQUIRE(labeled.labels->count() == expected.labels->count());
  REQUIRE(labeled.components == expected.components);
  REQUIRE(first_difference(*labeled.labels, *expected.labels) == extent.rows());
  auto& staged = dynamic_cast<StagedLabeler&>(*on_gpu);
  staged.allocate();
  staged.run(Numbering::consecutive, nullptr);
  REQUIRE(first_difference(staged.labels(), *expected.labels) == extent.rows());
}

TEST_CASE("more elements than 2^31", "[.huge]") {
  using enum Connectivity;
  for (const int granularity : {16, 4}) expect_huge("runs", c26, {2048, 2048, 513}, granularity);
  expect_huge("runs", c6, {2048, 2048, 513}, 4);
  expect_huge("bke", c26, {2048, 2048, 513}, 4);
  expect_huge("uf", c4, {65472, 34001, 1}, 4);
}

TEST_CASE("more elements than 2^32", "[.huge]") {
  for (const int granularity : {8, 3}) expect_huge("runs", Connectivity::c8, {65536, 65537, 1}, granularity);
}

TEST_CASE("rows and columns as long as can be", "[.huge]") {
  expect_huge("runs", Connectivity::c4, {1 << 27, 3, 1}, 4);
  expect_huge("runs", Connectivity::c8, {3, 1 << 24, 1}, 2);
}
