#include "gpuccl/intensity.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "gpuccl/error.hpp"
#include "measure/long_sums.hpp"
#include "measure/not_enough_memory.hpp"
#include "measure/real_sums.hpp"
#include "measure/value_counts.hpp"
#include "measure/whole_sums.hpp"

namespace gpuccl {
namespace {

constexpr auto kFirst = static_cast<std::size_t>(MeasureId::intensity_min);
constexpr auto kLast = static_cast<std::size_t>(MeasureId::cz_weighted);
constexpr std::size_t kEach = kLast - kFirst + 1;

/// Sums of all components, from label runs and samples side by side.
template <class Sums>
class IntensityPass {
 public:
  IntensityPass(const LabelSource& labels, const Components& components, const IntensityImage& image,
                measuring::ValueCounts* counts, std::int64_t max_bytes)
      : labels_(labels), components_(components), image_(image), counts_(counts), sums_(components.size()) {
    most_parts_ = static_cast<std::uint64_t>(max_bytes) / kBytesOfPart;
  }

  std::vector<Sums> run() {
    const Extent extent = labels_.extent();
    count_parts();
    for (int z = 0, next = 0; z < extent.depth; z = next) {
      const std::int64_t first = static_cast<std::int64_t>(z) * extent.height;
      if (first >= ready_) ready_ = labels_.prepare(first, 1);
      next = static_cast<int>(std::min<std::int64_t>(ready_ / extent.height, z + image_.slices_at_once()));
      next = std::max(next, z + 1);
      while (next > z + 1 && parts_in(z, next) > most_parts_) --next;
      if (next == z + 1 && parts_in(z, next) > most_parts_ && !Sums::kInAnyOrder)
        throw measuring::not_enough_memory("measures of intensity need",
                                           static_cast<std::int64_t>(parts_in(z, next) * kBytesOfPart));
      in_place_ = next == z + 1 && Sums::kInAnyOrder;
      std::vector<Parts> parts(static_cast<std::size_t>(next - z));
      const auto measure = [&](int i) { measure_slice(i, parts[static_cast<std::size_t>(i - z)]); };
      if (next == z + 1) {
        measure(z);  // more rows are made ready on the way
      } else {
        tbb::parallel_for(z, next, measure);
      }
      for (const Parts& of_slice : parts)
        for (const auto& [label, part] : of_slice) sums_[label - 1].add(part);
    }
    return std::move(sums_);
  }

 private:
  using Sample = typename Sums::Sample;
  /// Of components that other slices have elements of, too.
  using Parts = std::unordered_map<Label, Sums>;

  static constexpr std::size_t kBytesOfPart = sizeof(Sums) + 48;

  /// How many parts each slice has.
  void count_parts() {
    std::vector<std::int64_t> more(static_cast<std::size_t>(labels_.extent().depth) + 1);
    for (const Box& box : components_.box) {
      if (box.min[2] == box.max[2]) continue;
      ++more[static_cast<std::size_t>(box.min[2])];
      --more[static_cast<std::size_t>(box.max[2]) + 1];
    }
    std::partial_sum(more.begin(), more.end(), more.begin());
    parts_before_.resize(more.size());
    std::exclusive_scan(more.begin(), more.end(), parts_before_.begin(), std::int64_t{0});
  }
  /// Of slices [begin, end).
  std::uint64_t parts_in(int begin, int end) const {
    return static_cast<std::uint64_t>(parts_before_[static_cast<std::size_t>(end)] -
                                      parts_before_[static_cast<std::size_t>(begin)]);
  }

  void measure_slice(int z, Parts& parts) {
    const std::int64_t top = static_cast<std::int64_t>(z) * labels_.extent().height;
    LabelRuns runs;
    const auto take = [&](int y, int rows, const Sample* samples) {
      for (int end = y + rows; y < end;) {
        if (top + y >= ready_) ready_ = labels_.prepare(top + y, 1);
        const auto some = static_cast<int>(std::min<std::int64_t>(end - y, ready_ - (top + y)));
        labels_.list_runs(top + y, some, runs, nullptr);
        add_rows(runs, y, z, samples, parts);
        y += some;
        samples += static_cast<std::ptrdiff_t>(some) * labels_.extent().width;
      }
    };
    if constexpr (std::is_same_v<Sample, WholeNumber>)
      image_.read_long(z, take);
    else
      image_.read(z, take);
  }

