#include "gpuccl/engine.hpp"

#include <future>
#include <map>
#include <optional>
#include <utility>

#include "common/choice.hpp"
#include "cpu/phase_clock.hpp"
#include "cuda/cuda.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl {

struct Engine::State {
  EngineOptions options;
  Warn warn;
  bool cpu_only = false;                      // the GPU was found unusable
  std::optional<std::future<void>> starting;  // start-up in the background
  bool started = false;
  std::map<std::pair<const Algorithm*, Connectivity>, std::unique_ptr<Labeler>> labelers;

  Labeler& labeler(const Algorithm& algorithm, Connectivity connectivity) {
    std::unique_ptr<Labeler>& labeler = labelers[{&algorithm, connectivity}];
    if (labeler == nullptr) labeler = find_variant(algorithm, connectivity)->make(options.gpu);
    return *labeler;
  }

  void start_up_gpu() {
    if (started) return;
    if (starting) {
      std::exchange(starting, std::nullopt)->get();
    } else {
      cuda::start_up(options.gpu);
    }
    started = true;
  }

  Labeled label_with(const Algorithm& algorithm, BitView image, Connectivity connectivity,
                     EngineReport& report) {
    report.algorithm = algorithm.name;
    report.device_kind = algorithm.device;
    if (algorithm.device == DeviceKind::cuda) {
      report.start_up_ms += cpu::milliseconds([&] { start_up_gpu(); });
      report.device_name = cuda::device_name(options.gpu);
    } else {
      report.device_name = cpu_name();
    }
    Labeled labeled;
    const double total = cpu::milliseconds([&] { labeled = labeler(algorithm, connectivity).label(image); });
    report.label_ms = total - labeled.statistics_ms;
    return labeled;
  }

  /// From now on the CPU labels. The user hears of it if a GPU was asked for or was at work.
  void give_up_gpu(const Error& error) {
    const bool expected_gpu = started || names_only_cuda(options.algorithm);
    cpu_only = true;
    for (auto at = labelers.begin(); at != labelers.end();)
      at = at->first.first->device == DeviceKind::cuda ? labelers.erase(at) : std::next(at);
    if (expected_gpu && warn)
      warn(std::string("GPU not usable (") + error.what() +
           "), labeled by runs on the CPU instead; labels are the same");
  }
};

Engine::Engine(const EngineOptions& options, Warn warn) : state_(std::make_unique<State>()) {
  check_options(options);
  state_->options = options;
  state_->warn = std::move(warn);
  const bool certain = options.device == DeviceChoice::cuda ||
                       (options.device == DeviceChoice::automatic && names_only_cuda(options.algorithm));
  if (certain) state_->starting = std::async(std::launch::async, cuda::start_up, options.gpu);
}

Engine::~Engine() = default;

Labeled Engine::label(BitView image, Connectivity connectivity, EngineReport* report) {
  EngineReport unwanted;
  EngineReport& filled = report != nullptr ? *report : unwanted;
  filled = {};
  filled.connectivity = connectivity;

  const Algorithm& chosen = choose(state_->options, connectivity, image.extent.elements(), state_->cpu_only);
  try {
    return state_->label_with(chosen, image, connectivity, filled);
  } catch (const Error& error) {
    const bool of_the_gpu = error.failure() == Failure::unavailable || error.failure() == Failure::memory ||
                            error.failure() == Failure::temporary || error.failure() == Failure::internal;
    if (chosen.device == DeviceKind::cpu || state_->options.device == DeviceChoice::cuda || !of_the_gpu)
      throw;
    state_->give_up_gpu(error);
  }
  const Algorithm& instead = choose(state_->options, connectivity, image.extent.elements(), true);
  return state_->label_with(instead, image, connectivity, filled);
}

}  // namespace gpuccl
