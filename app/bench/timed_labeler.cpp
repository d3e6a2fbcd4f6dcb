#include "app/bench/timed_labeler.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "app/bench/results.hpp"
#include "app/common/messages.hpp"
#include "gpuccl/detail/staged.hpp"
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
constexpr std::int64_t kMaxCopies = 64;

int copies(const TimingOptions& timing, Extent extent) {
  if (!timing.rotate) return 1;
  const std::int64_t bytes = extent.elements() * static_cast<std::int64_t>(sizeof(Label));
  return static_cast<int>(std::clamp<std::int64_t>(kBeyondCaches / bytes + 1, 2, kMaxCopies));
}

std::unique_ptr<TimedLabeler> make_timed_labeler(const Variant& variant, int gpu) {
  std::unique_ptr<Labeler> labeler = variant.make(gpu);
  if (dynamic_cast<StagedLabeler*>(labeler.get()) == nullptr)
    return make_timed_host_labeler(variant, std::move(labeler));
  labeler.reset();  // the stages have labelers of their own, one a copy
  return make_timed_staged_labeler(variant, gpu);
}

}  // namespace gpuccl::bench

// Times an algorithm by the wall clock around label(), the only function that all algorithms have.
//
// The CPU engine renders label images on demand. Other algorithms write one in memory, so the total includes
// rendering it. It excludes statistics, which have a separate column.
namespace gpuccl::bench {
namespace {

BitVolume copy_of(BitView image) {
  BitVolume copy(image.extent);
  std::copy_n(image.words, image.extent.rows() * image.row_pitch, copy.row(0));
  return copy;
}

/// The times of one labeling.
struct Times {
  double whole_ms = 0;
  double render_ms = 0;
  double statistics_ms = 0;
  double allocate_ms = 0;  // of a label image that the algorithm makes
  PhaseTimes phases;
};

class TimedHostLabeler final : public TimedLabeler {
 public:
  TimedHostLabeler(const Variant& variant, std::unique_ptr<Labeler> labeler)
      : variant_(variant), labeler_(std::move(labeler)) {}

  Labeling label(BitView image) override { return labeler_->label(image); }
  FloorKind floor() const override { return {DeviceKind::cpu, 1}; }

  void time_totals(BitView image, const TimingOptions& timing, bool end_to_end, Samples& samples) override {
    const Copies copies(image, timing);
    if (timing.preallocated) {
      std::vector<LabelImage> outputs;
      for (std::size_t i = 0; i < copies.count(); ++i) outputs.emplace_back(image.extent, 0);
      repeat(timing, [&](int i, bool counts) {
        const std::size_t copy = copies.of(i);
        const Times times = label_into(copies.view(copy), &outputs[copy]);
        if (!counts) return;
        samples.add(kPreallocated, times.whole_ms - times.statistics_ms - times.allocate_ms);
        samples.add(kStatistics, times.statistics_ms);
        if (end_to_end) samples.add(kWhole, times.whole_ms);
      });
    }
    if (timing.allocated)
      repeat(timing, [&](int i, bool counts) {
        const Times times = label_into(copies.view(copies.of(i)), nullptr);
        if (counts) samples.add(kAllocated, times.whole_ms - times.statistics_ms);
      });
  }

  void time_host_to_host(BitView image, const TimingOptions& timing, Samples& samples) override {
    repeat(timing, [&](int, bool counts) {
      labeler_ = variant_.make(0);
      const Times times = label_into(image, nullptr);
      if (!counts) return;
      samples.add(kHostImage, times.whole_ms - times.statistics_ms);
      if (times.render_ms > 0) samples.add(kHostRuns, times.whole_ms - times.render_ms - times.statistics_ms);
    });
  }

  Components components(BitView image) override { return labeler_->label(image).components; }

  void time_components(BitView image, const TimingOptions& timing, Samples& samples) override {
    const Copies copies(image, timing);
    repeat(timing, [&](int i, bool counts) {
      const BitView copy = copies.view(copies.of(i));
      const app::Stopwatch stopwatch;
      const Labeling labeled = labeler_->label(copy);
      if (counts) samples.add(kComponents, stopwatch.milliseconds());
    });
  }

  void time_steps(BitView image, const TimingOptions& timing, Samples& samples) override {
    const Copies copies(image, timing);
    LabelImage output(image.extent, 0);
    repeat(timing, [&](int i, bool counts) {
      const Times times = label_into(copies.view(copies.of(i)), &output);
      if (!counts) return;
      if (times.allocate_ms > 0) samples.add(kAllocate, times.allocate_ms);
      for (const PhaseTime& phase : times.phases)
        samples.add(phase.phase, phase.milliseconds, phase.launches);
      if (times.render_ms > 0) samples.add(kRender, times.render_ms);
      samples.add(kStatistics, times.statistics_ms);
    });
  }

