#include "measure/intensity_sums.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/fastest_code.hpp"
#include "gpuccl/detail/measures.hpp"
#include "gpuccl/detail/uninitialized_vector.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "measure/group.hpp"
#include "measure/row_window.hpp"
#include "measure/sample_sums.hpp"
#include "measure/value_counts.hpp"

namespace gpuccl::measuring {

/// Sums that are simple are written for the first time by all threads, because new memory takes longer.
template <class Sums>
using SumsOfComponents = std::conditional_t<Sums::kInAnyOrder, UninitializedVector<Sums>, std::vector<Sums>>;

/// Adds samples to the sums of components, from the label runs and samples of the same rows: all rows, some
/// rows of an image of one slice, or some slices.
template <class Sums>
class IntensityPass final : public SamplesPass {
 public:
  /// Prepares to add rows [begin, end).
  IntensityPass(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Components& components,
                const IntensityImage& image, ValueCounts* counts, std::int64_t max_bytes,
                SumsOfComponents<Sums>& sums)
      : labels_(labels),
        components_(components),
        image_(image),
        counts_(counts),
        most_parts_(static_cast<std::uint64_t>(max_bytes) / kBytesOfPart),
        sums_(sums),
        begin_(begin),
        end_(end) {
    count_parts();
  }

  int most_slices(int z, int next) const override {
    next = std::max(std::min(next, z + image_.slices_at_once(z)), z + 1);
    while (next > z + 1 && parts_in(z, next) > most_parts_) --next;
    return next;
  }

  std::int64_t add(int z, int next, std::int64_t ready) override {
    ready_ = ready;
    const std::vector<Region> chunks = chunks_of(z, next);
    is_alone_ = chunks.size() == 1;
    const int first = first_unit(chunks.front());
    const auto place = [&](std::size_t i) {  // of the first part
      return Sums::kInAnyOrder ? i : static_cast<std::size_t>(first_unit(chunks[i]) - first);
    };
    const auto units = static_cast<std::size_t>((is_image() ? chunks.back().y1 : chunks.back().z1) - first);
    std::vector<Parts> parts(is_alone_ ? 0 : Sums::kInAnyOrder ? chunks.size() : units);
    tbb::parallel_for(std::size_t{0}, chunks.size(),
                      [&](std::size_t i) { measure_chunk(chunks[i], parts.data() + place(i)); });
    for (const Parts& of_unit : parts)
      for (const auto& [label, part] : of_unit) {
        if constexpr (!Sums::kInAnyOrder) sums_[label - 1].close();
        sums_[label - 1].add(part);
      }
    return ready_;
  }

  void finish() override {
    if constexpr (!Sums::kInAnyOrder)
      for (Sums& sums : sums_) sums.close();
  }

 private:
  using Sample = typename Sums::Sample;
  using UnitSums = typename Sums::UnitSums;
  /// Sums of components that extend over several chunks: of a chunk or, where the order counts, of one of its
  /// slices, or rows of an image of one slice.
  using Parts = std::unordered_map<Label, UnitSums>;

  static constexpr int kWorthLanes = 16;  // samples; shorter runs take longer by vectors
  static constexpr std::size_t kBytesOfPart = sizeof(UnitSums) + 48;

  bool is_image() const { return labels_.extent().depth == 1; }
  int first_unit(const Region& chunk) const { return is_image() ? chunk.y0 : chunk.z0; }

  /// Divides slices [z, next), or the rows of an image of one slice, into chunks for threads; into one if
  /// rows come in order only, or if memory does not hold the parts of components.
  std::vector<Region> chunks_of(int z, int next) const {
    constexpr int kFewestRows = 64;
    const int threads = tbb::this_task_arena::max_concurrency(), height = labels_.extent().height;
    int first = z, end = next, fewest = 1;
    if (is_image()) {
      first = static_cast<int>(begin_);
      end = static_cast<int>(end_);
      fewest = image_.reads_bands() && ready_ >= end_ ? kFewestRows : std::max(1, end - first);
    }
    const int chunks = threads == 1 ? 1 : std::clamp((end - first) / fewest, 1, 2 * threads);
    const int units = (end - first + chunks - 1) / chunks;
    const auto few = static_cast<std::uint64_t>(labels_.extent().elements() / 64);
    if (is_image() && parts_of_rows(units) > std::min(most_parts_, few + components_.size()))
      return {{0, 1, first, end}};
    std::vector<Region> regions;
    for (; first < end; first += units) {
      const int last = std::min(end, first + units);
      regions.push_back(is_image() ? Region{0, 1, first, last} : Region{first, last, 0, height});
    }
    return regions;
  }

