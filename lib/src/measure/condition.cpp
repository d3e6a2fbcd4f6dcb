#include <algorithm>
#include <cstdint>

#include "gpuccl/selection.hpp"

namespace gpuccl {
namespace {

bool compare(double value, Condition::Relation relation, double number) {
  using enum Condition::Relation;
  switch (relation) {
    case less:
      return value < number;
    case at_most:
      return value <= number;
    case greater:
      return value > number;
    case at_least:
      return value >= number;
    case equal:
      return value == number;
    case unequal:
      return value != number;
  }
  return false;
}

}  // namespace

bool Condition::holds(std::span<const MeasureValues> measures, double value) const {
  static_assert(kDeepest <= 64);
  std::uint64_t results = steps.empty() ? 1 : 0;  // a stack, the last in bit 0
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::comparison || step.kind == Step::Kind::comparison_of_value) {
      const double compared =
          step.kind == Step::Kind::comparison ? measures[step.image][step.measure] : value;
      results = results << 1 | std::uint64_t{compare(compared, step.relation, step.number)};
    } else {
      const std::uint64_t last = results & 1;
      results >>= 1;
      if (step.kind == Step::Kind::both) results &= ~std::uint64_t{1} | last;
      if (step.kind == Step::Kind::either) results |= last;
    }
  }
  return (results & 1) != 0;
}

std::size_t Condition::images() const {
  std::size_t images = 1;
  for (const Step& step : steps) images = std::max(images, step.image + 1);
  return images;
}

MeasureSet Condition::measures() const {
  MeasureSet compared;
  for (const Step& step : steps)
    if (step.kind == Step::Kind::comparison) compared.set(static_cast<std::size_t>(step.measure));
  return compared;
}

bool Condition::compares_value() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::comparison_of_value; });
}

}  // namespace gpuccl
