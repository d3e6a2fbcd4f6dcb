#include "measure/value_counts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>

#include "measure/percentiles.hpp"

namespace gpuccl::measuring {
namespace {

constexpr int kValueBits = 16;  // of a saved word; the count of the value is above them

/// Returns true if counts take less memory than samples.
bool is_large(std::uint64_t area, IntensityImage::Values values) {
  return area / (sizeof(std::uint64_t) / sizeof(std::uint16_t)) > static_cast<std::uint64_t>(values.count);
}

/// Sets the percentiles of samples. sample_at(rank): the sample that `rank` others precede.
template <class SampleAt>
void put_percentiles(std::uint64_t count, const SampleAt& sample_at, MeasureValues& values) {
  for (int i = 0; i < Percentile::kCount; ++i) {
    const Percentile percentile = Percentile::of(i, count);
    const double low = sample_at(percentile.rank);
    values[percentile.id] =
        percentile.between(low, percentile.rank + 1 < count ? sample_at(percentile.rank + 1) : low);
  }
}

/// Sorts samples below `values`: few by comparison, many by counting or, if there may be many different
/// values, by their lower and then their upper bytes.
void sort(std::span<std::uint16_t> samples, std::int32_t values) {
  constexpr std::size_t kFew = 64, kByte = 256;
  if (samples.size() < kFew || (values > static_cast<std::int32_t>(kByte) && samples.size() < 4 * kByte))
    return std::sort(samples.begin(), samples.end());
  std::array<std::uint32_t, kByte> ends;
  const auto count = [&](int shift) {
    ends.fill(0);
    for (const std::uint16_t sample : samples) ++ends[sample >> shift & 0xff];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
  };
  if (values <= static_cast<std::int32_t>(kByte)) {
    count(0);
    for (std::size_t value = 0, at = 0; value < kByte; at = ends[value++])
      std::fill(samples.begin() + static_cast<std::ptrdiff_t>(at), samples.begin() + ends[value],
                static_cast<std::uint16_t>(value));
    return;
  }
  std::vector<std::uint16_t> by_lower(samples.size());
  const auto distribute = [&](const auto& from, auto& to, int shift) {
    count(shift);
    for (std::size_t i = from.size(); i-- > 0;) to[--ends[from[i] >> shift & 0xff]] = from[i];
  };
  distribute(samples, by_lower, 0);
  distribute(by_lower, samples, 8);
}

}  // namespace

ValueCounts::ValueCounts(const Components& components, IntensityImage::Values values)
    : values_(values), areas_(components.area.begin(), components.area.end()), taken_(areas_.size()) {
  std::uint64_t samples = 0, counts = 0;
  for (const std::uint64_t area : areas_) {
    const bool large = is_large(area, values);
    begins_.push_back(large ? counts : samples);
    (large ? counts : samples) += large ? static_cast<std::uint64_t>(values.count) : area;
  }
  samples_.resize(samples);
  counts_.resize(counts);
}

std::int64_t ValueCounts::bytes(const Components& components, IntensityImage::Values values) {
  constexpr std::int64_t kOfComponent = 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
  std::int64_t bytes = kOfComponent * static_cast<std::int64_t>(components.size());
  for (const std::uint64_t area : components.area)
    bytes += is_large(area, values) ? values.count * std::int64_t{sizeof(std::uint64_t)}
                                    : static_cast<std::int64_t>(area) * std::int64_t{sizeof(std::uint16_t)};
  return bytes;
}

void ValueCounts::add(std::size_t component, const double* samples, int count) {
  const auto value = [&](int i) { return static_cast<std::int32_t>(samples[i]) - values_.first; };
  if (is_large(areas_[component], values_)) {
    std::uint64_t* const counts = counts_.data() + begins_[component];
    for (int i = 0; i < count; ++i) std::atomic_ref(counts[value(i)]).fetch_add(1, std::memory_order_relaxed);
  } else {
    const std::uint32_t taken = std::atomic_ref(taken_[component])
                                    .fetch_add(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    std::uint16_t* const to = samples_.data() + begins_[component] + taken;
    for (int i = 0; i < count; ++i) to[i] = static_cast<std::uint16_t>(value(i));
  }
}

void ValueCounts::save(std::size_t component, std::vector<std::uint64_t>& saved) const {
  const std::size_t begin = begins_[component];
  if (is_large(areas_[component], values_)) {
    for (std::uint64_t value = 0; value < static_cast<std::uint64_t>(values_.count); ++value)
      if (const std::uint64_t count = counts_[begin + value]; count != 0)
        saved.push_back(count << kValueBits | value);
  } else {
    for (std::size_t i = 0; i < taken_[component]; ++i)
      saved.push_back(std::uint64_t{1} << kValueBits | samples_[begin + i]);
  }
}

bool ValueCounts::add_saved(std::size_t component, std::span<const std::uint64_t> saved) {
  const bool large = is_large(areas_[component], values_);
  for (const std::uint64_t word : saved) {
    const auto value = static_cast<std::uint16_t>(word);
    const std::uint64_t count = word >> kValueBits;
    if (value >= values_.count) return false;
    if (large) {
      counts_[begins_[component] + value] += count;
    } else {
      if (count != 1 || taken_[component] >= areas_[component]) return false;
      samples_[begins_[component] + taken_[component]++] = value;
    }
  }
  return true;
}

void ValueCounts::derive(std::size_t component, MeasureValues& values) {
  const std::uint64_t area = areas_[component];
  if (is_large(area, values_)) {
    const std::uint64_t* const counts = counts_.data() + begins_[component];
    const auto sample_at = [&](std::uint64_t rank) {
      std::int32_t value = 0;
      for (; rank >= counts[value] && value + 1 < values_.count; ++value) rank -= counts[value];
      return static_cast<double>(value + values_.first);
    };
    put_percentiles(area, sample_at, values);
  } else {
    const std::span<std::uint16_t> samples(samples_.data() + begins_[component], area);
    sort(samples, values_.count);
    const auto sample_at = [&](std::uint64_t rank) {
      return static_cast<double>(samples[rank] + values_.first);
    };
    put_percentiles(area, sample_at, values);
  }
}

}  // namespace gpuccl::measuring

bool gpuccl::needs_value_counts(const MeasureSet& wanted) {
  for (int i = 0; i < measuring::Percentile::kCount; ++i)
    if (wanted[static_cast<std::size_t>(measuring::Percentile::of(i, 1).id)]) return true;
  return false;
}