  /// Returns how many parts components have if every `rows` rows of an image of one slice are a chunk, and
  /// how many tables these are in where the order counts.
  std::uint64_t parts_of_rows(int rows) const {
    const auto parts_of = [&](const Box& box) -> std::int64_t {
      const auto chunk_of = [&](int y) { return (y - begin_) / rows; };
      const std::int64_t chunks = chunk_of(box.max[1]) - chunk_of(box.min[1]) + 1;
      const bool goes_on = box.min[1] < begin_ || box.max[1] >= end_;
      if (chunks == 1 && !goes_on) return 0;
      return Sums::kInAnyOrder ? chunks : std::int64_t{box.max[1]} - box.min[1] + 1;
    };
    using Range = tbb::blocked_range<std::size_t>;
    const std::int64_t of_boxes = tbb::parallel_reduce(
        Range(0, components_.box.size(), 1 << 12), std::int64_t{0},
        [&](const Range& range, std::int64_t parts) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) parts += parts_of(components_.box[i]);
          return parts;
        },
        std::plus<>());
    return static_cast<std::uint64_t>(of_boxes + (Sums::kInAnyOrder ? 0 : end_ - begin_));
  }

  /// Counts the parts of each slice. Boxes of periodic images may go on beyond the last slice.
  void count_parts() {
    const int depth = labels_.extent().depth, height = labels_.extent().height;
    std::vector<std::int64_t> more(static_cast<std::size_t>(depth) + 1);
    const auto count = [&](int begin, int end) {
      ++more[static_cast<std::size_t>(begin)];
      --more[static_cast<std::size_t>(end)];
    };
    for (const Box& box : components_.box) {
      if (box.min[2] == box.max[2] && box.max[1] < height) continue;
      const int end = box.min[2] + std::min(box.max[2] - box.min[2] + 1, depth);
      count(box.min[2], std::min(end, depth));
      if (end > depth) count(0, end - depth);
    }
    std::partial_sum(more.begin(), more.end(), more.begin());
    parts_before_.resize(more.size());
    std::exclusive_scan(more.begin(), more.end(), parts_before_.begin(), std::int64_t{0});
  }
  /// Returns the number of parts in slices [begin, end).
  std::uint64_t parts_in(int begin, int end) const {
    return static_cast<std::uint64_t>(parts_before_[static_cast<std::size_t>(end)] -
                                      parts_before_[static_cast<std::size_t>(begin)]);
  }

  void measure_chunk(const Region& chunk, Parts* parts) {
    for (int z = chunk.z0; z < chunk.z1; ++z) measure_slice(chunk, z, parts);
  }

  void measure_slice(const Region& chunk, int z, Parts* parts) {
    const std::int64_t top = static_cast<std::int64_t>(z) * labels_.extent().height;
    LabelRuns runs;
    const auto take = [&](int y, int rows, const Sample* samples) {
      const int first = std::clamp(chunk.y0, y, y + rows), end = std::clamp(chunk.y1, first, y + rows);
      samples += std::ptrdiff_t{first - y} * columns_.count;
      for (y = first; y < end;) {
        if (top + y >= ready_) ready_ = labels_.prepare(top + y, 1);
        const auto some = static_cast<int>(std::min<std::int64_t>(end - y, ready_ - (top + y)));
        labels_.list_runs(top + y, some, runs, nullptr);
        add_runs(runs, y, z, samples, chunk, parts);
        y += some;
        samples += std::ptrdiff_t{some} * columns_.count;
      }
    };
    if constexpr (std::is_same_v<Sample, WholeNumber>)
      image_.read_long(z, chunk.y0, chunk.y1, take);
    else
      image_.read(z, chunk.y0, chunk.y1, take);
  }

  void add_runs(const LabelRuns& runs, int y, int z, const Sample* samples, const Region& chunk,
                Parts* parts) {
    std::size_t i = 0;
    for (const std::size_t end : runs.ends) {
      const int unit = is_image() ? y : z;
      Label last = 0;
      UnitSums* part = nullptr;  // of component `last`, if it has parts
      for (; i < end; ++i) {
        const LabelRun& run = runs.runs[i];
        if (run.label != last) {
          last = run.label;
          const bool is_whole = is_alone_ || chunk.holds(components_.box[last - 1]);
          part = is_whole ? nullptr : &parts[Sums::kInAnyOrder ? 0 : unit - first_unit(chunk)][last];
        }
        const Sample* const first = samples + (run.begin - columns_.first);
        const SampleRun<Sample> of_run{run.begin, y, z, run.end - run.begin, first};
        if constexpr (Sums::kInAnyOrder) {
          add_run(of_run, part != nullptr ? *part : sums_[last - 1]);
        } else if (part != nullptr) {
          part->add(of_run);
        } else {
          sums_[last - 1].add(of_run, unit);
        }
        if constexpr (std::is_same_v<Sample, double>)
          if (counts_ != nullptr) counts_->add(last - 1, first, run.end - run.begin);
      }
      ++y;
      samples += columns_.count;
    }
  }

  void add_run(const SampleRun<Sample>& run, Sums& sums) const {
    if constexpr (std::is_same_v<Sums, WholeSums>)
      if (is_short_ && run.count >= kWorthLanes) return sums.add_short(run);
    sums.add(run);
  }

  const LabelRows& labels_;
  const Components& components_;
  const IntensityImage& image_;
  const bool is_short_ = image_.values().count > 0 && has_avx2();
  const IntensityImage::Columns columns_ = image_.columns();
  ValueCounts* counts_;
  std::uint64_t most_parts_;  // limit of parts in memory
  SumsOfComponents<Sums>& sums_;
  std::vector<std::int64_t> parts_before_;  // prefix sum over slices
  const std::int64_t begin_, end_;
  bool is_alone_ = false;   // one chunk is measured at a time, so that no component has parts
  std::int64_t ready_ = 0;  // rows up to this one can be listed
};

}  // namespace gpuccl::measuring