 private:
  /// The image, with as many copies as rotation needs.
  class Copies {
   public:
    Copies(BitView image, const TimingOptions& timing) : image_(image) {
      for (int i = 1; i < copies(timing, image.extent); ++i) more_.push_back(copy_of(image));
    }
    std::size_t count() const { return more_.size() + 1; }
    std::size_t of(int repetition) const { return static_cast<std::size_t>(repetition) % count(); }
    BitView view(std::size_t copy) const { return copy == 0 ? image_ : more_[copy - 1].view(); }

   private:
    BitView image_;
    std::vector<BitVolume> more_;
  };

  /// Labels `image` into `output`, or into an image allocated for it. An algorithm that returns a label image
  /// has written its labels already, into memory of its own.
  Times label_into(BitView image, LabelImage* output) {
    const app::Stopwatch stopwatch;
    Labeling labeled = labeler_->label(image);
    Times times;
    const double label_ms = stopwatch.milliseconds();
    std::optional<LabelImage> own;
    if (dynamic_cast<const LabelImage*>(labeled.labels.get()) == nullptr) {
      if (output == nullptr) output = &own.emplace(image.extent, labeled.labels->count());
      render_all(*labeled.labels, output->data());
      times.render_ms = stopwatch.milliseconds() - label_ms;
    }
    times.whole_ms = label_ms + times.render_ms;
    times.statistics_ms = labeled.statistics_ms;
    times.allocate_ms = labeled.allocate_ms;
    times.phases = std::move(labeled.phases);
    return times;
  }

  Variant variant_;
  std::unique_ptr<Labeler> labeler_;
};

}  // namespace

std::unique_ptr<TimedLabeler> make_timed_host_labeler(const Variant& variant,
                                                      std::unique_ptr<Labeler> labeler) {
  return std::make_unique<TimedHostLabeler>(variant, std::move(labeler));
}

}  // namespace gpuccl::bench

// Times the stages of a GPU algorithm. Device totals and phases are measured with CUDA events; times that
// include allocation or the host are wall-clock times.
namespace gpuccl::bench {
namespace {

class TimedStagedLabeler final : public TimedLabeler {
 public:
  TimedStagedLabeler(const Variant& variant, int gpu) : variant_(variant), gpu_(gpu) { labelers(1); }

  /// This labeling is checked and its launches and accesses are counted; it is not timed.
  Labeling label(BitView image) override {
    PhaseTimes phases;
    Labeling labeled = label_image(*labelers(1).front(), image, &phases);
    labeled.phases = std::move(phases);
    return labeled;
  }

  FloorKind floor() const override {
    return {DeviceKind::cuda, dynamic_cast<const StagedLabeler&>(*labelers_.front()).bits_per_element()};
  }

  void time_totals(BitView image, const TimingOptions& timing, bool end_to_end, Samples& samples) override {
    const std::vector<StagedLabeler*> all = labelers(copies(timing, image.extent));
    upload(all, image, timing, samples);
    if (timing.preallocated) time_preallocated(all, timing, samples);
    if (timing.allocated) time_allocated(all, timing, samples);
    if (end_to_end)
      go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
        const app::Stopwatch stopwatch;
        const Labeling labeled = label_image(labeler, image, nullptr);
        if (counts) samples.add(kWhole, stopwatch.milliseconds());
      });
    for (StagedLabeler* labeler : all) labeler->release();
  }

  /// Makes a labeler for each image, because a labeler keeps its buffers between images.
  void time_host_to_host(BitView image, const TimingOptions& timing, Samples& samples) override {
    labelers_.resize(1);  // frees as much GPU memory as possible
    labelers_.front() = variant_.make(gpu_);
    const auto on_new_labeler = [&](const char* measure, auto label) {
      repeat(timing, [&](int, bool counts) {
        const app::Stopwatch stopwatch;
        std::unique_ptr<Labeler> labeler = variant_.make(gpu_);
        const auto labels = label(dynamic_cast<StagedLabeler&>(*labeler));
        labeler.reset();
        if (counts) samples.add(measure, stopwatch.milliseconds());
      });
    };
    on_new_labeler(kHostImage, [&](StagedLabeler& labeler) {
      labeler.upload(image);
      labeler.allocate();
      labeler.run(Numbering::provisional, nullptr);
      return labeler.labels();
    });
    on_new_labeler(kHostRuns, [&](StagedLabeler& labeler) { return labeler.label(image); });
    time_transfers(image, timing, samples);
  }

  Components components(BitView image) override {
    StagedLabeler& labeler = *labelers(1).front();
    labeler.release();
    labeler.upload(image);
    find_components(labeler);
    return labeler.components();
  }

