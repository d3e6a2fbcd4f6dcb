#pragma once

#include <algorithm>
#include <vector>

#include "gpuccl/measures.hpp"

namespace tests {

/// An intensity image in memory: `samples` as doubles, or `long_samples` for samples of 64 bits.
class Samples final : public gpuccl::IntensityImage {
 public:
  Samples(gpuccl::Extent extent, Kind kind, Values values = {})
      : extent_(extent), kind_(kind), values_(values) {
    const auto count = static_cast<std::size_t>(extent.elements());
    if (kind == Kind::long_whole) long_samples.resize(count);
    samples.resize(count);
  }

  gpuccl::Extent extent() const override { return extent_; }
  Kind kind() const override { return kind_; }
  Values values() const override { return values_; }
  int slices_at_once(int) const override { return at_once; }
  bool reads_bands() const override { return bands; }
  void read(int z, int first, int last, const Sink& sink) const override {
    const int end = bands ? last : extent_.height;
    for (int y = bands ? first : 0; y < end; y += rows)
      sink(y, std::min(rows, end - y),
           samples.data() + (std::int64_t{z} * extent_.height + y) * extent_.width);
  }
  void read_long(int z, int, int, const LongSink& sink) const override {
    sink(0, extent_.height, long_samples.data() + std::int64_t{z} * extent_.height * extent_.width);
  }

  std::vector<double> samples;
  std::vector<gpuccl::WholeNumber> long_samples;
  int at_once = 1, rows = 1;
  bool bands = false;

 private:
  gpuccl::Extent extent_;
  Kind kind_;
  Values values_;
};

}  // namespace tests
