#include "io/report/value_table.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <unordered_map>

namespace gpuccl::io {
namespace {

class Sums {
 public:
  void add(const OfValue& more) {
    OfValue& sum = sums_[more.value];
    sum.value = more.value;
    sum.components += more.components;
    sum.elements += more.elements;
    sum.largest = std::max(sum.largest, more.largest);
  }

  std::vector<OfValue> sorted(ValueType type) const {
    std::vector<OfValue> all;
    all.reserve(sums_.size());
    for (const auto& [value, sum] : sums_) all.push_back(sum);
    std::sort(all.begin(), all.end(), [type](const OfValue& a, const OfValue& b) {
      if (is_floating(type)) return std::bit_cast<double>(a.value) < std::bit_cast<double>(b.value);
      return is_signed(type) ? static_cast<std::int64_t>(a.value) < static_cast<std::int64_t>(b.value)
                             : a.value < b.value;
    });
    return all;
  }

 private:
  std::unordered_map<ValueBits, OfValue> sums_;
};

}  // namespace

std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components) {
  Sums sums;
  for (std::size_t i = 0; i < components.size(); ++i)
    sums.add({column.values[i], 1, components.area[i], components.area[i]});
  return sums.sorted(column.type);
}

std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all) {
  Sums sums;
  for (const OfValue& one : all) sums.add(one);
  return sums.sorted(type);
}

}  // namespace gpuccl::io