  void time_components(BitView image, const TimingOptions& timing, Samples& samples) override {
    const std::vector<StagedLabeler*> all = labelers(copies(timing, image.extent));
    upload(all, image, timing, samples);
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      const double components_ms = labeler.device_ms([&] { find_components(labeler); });
      if (counts) samples.add(kComponents, components_ms);
    });
    for (StagedLabeler* labeler : all) labeler->release();
  }

  void time_steps(BitView image, const TimingOptions& timing, Samples& samples) override {
    const std::vector<StagedLabeler*> all = labelers(copies(timing, image.extent));
    upload(all, image, timing, samples);
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      PhaseTimes phases;
      labeler.release();
      const double allocate_ms = allocate(labeler);
      labeler.run(Numbering::consecutive, &phases);
      const double statistics_ms = labeler.device_ms([&] { labeler.statistics(nullptr); });
      const double release_ms = release(labeler);
      if (!counts) return;
      samples.add(kAllocate, allocate_ms);
      for (const PhaseTime& phase : phases) samples.add(phase.phase, phase.milliseconds, phase.launches);
      samples.add(kStatistics, statistics_ms);
      samples.add(kRelease, release_ms);
    });
  }

 private:
  static void find_components(StagedLabeler& labeler) {
    labeler.run_components();
    labeler.statistics(nullptr);
  }

  /// Labels from host to host as in papers, which download a label image.
  static Labeling label_image(StagedLabeler& labeler, BitView image, PhaseTimes* phases) {
    Labeling labeled;
    labeler.upload(image);
    labeler.allocate();
    labeler.run(Numbering::consecutive, phases);
    labeler.statistics(nullptr);
    labeled.components = labeler.components();
    labeled.labels = std::make_unique<LabelImage>(labeler.labels());
    return labeled;
  }

  template <class Once>
  static void go_round(const std::vector<StagedLabeler*>& all, const TimingOptions& timing, Once once) {
    repeat(timing, [&](int i, bool counts) { once(*all[static_cast<std::size_t>(i) % all.size()], counts); });
  }

  /// Uploads the image to every labeler, and times it.
  static void upload(const std::vector<StagedLabeler*>& all, BitView image, const TimingOptions& timing,
                     Samples& samples) {
    for (StagedLabeler* labeler : all) labeler->upload(image);
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      const double upload_ms = labeler.device_ms([&] { labeler.upload(image); });
      if (counts) samples.add(kUpload, upload_ms);
    });
  }

  /// Times transfers of the image and the label image, with new host memory each time.
  void time_transfers(BitView image, const TimingOptions& timing, Samples& samples) {
    const std::vector<StagedLabeler*> one = labelers(1);
    upload(one, image, timing, samples);
    one.front()->allocate();
    one.front()->run(Numbering::provisional, nullptr);
    go_round(one, timing, [&](StagedLabeler& labeler, bool counts) {
      labeler.wait();
      const app::Stopwatch stopwatch;
      const LabelImage labels = labeler.labels();
      if (counts) samples.add(kDownload, stopwatch.milliseconds());
    });
    one.front()->release();
  }

  static double allocate(StagedLabeler& labeler) {
    const app::Stopwatch stopwatch;
    labeler.allocate();
    return stopwatch.milliseconds();
  }

  static double release(StagedLabeler& labeler) {
    const app::Stopwatch stopwatch;
    labeler.release();
    return stopwatch.milliseconds();
  }

  /// Times provisional labels in separate repetitions, so that caches contain nothing else.
  static void time_preallocated(const std::vector<StagedLabeler*>& all, const TimingOptions& timing,
                                Samples& samples) {
    for (StagedLabeler* labeler : all) labeler->allocate();
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      const double run_ms = labeler.device_ms([&] { labeler.run(Numbering::provisional, nullptr); });
      if (counts) samples.add(kPreallocated, run_ms);
    });
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      const double run_ms = labeler.device_ms([&] { labeler.run(Numbering::consecutive, nullptr); });
      const double statistics_ms = labeler.device_ms([&] { labeler.statistics(nullptr); });
      if (!counts) return;
      samples.add(kNumbered, run_ms);
      samples.add(kStatistics, statistics_ms);
    });
  }

  static void time_allocated(const std::vector<StagedLabeler*>& all, const TimingOptions& timing,
                             Samples& samples) {
    for (StagedLabeler* labeler : all) labeler->release();
    go_round(all, timing, [&](StagedLabeler& labeler, bool counts) {
      const app::Stopwatch stopwatch;
      labeler.allocate();
      labeler.run(Numbering::provisional, nullptr);
      labeler.wait();
      const double elapsed = stopwatch.milliseconds();
      labeler.release();
      if (counts) samples.add(kAllocated, elapsed);
    });
  }

  /// Returns the first `count` labelers, each with its own input and output. Makes them when they are
  /// needed.
  std::vector<StagedLabeler*> labelers(int count) {
    std::vector<StagedLabeler*> chosen;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (i == labelers_.size()) labelers_.push_back(variant_.make(gpu_));
      chosen.push_back(&dynamic_cast<StagedLabeler&>(*labelers_[i]));
    }
    return chosen;
  }

  Variant variant_;
  int gpu_;
  std::vector<std::unique_ptr<Labeler>> labelers_;
};

}  // namespace

std::unique_ptr<TimedLabeler> make_timed_staged_labeler(const Variant& variant, int gpu) {
  return std::make_unique<TimedStagedLabeler>(variant, gpu);
}

}  // namespace gpuccl::bench
