#pragma once

#include <functional>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/no_thread.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl {

/// Labels that are still on a device, and where to get the same ones from when the device fails.
class RescuedLabels final : public LabelSource {
 public:
  /// What to read instead after `error`; throws where there is nothing.
  using Rescue = std::function<std::unique_ptr<LabelSource>(const Error& error)>;

  RescuedLabels(std::unique_ptr<LabelSource> labels, Rescue rescue)
      : labels_(std::move(labels)), rescue_(std::move(rescue)) {}

  Extent extent() const override { return labels_->extent(); }
  Label count() const override { return labels_->count(); }
  std::int64_t prepare(std::int64_t first_row, std::int64_t rows) const override {
    try {
      return labels_->prepare(first_row, rows);
    } catch (const Error& error) {
      labels_ = rescue_(error);
    } catch (const std::system_error&) {
      labels_ = rescue_(no_thread());
    }
    return labels_->prepare(first_row, rows);
  }
  void render(std::int64_t first_row, std::int64_t rows, LabelsOut out, const Label* map) const override {
    labels_->render(first_row, rows, out, map);
  }
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label* map) const override {
    labels_->list_runs(first_row, rows, out, map);
  }

 private:
  mutable std::unique_ptr<LabelSource> labels_;  // only prepare() changes it
  Rescue rescue_;
};

}  // namespace gpuccl