  void add_rows(const LabelRuns& runs, int y, int z, const Sample* samples, Parts& parts) {
    Label last = 0;
    Sums* sums = nullptr;
    std::size_t i = 0;
    for (const std::size_t end : runs.ends) {
      for (; i < end; ++i) {
        const LabelRun& run = runs.runs[i];
        if (run.label != last) {
          last = run.label;
          const Box& box = components_.box[last - 1];
          sums = in_place_ || box.min[2] == box.max[2] ? &sums_[last - 1] : &parts[last];
        }
        sums->add({run.begin, y, z, run.end - run.begin, samples + run.begin});
        if constexpr (std::is_same_v<Sample, double>)
          if (counts_ != nullptr) counts_->add(last - 1, samples + run.begin, run.end - run.begin);
      }
      ++y;
      samples += labels_.extent().width;
    }
  }

  const LabelSource& labels_;
  const Components& components_;
  const IntensityImage& image_;
  measuring::ValueCounts* counts_;
  std::vector<Sums> sums_;
  std::vector<std::int64_t> parts_before_;  // of the slices before each
  std::uint64_t most_parts_;                // at once
  bool in_place_ = false;   // slices are measured one by one, and sums do not depend on the order
  std::int64_t ready_ = 0;  // rows that the labels can list, up to here
};

template <class Sums>
Intensities measured(const LabelSource& labels, const Components& components, const IntensityImage& image,
                     measuring::ValueCounts* counts, std::int64_t max_bytes) {
  const std::vector<Sums> sums = IntensityPass<Sums>(labels, components, image, counts, max_bytes).run();
  Intensities intensities(components.size());
  std::atomic<std::uint64_t> nans = 0;
  std::mutex setting_large;
  tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t i) {
    MeasureValues values;
    sums[i].derive(values);
    if (counts != nullptr) counts->derive(i, values);
    intensities.set(i, values);
    if (values.any_large()) {
      const std::lock_guard lock(setting_large);
      intensities.set_large(i, values);
    }
    nans += sums[i].nans();
  });
  intensities.nans = nans;
  return intensities;
}

}  // namespace

Intensities::Intensities(std::size_t components) : values_(components * kEach) {}

void Intensities::set(std::size_t i, const MeasureValues& values) {
  for (std::size_t k = 0; k < kEach; ++k) values_[i * kEach + k] = values[static_cast<MeasureId>(kFirst + k)];
}

void Intensities::set_large(std::size_t i, const MeasureValues& values) {
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) large_[i][k] = values.large(kWholeMeasures[k]);
}

void Intensities::get(std::size_t i, MeasureValues& values) const {
  for (std::size_t k = 0; k < kEach; ++k) values[static_cast<MeasureId>(kFirst + k)] = values_[i * kEach + k];
  const auto large = large_.find(i);
  if (large == large_.end()) return;
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k)
    if (large->second[k] != 0) values.set_whole(kWholeMeasures[k], large->second[k]);
}

bool needs_value_counts(const MeasureSet& wanted) { return measuring::ValueCounts::are_wanted(wanted); }

bool counts_values(const MeasureSet& wanted, const IntensityImage& image) {
  return image.values().count > 0 && needs_value_counts(wanted);
}

std::size_t bytes_of_intensity(bool long_samples) {
  constexpr std::size_t kLarge = kWholeMeasures.size() * sizeof(WholeNumber) + 48;  // in its table
  return kEach * sizeof(double) + (long_samples
                                       ? sizeof(measuring::LongSums) + kLarge
                                       : std::max(sizeof(measuring::WholeSums), sizeof(measuring::RealSums)));
}

Intensities measure_intensity(const LabelSource& labels, const Components& components,
                              const IntensityImage& image, const IntensityRequest& request) {
  std::optional<measuring::ValueCounts> counts;
  std::int64_t left = request.max_bytes;
  if (counts_values(request.wanted, image)) {
    const std::int64_t bytes = measuring::ValueCounts::bytes(components, image.values());
    if (bytes > request.max_bytes) throw measuring::not_enough_memory("median and percentiles need", bytes);
    left -= bytes;
    counts.emplace(components, image.values());
  }
  measuring::ValueCounts* const wanted = counts ? &*counts : nullptr;
  switch (image.kind()) {
    case IntensityImage::Kind::whole:
      return measured<measuring::WholeSums>(labels, components, image, wanted, left);
    case IntensityImage::Kind::long_whole:
      return measured<measuring::LongSums>(labels, components, image, wanted, left);
    case IntensityImage::Kind::real:
      return measured<measuring::RealSums>(labels, components, image, wanted, left);
  }
  return {};
}

}  // namespace gpuccl
