#include "app/bench/timed_labeler.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"

namespace gpuccl::bench {
namespace {

constexpr std::int64_t kElementsAStrip = 1 << 16;

/// Reads the bits of one row and fills its labels with a value that depends on all of them.
void stream_row(const std::uint32_t* words, std::int64_t pitch, int width, Label* out) {
  std::uint32_t value = 0;
  for (std::int64_t i = 0; i < pitch; ++i) value ^= words[i];
  std::memset(out, static_cast<int>(value & 0xffu), static_cast<std::size_t>(width) * sizeof(Label));
}

}  // namespace

std::string FloorKind::name() const {
  if (device == DeviceKind::cpu) return "host-bits";
  return bits_per_element == 1 ? "gpu-bits" : "gpu-bytes";
}

double host_stream_floor_ms(Extent extent, int repetitions) {
  const BitVolume image(extent);
  LabelImage labels(extent, 0);
  const auto rows_a_strip =
      static_cast<std::size_t>(std::max<std::int64_t>(1, kElementsAStrip / extent.width));
  std::vector<double> samples;
  for (int i = -1; i < repetitions; ++i) {
    const app::Stopwatch stopwatch;
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, extent.rows(), rows_a_strip), [&](const auto& rows) {
          for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
            stream_row(image.row(row), image.row_pitch(), extent.width, labels.data() + row * extent.width);
        });
    if (i >= 0) samples.push_back(stopwatch.milliseconds());
  }
  return quantile(samples, 0.5);
}

BandwidthBound Floors::measured(DeviceKind device, Extent extent) const {
  if (device == DeviceKind::cuda) return measure_bandwidth_bound(gpu_, extent, repetitions_);
  BandwidthBound floor;
  floor.from_bits_ms = host_stream_floor_ms(extent, repetitions_);
  return floor;
}

double Floors::milliseconds(FloorKind kind, Extent extent, int copies) {
  extent.depth *= copies;
  const auto [at, is_new] = known_.try_emplace({kind.device, extent.width, extent.height, extent.depth});
  if (is_new) at->second = measured(kind.device, extent);
  return (kind.bits_per_element == 1 ? at->second.from_bits_ms : at->second.from_bytes_ms) / copies;
}

constexpr std::int64_t kBeyondCaches = std::int64_t{256} << 20;  // bytes; twice the largest L2 of a GPU yet
constexpr std::int64_t kMostCopies = 64;

int copies(const TimingOptions& timing, Extent extent) {
  if (!timing.rotate) return 1;
  const std::int64_t bytes = extent.elements() * static_cast<std::int64_t>(sizeof(Label));
  return static_cast<int>(std::clamp<std::int64_t>(kBeyondCaches / bytes + 1, 2, kMostCopies));
}

std::unique_ptr<TimedLabeler> make_timed_labeler(const Variant& variant, int gpu) {
  std::unique_ptr<Labeler> labeler = variant.make(gpu);
  if (dynamic_cast<StagedLabeler*>(labeler.get()) == nullptr)
    return make_timed_host_labeler(variant, std::move(labeler));
  labeler.reset();  // the stages have labelers of their own, one a copy
  return make_timed_staged_labeler(variant, gpu);
}

}  // namespace gpuccl::bench
