#include "app/bench/reference.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "gpuccl/objects.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::int64_t kElementsCompared = 1 << 18;

Labeled label_by_engine(BitView image, Connectivity connectivity) {
  const Algorithm& runs = *find_algorithm("runs", DeviceKind::cpu);
  return find_variant(runs, connectivity)->make(0)->label(image);
}

bool equal(const LabelImage& a, const LabelSource& b) {
  const std::int64_t width = a.extent().width;
  const std::int64_t rows_a_strip = std::max<std::int64_t>(1, kElementsCompared / width);
  std::atomic<bool> same = true;
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, a.extent().rows(), static_cast<std::size_t>(rows_a_strip)),
      [&](const auto& rows) {
        if (!same) return;
        const std::int64_t count = rows.end() - rows.begin();
        std::vector<Label> strip(static_cast<std::size_t>(count * width));
        b.render(rows.begin(), count, strip.data(), nullptr);
        if (!std::equal(strip.begin(), strip.end(), a.data() + rows.begin() * width)) same = false;
      });
  return same;
}

std::string first_difference(const LabelImage& expected, const LabelSource& found) {
  const Comparison comparison = compare(expected, found);
  const auto number = [](auto value) { return std::to_string(value); };
  return "label at (" + number(comparison.x) + ", " + number(comparison.y) + ", " + number(comparison.z) +
         ") is " + number(comparison.b) + " instead of " + number(comparison.a);
}

}  // namespace

// The engine's labeler is gone when its labels are used, its image is not: they keep what they need.
Reference::Reference(BitView image, Connectivity connectivity)
    : Reference(label_by_engine(image, connectivity)) {}

Reference::Reference(Labeled labeled)
    : labels_(render_all(*labeled.labels)), components_(std::move(labeled.components)) {}

std::string Reference::difference(const Labeled& labeled) const {
  const LabelSource& labels = *labeled.labels;
  if (labels.extent() != labels_.extent()) return "labels have another size than the image";
  if (labels.count() != labels_.count())
    return std::to_string(labels.count()) + " components instead of " + std::to_string(labels_.count());
  if (!equal(labels_, labels)) return first_difference(labels_, labels);
  if (labeled.components != components_) return "statistics of components differ";
  return {};
}

}  // namespace gpuccl::bench
