#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/label/label_slabs.hpp"
#include "app/label/memory_plan.hpp"
#include "app/label/value_options.hpp"
#include "app/label/written_values.hpp"
#include "gpuccl/column.hpp"
#include "gpuccl/count_runs.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/selection.hpp"
#include "gpuccl/values.hpp"
#include "io/read/reader.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::app {

/// One input that is labeled by its values: the steps of a LabelJob that differ for it, and the value of
/// each component. Of a binary image it does nothing.
class ValueLabeling {
 public:
  /// `options` must outlive it.
  explicit ValueLabeling(const ValueOptions& options) : options_(options) {}

  /// Says in `work` what is labeled, and by what. Error (data, usage) if the values cannot be compared so.
  void plan(const io::Reader& reader, LabelWork& work);

  void read(io::Reader& reader, int depth);
  bool is_read() const { return image_.has_value(); }
  void forget() { image_.reset(); }
  std::int64_t foreground() const { return image_->count_foreground(); }
  RunCounts runs() const { return {image_->count_runs(), image_->most_runs_in_row()}; }

  /// Labels what was read, and forgets it.
  Labeled label(Engine& engine, Connectivity connectivity, EngineReport& report);
  Labeled label_by_slabs(const SlabInput& input, Connectivity connectivity, const MemoryPlan& plan,
                         SlabTotals& totals);

  /// Component i goes on as map[i + 1] - 1 of so many, or is gone where that is 0.
  void follow(const std::vector<Label>& map, std::size_t components) {
    gpuccl::follow(map, components, values_);
  }

  /// Of each component; empty of a binary image.
  const Column<ValueBits>& values() const { return values_; }
  /// The same, as select() takes them.
  ComponentValues of_components() const {
    return type_ ? ComponentValues{values_, *type_, options_.per_value} : ComponentValues{};
  }
  io::ValueColumn column() const { return {true, *type_, values_}; }
  /// `map`: from labels to components.
  WrittenValues written(const std::vector<Label>& map) const { return written_values(*type_, values_, map); }

 private:
  Labeled keep(LabeledValues labeled);

  const ValueOptions& options_;
  std::optional<ValueType> type_;
  std::optional<ValueImage> image_;
  Column<ValueBits> values_;
};

}  // namespace gpuccl::app
