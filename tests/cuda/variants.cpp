#include "cuda/variants.hpp"

#include "gpuccl/compare.hpp"
#include "gpuccl/detail/measures.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/selection.hpp"
#include "support/reference.hpp"
#include "support/test.hpp"

using namespace gpuccl;

namespace tests {
namespace {

void expect_partition(StagedLabeler& labeler, BitView image, const LabelRows& expected) {
  labeler.upload(image);
  labeler.allocate();
  labeler.run(Numbering::provisional, nullptr);
  const LabelImage labels = labeler.labels();
  const Comparison comparison = compare(labels, expected);
  INFO("before renumbering; at " << comparison.x << " " << comparison.y << " " << comparison.z << ": "
                                 << comparison.a << ", expected " << comparison.b);
  REQUIRE(comparison.same_background);
  REQUIRE(comparison.same_partition);
}

void expect_numbers(const LabelRows& labels, const Components& components, const Labeling& expected) {
  const Comparison comparison = compare(labels, *expected.labels);
  INFO("at " << comparison.x << " " << comparison.y << " " << comparison.z << ": " << comparison.a
             << ", expected " << comparison.b);
  REQUIRE(labels.count() == expected.labels->count());
  REQUIRE(comparison.same_numbers);
  REQUIRE(components == expected.components);
}

template <class Reference>
void expect_all(const std::vector<CudaVariant>& variants, BitView image, Reference reference) {
  std::map<Connectivity, Labeling> expected;
  for (const CudaVariant& variant : variants) {
    const auto [at, is_new] = expected.try_emplace(variant.connectivity);
    if (is_new) at->second = reference(variant.connectivity);
    INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity, "
                      << to_string(image.extent));
    if (StagedLabeler* const staged = variant.staged()) {
      expect_partition(*staged, image, *at->second.labels);
      expect_image(*staged, image, at->second);
    }
    const Labeling labeled = variant.labeler->label(image);
    expect_numbers(*labeled.labels, labeled.components, at->second);
  }
}

}  // namespace

std::vector<CudaVariant> cuda_variants(const std::vector<Algorithm>& table) {
  const char* const names = std::getenv("GPUCCL_ALGO");
  const std::string only = names != nullptr ? "," + std::string(names) + "," : "";
  std::vector<CudaVariant> variants;
  for (const Algorithm& algorithm : table)
    if (algorithm.device == DeviceKind::cuda &&
        (only.empty() || only.find("," + algorithm.name + ",") != std::string::npos))
      for (const Variant& variant : algorithm.variants)
        variants.push_back({algorithm.name, variant.connectivity, variant.make(0)});
  return variants;
}

void expect_image(StagedLabeler& labeler, BitView image, const Labeling& expected) {
  labeler.upload(image);
  labeler.allocate();
  labeler.run(Numbering::consecutive, nullptr);
  labeler.statistics(nullptr);
  INFO("image on the device");
  expect_numbers(labeler.labels(), labeler.components(), expected);
}

PhaseTimes timed_phases(Labeler& labeler, BitView image) {
  labeler.time_phases(true);
  PhaseTimes phases = labeler.label(image).phases;
  labeler.time_phases(false);
  return phases;
}

void expect_all_right(const std::vector<CudaVariant>& variants, BitView image) {
  expect_all(variants, image, [&](Connectivity connectivity) { return flood_fill(image, connectivity); });
}

void expect_all_as_on_cpu(const std::vector<CudaVariant>& variants, BitView image) {
  const Algorithm& runs = *find_algorithm("runs", DeviceKind::cpu);
  std::vector<std::unique_ptr<Labeler>> labelers;  // which the labels live as long as
  expect_all(variants, image, [&](Connectivity connectivity) {
    labelers.push_back(find_variant(runs, connectivity)->make(0));
    return labelers.back()->label(image);
  });
}

void expect_components_alone(const std::vector<CudaVariant>& variants, BitView image) {
  for (const CudaVariant& variant : variants) {
    INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
    StagedLabeler& staged = *variant.staged();
    staged.release();
    staged.upload(image);
    staged.run_components();
    staged.statistics(nullptr);
    REQUIRE(staged.components() == flood_fill(image, variant.connectivity).components);
  }
}

void expect_same_measures(const std::vector<CudaVariant>& variants, BitView image) {
  for (const CudaVariant& variant : variants) {
    INFO(variant.name << ", " << static_cast<int>(variant.connectivity) << "-connectivity");
    const Labeling expected = flood_fill(image, variant.connectivity);
    BitVolume inverted(image.extent);
    draw_background(*expected.labels, 0, inverted);
    const Labeling background = flood_fill(inverted.view(), complementary(variant.connectivity));
    MeasureRequest request;
    for (const MeasureGroup group : {MeasureGroup::shape, MeasureGroup::topology, MeasureGroup::border})
      request.wanted |= measures_of(group);
    request.connectivity = variant.connectivity;
    request.background = &background;
    const MeasureTable of_expected = measure(*expected.labels, expected.components, request);
    variant.labeler->gather(layout_of_sums(request.wanted, variant.connectivity));
    Labeling labeled = variant.labeler->label(image);
    variant.labeler->gather({});
    REQUIRE(labeled.sums.words.empty() == (variant.name != "runs" && variant.name != "runs-bytes"));
    request.gathered = &labeled.sums;
    const MeasureTable of_labeled = measure(*labeled.labels, labeled.components, request);
    REQUIRE(labeled.sums.words.empty());
    REQUIRE(labeled.components == expected.components);
    for (std::size_t i = 0; i < expected.components.size(); ++i) {
      const MeasureValues a = of_expected.values(expected.components, i),
                          b = of_labeled.values(labeled.components, i);
      for (const MeasureId id : of_expected.columns()) {
        INFO(measure_of(id).name << " of component " << i + 1 << ": " << b[id] << ", expected " << a[id]);
        REQUIRE((a[id] == b[id] || (std::isnan(a[id]) && std::isnan(b[id]))));
      }
    }
  }
}

}  // namespace tests