namespace gpuccl {
namespace {

constexpr auto kFirst = static_cast<std::size_t>(MeasureId::intensity_min);
constexpr auto kLast = static_cast<std::size_t>(MeasureId::cz_weighted);
constexpr std::size_t kEach = kLast - kFirst + 1;

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

void Intensities::save(std::size_t i, std::vector<std::uint64_t>& saved) const {
  for (std::size_t k = 0; k < kEach; ++k)
    saved.push_back(std::bit_cast<std::uint64_t>(values_[i * kEach + k]));
  const auto large = large_.find(i);
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) {
    const WholeNumber value = large == large_.end() ? 0 : large->second[k];
    saved.push_back(static_cast<std::uint64_t>(value));
    saved.push_back(static_cast<std::uint64_t>(value >> 64));
  }
}

bool Intensities::set_saved(std::size_t i, std::span<const std::uint64_t> saved) {
  if (saved.size() != kEach + 2 * kWholeMeasures.size()) return false;
  for (std::size_t k = 0; k < kEach; ++k) values_[i * kEach + k] = std::bit_cast<double>(saved[k]);
  for (std::size_t k = 0; k < kWholeMeasures.size(); ++k) {
    const std::span words = saved.subspan(kEach + 2 * k, 2);
    const auto value = static_cast<WholeNumber>(CoordinateSum{words[1]} << 64 | words[0]);
    if (value != 0) large_[i][k] = value;
  }
  return true;
}

bool counts_values(const MeasureSet& wanted, const IntensityImage& image) {
  return image.values().count > 0 && needs_value_counts(wanted);
}

std::size_t bytes_of_intensity(bool are_long) {
  constexpr std::size_t kLarge = kWholeMeasures.size() * sizeof(WholeNumber) + 48;  // with a table's node
  return kEach * sizeof(double) +
         (are_long ? sizeof(measuring::LongSums) + kLarge
                   : std::max(sizeof(measuring::WholeSums), sizeof(measuring::RealSequence)));
}

namespace {

template <class Sums>
class SumsOfKind final : public IntensitySums {
 public:
  SumsOfKind(const Components& components, const IntensityImage& image, const MeasureSet& wanted,
             std::int64_t first_row)
      : sums_(components.size()) {
    if constexpr (Sums::kInAnyOrder)
      tbb::parallel_for(std::size_t{0}, sums_.size(), [&](std::size_t i) { sums_[i] = {}; });
    if (counts_values(wanted, image)) counts_.emplace(components, image.values());
    if constexpr (!Sums::kInAnyOrder) {
      const Extent extent = image.extent();
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        const auto& [x, y, z] = components.box[i].min;
        if (std::int64_t{z} * extent.height + (extent.depth == 1 ? y : 0) < first_row)
          sums_[i].keep_separate();
      }
    }
  }

  std::size_t size() const override { return sums_.size(); }

  std::unique_ptr<SamplesPass> pass(const LabelRows& labels, std::int64_t begin, std::int64_t end,
                                    const Components& components, const IntensityImage& image,
                                    std::int64_t max_bytes) override {
    return std::make_unique<measuring::IntensityPass<Sums>>(labels, begin, end, components, image, counts(),
                                                            max_bytes, sums_);
  }

  void save(std::size_t i, std::vector<std::uint64_t>& saved) const override {
    if constexpr (Sums::kInAnyOrder) {
      saved.resize(saved.size() + kWords);
      std::memcpy(saved.data() + saved.size() - kWords, &sums_[i], sizeof(Sums));
      if (counts_) counts_->save(i, saved);
    } else {
      sums_[i].save(saved);
    }
  }

