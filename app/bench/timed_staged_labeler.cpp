// Times the stages of a GPU algorithm. Device totals and phases are measured with CUDA events; times that
// include allocation or the host are wall-clock times.

#include <utility>
#include <vector>

#include "app/bench/results.hpp"
#include "app/bench/timed_labeler.hpp"
#include "app/common/messages.hpp"
#include "gpuccl/detail/staged.hpp"

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
