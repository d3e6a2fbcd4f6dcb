#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/cuda.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {

/// The line of threads that want one of some GPUs. Whoever finds one free works for the first in line, and
/// for those behind that can go with it. `Request` has the member `done`, false to begin with.
template <class Request>
class GpuQueue {
 public:
  explicit GpuQueue(std::size_t gpus) : gpus_(gpus) {
    for (std::size_t gpu = gpus; gpu > 0; --gpu) idle_.push_back(gpu - 1);
  }

  /// Returns the number of idle GPUs.
  std::size_t idle() {
    const std::lock_guard lock(lock_);
    return idle_.size();
  }

  /// Returns when `mine` is done. take(line) takes requests that go together out of the line, the first at
  /// least, or throws and leaves the line as it is: then so does this, and others go on. work(requests, gpu)
  /// does them on that of the GPUs, and throws nothing.
  template <class Take, class Work>
  void wait_for(Request& mine, Take take, Work work) {
    std::unique_lock lock(lock_);
    line_.push_back(&mine);
    while (true) {
      // With several GPUs, mine may be taken and not be done.
      changed_.wait(lock, [&] {
        return mine.done || (!idle_.empty() && std::find(line_.begin(), line_.end(), &mine) != line_.end());
      });
      if (mine.done) return;
      const std::vector<Request*> together = take_or_leave(mine, take);
      const std::size_t gpu = idle_.back();
      idle_.pop_back();
      lock.unlock();
      work(together, gpu);
      lock.lock();
      idle_.push_back(gpu);
      for (Request* const request : together) request->done = true;
      changed_.notify_all();
    }
  }

  /// Does `work` while nobody else has any GPU.
  template <class Work>
  void alone(Work work) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return idle_.size() == gpus_; });
    std::vector<std::size_t> all;
    std::swap(all, idle_);
    lock.unlock();
    work();
    lock.lock();
    std::swap(all, idle_);
    changed_.notify_all();
  }

 protected:
  std::mutex lock_;
  std::deque<Request*> line_;

 private:
  template <class Take>
  std::vector<Request*> take_or_leave(Request& mine, Take take) {
    try {
      return take(line_);
    } catch (...) {
      std::erase(line_, &mine);
      changed_.notify_all();
      throw;
    }
  }

  std::condition_variable changed_;
  const std::size_t gpus_;
  std::vector<std::size_t> idle_;
};

/// Small images, one below the other with an empty row or two between them, to be labeled as one: on a GPU
/// launches and transfers take longer than a small image. All begin in an even row, so that their rows are in
/// the same pairs as when each is labeled alone.
class ImageGroup {
 public:
  /// Requires images of at least one element and exactly one slice.
  explicit ImageGroup(const std::vector<BitView>& images);

  BitView view() const { return all_.view(); }
  /// Extracts the labels of image `i` from `labeled`, which labels view() by runs.
  Labeled part(const Labeled& labeled, std::size_t i) const;

 private:
  std::vector<BitView> images_;
  std::vector<int> tops_;  // their first rows
  BitVolume all_;
};

/// Whether an image is small enough for a group: it is labeled faster than a launch takes.
bool fits_group(const Extent& extent, Connectivity connectivity);

/// Size of a group as images are added, including padding.
class GroupSize {
 public:
  /// Whether the group may have one more image; the first always fits.
  bool add(const Extent& extent);

 private:
  std::int64_t rows_ = 0, width_ = 0;
};

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
