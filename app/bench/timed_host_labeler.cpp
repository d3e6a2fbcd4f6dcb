// Times an algorithm by the wall clock around label(), the only function that all algorithms have.
//
// The CPU engine renders label images on demand. Other algorithms write one in memory, so the total includes
// rendering it. It excludes statistics, which have a separate column.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/bench/results.hpp"
#include "app/bench/timed_labeler.hpp"
#include "app/common/messages.hpp"
#include "gpuccl/labels.hpp"

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
