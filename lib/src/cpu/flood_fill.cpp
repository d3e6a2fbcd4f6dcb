// Flood fill: the reference for all other algorithms. Slow, but simple: each component is filled from its
// first element in raster order, with an explicit stack instead of recursion.

#include <algorithm>

#include "common/shape.hpp"
#include "cpu/algorithms.hpp"
#include "cpu/phase_clock.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cpu {
namespace {

struct Element {
  int x, y, z;
};

void add_element(Component& component, Element e) {
  const auto x = static_cast<std::uint64_t>(e.x), y = static_cast<std::uint64_t>(e.y),
             z = static_cast<std::uint64_t>(e.z);
  component.add({1, {{e.x, e.y, e.z}, {e.x, e.y, e.z}}, {x, y, z}});
}

template <Connectivity connectivity>
class FloodFill final : public Labeler {
 public:
  Labeling label(BitView image) override {
    check(image);
    Labeling result;
    auto labels = std::make_unique<LabelImage>(image.extent, 0);
    PhaseClock clock{result.phases};
    clock("Fill", [&] { fill_all(image, *labels, result.components); });
    result.labels = std::move(labels);
    return result;
  }

 private:
  void fill_all(BitView image, LabelImage& labels, Components& components) {
    const Extent extent = image.extent;
    std::fill_n(labels.data(), extent.elements(), Label{0});
    for (int z = 0; z < extent.depth; ++z)
      for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x) {
          if (!image(x, y, z) || labels(x, y, z) != 0) continue;
          if (labels.count() == ~Label{0}) throw Error(ErrorCode::data, "more than 4294967295 components");
          labels.set_count(labels.count() + 1);
          components.push_back(fill_one(image, {x, y, z}, labels));
        }
  }

  /// Labels the component whose first element is `first`, and returns it.
  Component fill_one(BitView image, Element first, LabelImage& labels) {
    Component component;
    const Extent extent = image.extent;
    const auto at = [&](Element e) -> Label& {
      return labels.data()[(std::int64_t{e.z} * extent.height + e.y) * extent.width + e.x];
    };
    at(first) = labels.count();
    stack_.assign(1, first);
    while (!stack_.empty()) {
      const Element here = stack_.back();
      stack_.pop_back();
      add_element(component, here);
      for_each_neighbor<connectivity>([&](int dx, int dy, int dz) {
        const Element next{here.x + dx, here.y + dy, here.z + dz};
        if (!extent.contains(next.x, next.y, next.z) || !image(next.x, next.y, next.z) || at(next) != 0)
          return;
        at(next) = labels.count();
        stack_.push_back(next);
      });
    }
    return component;
  }

  std::vector<Element> stack_;
};

}  // namespace

std::int64_t flood_fill_table_bytes(Connectivity, Extent extent) {
  constexpr std::int64_t kStack = 3 * sizeof(Element);  // per stacked element, while the stack doubles
  return (std::int64_t{sizeof(Label)} + kStack) * extent.elements();
}

std::unique_ptr<Labeler> make_flood_fill(Connectivity connectivity) {
  return with_connectivity(connectivity, []<Connectivity one>() -> std::unique_ptr<Labeler> {
    return std::make_unique<FloodFill<one>>();
  });
}

}  // namespace gpuccl::cpu
