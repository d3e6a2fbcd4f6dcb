#include "io/report/value_table.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>

namespace gpuccl::io {
namespace {

/// Returns a key that sorts values of the type as numbers.
ValueBits rank(ValueType type, ValueBits value) {
  constexpr ValueBits kSign = ValueBits{1} << 63;
  if (is_floating(type)) return (value & kSign) != 0 ? ~value : value | kSign;
  return is_signed(type) ? value ^ kSign : value;
}

void add(OfValue& sum, const OfValue& more) {
  sum.value = more.value;
  sum.components += more.components;
  sum.elements += more.elements;
  sum.largest = std::max(sum.largest, more.largest);
}

class Sums {
 public:
  void add(const OfValue& more) { io::add(sums_[more.value], more); }
  std::size_t size() const { return sums_.size(); }

  std::vector<OfValue> sorted(ValueType type) const {
    std::vector<OfValue> all;
    all.reserve(sums_.size());
    for (const auto& [value, sum] : sums_) all.push_back(sum);
    std::sort(all.begin(), all.end(), [type](const OfValue& a, const OfValue& b) {
      return rank(type, a.value) < rank(type, b.value);
    });
    return all;
  }

 private:
  std::unordered_map<ValueBits, OfValue> sums_;
};

/// Sums of nearly as many values as components: a hash table would take several times the memory of the sums.
std::vector<OfValue> sum_up_many(const ValueColumn& column, const Components& components) {
  std::vector<Label> order(components.size());
  std::iota(order.begin(), order.end(), Label{0});
  std::sort(order.begin(), order.end(), [&](Label a, Label b) {
    return rank(column.type, column.values[a]) < rank(column.type, column.values[b]);
  });
  const auto begins = [&](std::size_t i) {
    return i == 0 || column.values[order[i]] != column.values[order[i - 1]];
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) count += begins(i) ? 1 : 0;
  std::vector<OfValue> sums;
  sums.reserve(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (begins(i)) sums.emplace_back();
    const std::uint64_t area = components.area[order[i]];
    add(sums.back(), {column.values[order[i]], 1, area, area});
  }
  return sums;
}

}  // namespace

std::vector<OfValue> sum_up_values(const ValueColumn& column, const Components& components) {
  constexpr std::size_t kFew = 1 << 16;
  Sums sums;
  for (std::size_t i = 0; i < components.size(); ++i) {
    sums.add({column.values[i], 1, components.area[i], components.area[i]});
    if (sums.size() > kFew) return sum_up_many(column, components);
  }
  return sums.sorted(column.type);
}

std::vector<OfValue> sum_up_values(ValueType type, const std::vector<OfValue>& all) {
  Sums sums;
  for (const OfValue& one : all) sums.add(one);
  return sums.sorted(type);
}

}  // namespace gpuccl::io
