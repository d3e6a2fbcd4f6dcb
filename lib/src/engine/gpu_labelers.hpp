#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/cuda.hpp"
#include "engine/gpu_queue.hpp"
#include "engine/image_group.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {

using LabelerKey = std::pair<const Algorithm*, Connectivity>;

/// Labels `image` and reports how long it took.
Labeled label_timed(Labeler& labeler, BitView image, EngineReport& report);

/// The labelers of some GPUs and the line of threads in front of these. Small images that wait at the same
/// time are labeled together.
class GpuLabelers {
 public:
  /// Labelers of the devices `gpus`, all there are if it is empty; `time_phases` as Labeler::time_phases().
  GpuLabelers(std::vector<int> gpus, bool time_phases);

  void start_in_background();
  /// Whether a GPU was ever at work.
  bool started() const { return started_; }

  /// Labels an image and fills the times and the device of `report`. Errors are those of the algorithm and of
  /// the device; `gathered` as Labeler::gather(), not of small images; what ran out of memory gives back what
  /// it and other labelers have.
  Labeled label(const LabelerKey& key, BitView image, EngineReport& report, const SumsLayout& gathered);

  /// Labels values. Moves from `image` only on success.
  LabeledValues label_values(ValueImage& image, Connectivity connectivity, EngineReport& report);

  /// Returns the number of GPUs that are idle.
  std::size_t idle() { return queue_.idle(); }

  /// Gives back all memory of the GPUs.
  void clear();

 private:
  struct Request {
    LabelerKey key;
    BitView image;
    EngineReport& report;
    SumsLayout gathered = {};
    Labeled labeled = {};
    std::exception_ptr error = nullptr;
    bool done = false;
    // If it was labeled together with others:
    std::shared_ptr<const ImageGroup> group = nullptr;
    std::shared_ptr<const Labeled> of_group = nullptr;
    std::size_t in_group = 0;
    // If it is of values, which have no bits:
    ValueImage* values = nullptr;
    LabeledValues of_values = {};
  };
  using Requests = std::vector<Request*>;

  /// Used by whoever has the GPU.
  struct Device {
    int gpu = 0;
    std::optional<std::future<void>> starting;
    std::map<LabelerKey, std::unique_ptr<Labeler>> labelers;
    std::map<Connectivity, std::unique_ptr<cuda::ValueLabeler>> of_values;

    bool holds_memory() const { return !labelers.empty() || !of_values.empty(); }
    void clear() {
      labelers.clear();
      of_values.clear();
    }
  };

  void wait_for(Request& mine);
  static Requests take_together(std::deque<Request*>& line);
  void label_all(const Requests& requests, Device& device) noexcept;
  void label_together(const Requests& requests, Device& device);
  static void fail(const Requests& requests, const std::exception_ptr& error);
  void label_by_values(Request& request, Device& device) const;
  void label_group(Labeler& labeler, const Requests& requests) const;
  void start_up(Device& device);

  const bool time_phases_;
  std::vector<Device> devices_;
  GpuQueue<Request> queue_;
  std::atomic<bool> started_ = false;
};

}  // namespace gpuccl
