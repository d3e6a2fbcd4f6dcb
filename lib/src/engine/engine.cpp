#include "gpuccl/engine.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/choice.hpp"
#include "engine/gpu_labelers.hpp"
#include "engine/rescued_labels.hpp"
#include "gpuccl/error.hpp"
#include "gpuccl/slabs.hpp"
#include "gpuccl/start_threads.hpp"

namespace gpuccl {

namespace {

/// Labelers of the CPU that wait for an image: as many as there were images labelled at once.
class IdleLabelers {
 public:
  std::unique_ptr<Labeler> take(const LabelerKey& key) {
    const std::lock_guard lock(lock_);
    std::vector<std::unique_ptr<Labeler>>& idle = idle_[key];
    if (idle.empty()) return find_variant(*key.first, key.second)->make(0);
    std::unique_ptr<Labeler> labeler = std::move(idle.back());
    idle.pop_back();
    return labeler;
  }
  void give_back(const LabelerKey& key, std::unique_ptr<Labeler> labeler) {
    const std::lock_guard lock(lock_);
    idle_[key].push_back(std::move(labeler));
  }

 private:
  std::mutex lock_;
  std::map<LabelerKey, std::vector<std::unique_ptr<Labeler>>> idle_;
};

}  // namespace

struct Engine::State {
  explicit State(const EngineOptions& chosen) : options(chosen), on_gpu(chosen.gpu, chosen.time_phases) {}

  const EngineOptions options;
  Warn warn;
  std::atomic<bool> gpu_given_up = false;  // it was found unusable
  IdleLabelers on_cpu;
  GpuLabelers on_gpu;

  Gpu gpu() const { return gpu_given_up ? Gpu::unusable : on_gpu.started() ? Gpu::started : Gpu::untried; }

  /// An image too large for the memory of the GPU is labelled in parts.
  Labeled label_on_gpu_with_its_memory(const Algorithm& algorithm, BitView image, Reading reading,
                                       EngineReport& report) {
    constexpr std::int64_t kFewest = std::int64_t{1} << 22;  // a GPU without memory for these is of no use
    try {
      return label_with(algorithm, image, reading, report);
    } catch (const Error& error) {
      if (error.failure() != Failure::memory || image.extent.elements() < 2 * kFewest) throw;
    }
    const auto all = std::make_shared<EngineReport>(report);  // goes on when labels are rendered
    const auto label = [this, &algorithm, all, connectivity = report.connectivity](BitView part) {
      EngineReport now;
      now.connectivity = connectivity;
      Labeled labeled = label_with(algorithm, part, Reading::in_order, now);
      now.start_up_ms += all->start_up_ms;
      now.label_ms += all->label_ms;
      *all = now;
      return labeled;
    };
    Labeled labeled = label_in_smaller_parts(image, report.connectivity, kFewest, label);
    report = *all;
    if (reading == Reading::anywhere)
      labeled.labels = std::make_unique<LabelImage>(render_all(*labeled.labels));
    return labeled;
  }

  Labeled label_on_cpu(const LabelerKey& key, BitView image, Reading reading, EngineReport& report) {
    report.device_name = cpu_name();
    std::unique_ptr<Labeler> labeler = on_cpu.take(key);
    Labeled labeled = label_timed(*labeler, image, reading, report);
    on_cpu.give_back(key, std::move(labeler));
    return labeled;
  }

  Labeled label_with(const Algorithm& algorithm, BitView image, Reading reading, EngineReport& report) {
    report.algorithm = algorithm.name;
    report.device_kind = algorithm.device;
    const LabelerKey key{&algorithm, report.connectivity};
    return algorithm.device == DeviceKind::cuda ? on_gpu.label(key, image, reading, report)
                                                : label_on_cpu(key, image, reading, report);
  }

  Labeled label(BitView image, Connectivity connectivity, Reading reading, EngineReport& report) {
    report = {};
    report.connectivity = connectivity;
    const Algorithm& chosen = choose(options, connectivity, image.extent.elements(), gpu());
    if (chosen.device == DeviceKind::cpu) return label_with(chosen, image, reading, report);
    try {
      Labeled labeled = label_on_gpu_with_its_memory(chosen, image, reading, report);
      if (reading == Reading::in_order)
        labeled.labels = std::make_unique<RescuedLabels>(
            std::move(labeled.labels), [this, image, connectivity](const Error& error) {
              return label_instead(error, image, connectivity, Reading::in_order).labels;
            });
      return labeled;
    } catch (const Error& error) {
      return label_instead(error, image, connectivity, reading, &report);
    }
  }

  /// Labels on the CPU what the GPU failed at, unless that must not be: then throws `error`.
  Labeled label_instead(const Error& error, BitView image, Connectivity connectivity, Reading reading,
                        EngineReport* report = nullptr) {
    const Failure failure = error.failure();
    const bool of_the_gpu = failure == Failure::unavailable || failure == Failure::memory ||
                            failure == Failure::temporary || failure == Failure::internal;
    if (options.device == DeviceChoice::cuda || !of_the_gpu) throw error;
    give_up_gpu(error);
    EngineReport unwanted;
    EngineReport& filled = report != nullptr ? *report : unwanted;
    filled.connectivity = connectivity;
    return label_with(choose(options, connectivity, image.extent.elements(), Gpu::unusable), image, reading,
                      filled);
  }

  /// From now on the CPU labels. The user hears of it if a GPU was asked for or was at work.
  void give_up_gpu(const Error& error) {
    if (gpu_given_up.exchange(true)) return;  // another thread has met the same
    on_gpu.clear();
    if ((on_gpu.started() || names_only_cuda(options.algorithm)) && warn)
      warn(std::string("GPU not usable (") + error.what() +
           "), labeled by runs on the CPU instead; labels are the same");
  }
};

Engine::Engine(const EngineOptions& options, Warn warn) : state_(std::make_unique<State>(options)) {
  check_options(options);
  start_threads();
  state_->warn = std::move(warn);
  const bool certain = options.device == DeviceChoice::cuda ||
                       (options.device == DeviceChoice::automatic && names_only_cuda(options.algorithm));
  if (certain) state_->on_gpu.start_in_background();
}

Engine::~Engine() = default;

Labeled Engine::label(BitView image, Connectivity connectivity, EngineReport* report) {
  EngineReport unwanted;
  return state_->label(image, connectivity, Reading::anywhere, report != nullptr ? *report : unwanted);
}

Labeled Engine::label_in_order(BitView image, Connectivity connectivity, EngineReport* report) {
  EngineReport unwanted;
  return state_->label(image, connectivity, Reading::in_order, report != nullptr ? *report : unwanted);
}

}  // namespace gpuccl