  bool add_saved(std::size_t i, std::span<const std::uint64_t> saved) override {
    if constexpr (Sums::kInAnyOrder) {
      if (saved.size() < kWords) return false;
      Sums sums;
      std::memcpy(static_cast<void*>(&sums), saved.data(), sizeof sums);
      sums_[i].add(sums);
      return counts_ ? counts_->add_saved(i, saved.subspan(kWords)) : saved.size() == kWords;
    } else {
      return sums_[i].add_saved(saved);
    }
  }

  Intensities derive(std::size_t count) override {
    Intensities intensities(count);
    std::atomic<std::uint64_t> nans = 0;
    std::mutex setting_large;
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      MeasureValues values;
      sums_[i].derive(values);
      if (counts_) counts_->derive(i, values);
      intensities.set(i, values);
      if (values.any_large()) {
        const std::lock_guard lock(setting_large);
        intensities.set_large(i, values);
      }
      if (const std::uint64_t of_component = sums_[i].nans(); of_component > 0) nans += of_component;
    });
    intensities.nans = nans;
    return intensities;
  }

 private:
  static constexpr std::size_t kWords = sizeof(Sums) / sizeof(std::uint64_t);
  static_assert(!Sums::kInAnyOrder ||
                (std::is_trivially_copyable_v<Sums> && sizeof(Sums) % sizeof(std::uint64_t) == 0));

  measuring::ValueCounts* counts() { return counts_ ? &*counts_ : nullptr; }

  measuring::SumsOfComponents<Sums> sums_;
  std::optional<measuring::ValueCounts> counts_;
};

}  // namespace

std::unique_ptr<IntensitySums> make_intensity_sums(const Components& components, const IntensityImage& image,
                                                   const MeasureSet& wanted, std::int64_t first_row) {
  using enum IntensityImage::Kind;
  switch (image.kind()) {
    case whole:
      return std::make_unique<SumsOfKind<measuring::WholeSums>>(components, image, wanted, first_row);
    case long_whole:
      return std::make_unique<SumsOfKind<measuring::LongSums>>(components, image, wanted, first_row);
    case real:
      return std::make_unique<SumsOfKind<measuring::RealSequence>>(components, image, wanted, first_row);
  }
  return nullptr;
}

void add_samples(const LabelRows& labels, std::int64_t begin, std::int64_t end, const Components& components,
                 std::span<const SumsOfImage> images, std::int64_t max_bytes) {
  if (images.empty()) return;
  std::vector<std::unique_ptr<SamplesPass>> passes;
  for (const SumsOfImage& one : images)
    passes.push_back(one.sums.pass(labels, begin, end, components, one.image, max_bytes));
  const int height = labels.extent().height;
  const auto end_z = begin < end ? static_cast<int>((end + height - 1) / height) : 0;
  std::int64_t ready = 0;
  for (int z = begin < end ? static_cast<int>(begin / height) : 0, next = 0; z < end_z; z = next) {
    const std::int64_t first = std::max(begin, std::int64_t{z} * height);
    if (first >= ready) ready = labels.prepare(first, 1);
    next = static_cast<int>(std::min<std::int64_t>(ready / height, end_z));
    for (const auto& pass : passes) next = pass->most_slices(z, next);
    const std::int64_t last = std::min(end, std::int64_t{next} * height);
    for (std::size_t i = 0; i < passes.size(); ++i) {
      // The previous image may have prepared later rows, which evicts the first ones.
      if (i > 0 && ready < last) ready = labels.prepare(first, 1);
      const std::int64_t now = passes[i]->add(z, next, ready);
      if (i + 1 == passes.size()) ready = now;
    }
  }
  for (const auto& pass : passes) pass->finish();
}

std::vector<Intensities> measure_intensities(const LabelRows& labels, const Components& components,
                                             std::span<const NamedSamples> images, const MeasureSet& wanted,
                                             std::int64_t max_bytes) {
  if (images.empty()) return {};
  std::int64_t left = max_bytes;
  for (const NamedSamples& one : images)
    if (!one.is_hidden && counts_values(wanted, *one.image))
      left -= measuring::ValueCounts::bytes(components, one.image->values());
  if (left < 0) throw measuring::not_enough_memory("median and percentiles need", max_bytes - left);
  std::vector<std::unique_ptr<IntensitySums>> sums;
  std::vector<SumsOfImage> all;
  for (const NamedSamples& one : images) {
    sums.push_back(make_intensity_sums(components, *one.image, one.is_hidden ? MeasureSet() : wanted));
    all.push_back({*sums.back(), *one.image});
  }
  add_samples(labels, 0, labels.extent().rows(), components, all, left);
  std::vector<Intensities> measured;
  for (auto& of_image : sums) {
    measured.push_back(of_image->derive(components.size()));
    of_image.reset();
  }
  return measured;
}

}  // namespace gpuccl
