#include "io/read/label_numbers.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// The finalizer of SplitMix64: labels may have their bits anywhere.
std::size_t LabelNumbers::Mixed::operator()(std::uint64_t label) const noexcept {
  label = (label ^ (label >> 30)) * 0xbf58476d1ce4e5b9u;
  label = (label ^ (label >> 27)) * 0x94d049bb133111ebu;
  return label ^ (label >> 31);
}

void LabelNumbers::number_row(std::span<const std::uint64_t> labels, Label* numbers) {
  Recent& recent = recent_.local();
  std::uint64_t label = 0;
  Label number = 0;
  for (std::size_t x = 0; x < labels.size(); ++x) {
    if (labels[x] != label) {
      label = labels[x];
      number = number_of(label, recent);
    }
    numbers[x] = number;
  }
}

Label LabelNumbers::number_of(std::uint64_t label, Recent& recent) {
  if (label == 0) return 0;
  Numbered& last = recent[Mixed()(label) % kRecent];
  if (last.label != label) last = {label, look_up(label)};
  return last.number;
}

Label LabelNumbers::look_up(std::uint64_t label) {
  {
    const std::shared_lock reading(mutex_);
    const auto found = numbers_.find(label);
    if (found != numbers_.end()) return found->second;
  }
  const std::unique_lock writing(mutex_);
  const std::size_t most = std::min<std::size_t>(std::numeric_limits<Label>::max(),
                                                 static_cast<std::size_t>(max_bytes_ / kBytesOfLabel));
  const auto [place, is_new] = numbers_.try_emplace(label, static_cast<Label>(numbers_.size() + 1));
  if (is_new && numbers_.size() > most)
    throw Error(Failure::memory,
                "more than " + std::to_string(most) + " different labels of 64 bits do not fit in memory");
  return place->second;
}

std::vector<std::uint64_t> LabelNumbers::sort(LabelImage& image) {
  std::vector<std::uint64_t> labels;
  labels.reserve(numbers_.size());
  for (const auto& [label, number] : numbers_) labels.push_back(label);
  std::sort(labels.begin(), labels.end());
  std::vector<Label> places(labels.size() + 1, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) places[numbers_[labels[i]]] = static_cast<Label>(i + 1);
  numbers_ = {};

  using Elements = oneapi::tbb::blocked_range<std::int64_t>;
  oneapi::tbb::parallel_for(Elements(0, image.extent().elements(), 1 << 16), [&](const Elements& elements) {
    for (std::int64_t i = elements.begin(); i < elements.end(); ++i)
      image.data()[i] = places[image.data()[i]];
  });
  image.set_count(static_cast<Label>(labels.size()));
  return labels;
}

}  // namespace gpuccl::io
