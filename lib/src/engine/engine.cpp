#include "gpuccl/engine.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "cpu/phase_clock.hpp"
#include "engine/algorithms.hpp"
#include "engine/gpu_labelers.hpp"
#include "gpuccl/detail/parts.hpp"
#include "gpuccl/detail/system.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

namespace {

/// Idle labelers of the CPU. Their number is the maximum number of images labeled at the same time.
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

/// Adds the devices that labeled a part of the same image.
void add_devices(EngineReport& report, const EngineReport& part) {
  if (report.device_name.find(part.device_name) == std::string::npos)
    report.device_name += (report.device_name.empty() ? "" : ", ") + part.device_name;
  std::set<int> gpus(report.gpus.begin(), report.gpus.end());
  gpus.insert(part.gpus.begin(), part.gpus.end());
  report.gpus.assign(gpus.begin(), gpus.end());
}

}  // namespace

struct Engine::State {
  explicit State(const EngineOptions& chosen) : options(chosen), on_gpu(chosen) {}

  const EngineOptions options;
  Warn warn;
  std::atomic<bool> gpu_given_up = false;  // no GPU can be used
  IdleLabelers on_cpu;
  GpuLabelers on_gpu;

  Gpu gpu() const { return gpu_given_up ? Gpu::unusable : on_gpu.started() ? Gpu::started : Gpu::untried; }

  /// Labels an image on one GPU, in parts if it is too large for the memory of the GPU.
  Labeling label_on_gpu_with_its_memory(const Algorithm& algorithm, BitView image, EngineReport& report,
                                        const SumsLayout& gathered) {
    constexpr std::int64_t kFewest = std::int64_t{1} << 22;  // smaller parts are not tried
    try {
      return label_with(algorithm, image, report, gathered);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::memory || image.extent.elements() < 2 * kFewest) throw;
    }
    return label_in_smaller_parts(image, report.connectivity, kFewest, [&](BitView part) {
      EngineReport now;
      now.connectivity = report.connectivity;
      Labeling labeled = label_with(algorithm, part, now);
      report.start_up_ms += now.start_up_ms;
      report.label_ms += now.label_ms;
      add_devices(report, now);
      return labeled;
    });
  }

  Labeling label_on_cpu(const LabelerKey& key, BitView image, EngineReport& report) {
    report.device_name = cpu_name();
    std::unique_ptr<Labeler> labeler = on_cpu.take(key);
    Labeling labeled = label_timed(*labeler, image, report);
    on_cpu.give_back(key, std::move(labeler));
    return labeled;
  }

  Labeling label_with(const Algorithm& algorithm, BitView image, EngineReport& report,
                      const SumsLayout& gathered = {}) {
    report.algorithm = algorithm.name;
    report.device_kind = algorithm.device;
    const LabelerKey key{&algorithm, report.connectivity};
    return algorithm.device == DeviceKind::cuda ? on_gpu.label(key, image, report, gathered)
                                                : label_on_cpu(key, image, report);
  }

  /// Labels an image; on the CPU if a GPU fails, unless --device cuda forbids that.
  Labeling label(BitView image, Connectivity connectivity, EngineReport& report, const SumsLayout& gathered) {
    report = {};
    report.connectivity = connectivity;
    const std::int64_t elements = image.extent.elements();
    const Algorithm& chosen = choose(options, connectivity, elements, gpu());
    if (chosen.device == DeviceKind::cpu) return label_with(chosen, image, report);
    try {
      return label_on_gpu_with_its_memory(chosen, image, report, gathered);
    } catch (const Error& error) {
      const ErrorCode failure = error.code();
      const bool of_the_gpu = failure == ErrorCode::unavailable || failure == ErrorCode::memory ||
                              failure == ErrorCode::temporary || failure == ErrorCode::internal;
      if (options.device == DeviceChoice::cuda || !of_the_gpu) throw;
      give_up_gpu(error);
    }
    return label_with(choose(options, connectivity, elements, Gpu::unusable), image, report);
  }

  ValueLabeling label_values(ValueImage image, Connectivity connectivity, EngineReport& report) {
    report = {};
    report.algorithm = "runs";
    report.connectivity = connectivity;
    if (options.device == DeviceChoice::cuda) {
      report.device_kind = DeviceKind::cuda;
      return on_gpu.label_values(image, connectivity, report);
    }
    report.device_name = cpu_name();
    ValueLabeling labeled;
    report.label_ms =
        cpu::milliseconds([&] { labeled = gpuccl::label_values(std::move(image), connectivity); });
    report.label_ms -= labeled.labeled.statistics_ms;
    return labeled;
  }

  /// Uses only the CPU from now on. Warns if a GPU was requested or has been used.
  void give_up_gpu(const Error& error) {
    if (gpu_given_up.exchange(true)) return;  // another thread has found this first
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

Labeling Engine::label(BitView image, Connectivity connectivity, EngineReport* report,
                       const SumsLayout& gathered) {
  EngineReport unwanted;
  return state_->label(image, connectivity, report != nullptr ? *report : unwanted, gathered);
}

ValueLabeling Engine::label_values(ValueImage image, Connectivity connectivity, EngineReport* report) {
  EngineReport unwanted;
  return state_->label_values(std::move(image), connectivity, report != nullptr ? *report : unwanted);
}

}  // namespace gpuccl
