#include "measure/derived.hpp"
#include "measure/group.hpp"

namespace gpuccl::measuring {
namespace {

/// Copies area, bounding box and centroid, which are always computed.
class Basic final : public Group {
 public:
  explicit Basic(const MeasureContext& labeling)
      : formulas_{labeling.is_volume(),
                  labeling.is_volume(),
                  {labeling.request.spacing[0], labeling.request.spacing[1], labeling.request.spacing[2]}} {}

  void derive(const Sums& sums, MeasureValues& values) const override {
    const Component& component = sums.component;
    formulas_.derive(component.area, component.box.min.data(), component.box.max.data(), component.sum.data(),
                     values);
  }

 private:
  BasicFormulas formulas_;
};

}  // namespace

std::unique_ptr<Group> make_basic(const MeasureContext& labeling) {
  return std::make_unique<Basic>(labeling);
}

}  // namespace gpuccl::measuring
