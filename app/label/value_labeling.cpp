#include "app/label/value_labeling.hpp"

#include <utility>

namespace gpuccl::app {

void ValueLabeling::plan(const io::Reader& reader, LabelWork& work) {
  type_ = reader.value_type();
  check_value_type(*type_, options_);
  work.values = type_;
  work.delta = options_.most_difference();
  if (work.engine.device != DeviceChoice::cuda) work.engine.device = DeviceChoice::cpu;
}

void ValueLabeling::read(io::Reader& reader, int depth) {
  image_.emplace(reader.read_values(0, depth, options_.most_difference()));
}

Labeled ValueLabeling::label(Engine& engine, Connectivity connectivity, EngineReport& report) {
  return keep(engine.label_values(*std::exchange(image_, std::nullopt), connectivity, &report));
}

Labeled ValueLabeling::label_by_slabs(const SlabInput& input, Connectivity connectivity,
                                      const MemoryPlan& plan, SlabTotals& totals) {
  return keep(label_value_slabs(input, connectivity, options_.most_difference(), plan, totals));
}

Labeled ValueLabeling::keep(LabeledValues labeled) {
  values_ = std::move(labeled.values);
  return std::move(labeled.labeled);
}

}  // namespace gpuccl::app
