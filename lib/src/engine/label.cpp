#include <utility>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"

namespace gpuccl {
namespace {

Labeled label_by_runs(BitView image, Connectivity connectivity) {
  return find_variant(*find_algorithm("runs", DeviceKind::cpu), connectivity)->make(0)->label(image);
}

}  // namespace

LabeledImage label(BitView image, Connectivity connectivity) {
  Labeled labeled = label_by_runs(image, connectivity);
  return {render_all(*labeled.labels), std::move(labeled.components)};
}

Components label(BitView image, Connectivity connectivity, Label* labels) {
  Labeled labeled = label_by_runs(image, connectivity);
  render_all(*labeled.labels, labels);
  return std::move(labeled.components);
}

}  // namespace gpuccl
