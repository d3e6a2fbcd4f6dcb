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

#include "cpu/phase_clock.hpp"
#include "cuda/cuda.hpp"
#include "gpuccl/algorithms.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {

/// Queue of threads that wait for one of several GPUs. A thread that finds a free GPU serves the first
/// request in line, and later requests that can go with it. `Request` has the member `done`, initially false.
template <class Request>
class GpuQueue {
 public:
  explicit GpuQueue(std::size_t gpus) : gpus_(gpus) {
    for (std::size_t gpu = gpus; gpu > 0; --gpu) idle_.push_back(gpu - 1);
  }

  /// Returns when `mine` is done. take(line) removes requests that go together from the line, at least the
  /// first one. If it throws, the line must be unchanged; this function rethrows, and other threads continue.
  /// work(requests, gpu) serves them on this GPU and must not throw.
  template <class Take, class Work>
  void wait_for(Request& mine, Take take, Work work) {
    std::unique_lock lock(lock_);
    line_.push_back(&mine);
    while (true) {
      // With several GPUs, another thread may have taken `mine` without having served it yet.
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

  /// Runs `work` while no other thread uses a GPU.
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

/// Small images below each other, separated by one or two empty rows, to be labeled as one image: on a GPU,
/// launches and transfers take longer than a small image. Each begins in an even row, so that its rows form
/// the same pairs as when it is labeled alone.
class ImageGroup {
 public:
  /// Requires images of at least one element and exactly one slice.
  explicit ImageGroup(const std::vector<BitView>& images);

  BitView view() const { return all_.view(); }
  /// Extracts the labels of image `i` from `labeled`, which labels view() by runs.
  Labeling part(const Labeling& labeled, std::size_t i) const;

 private:
  std::vector<BitView> images_;
  std::vector<int> tops_;  // their first rows
  BitVolume all_;
};

/// Returns whether an image is small enough for a group: labeling it takes less time than a launch.
bool fits_group(const Extent& extent, Connectivity connectivity);

/// Size of a group as images are added, including padding.
class GroupSize {
 public:
  /// Adds an image. Returns false if the group has no room for it; the first image always fits.
  bool add(const Extent& extent);

 private:
  std::int64_t rows_ = 0, width_ = 0;
};

using LabelerKey = std::pair<const Algorithm*, Connectivity>;

/// Labels `image` and reports the time.
inline Labeling label_timed(Labeler& labeler, BitView image, EngineReport& report) {
  Labeling labeled;
  report.label_ms = cpu::milliseconds([&] { labeled = labeler.label(image); });
  report.label_ms -= labeled.statistics_ms;
  return labeled;
}

/// The labelers of several GPUs, and the queue of threads that wait for them. Small images that wait at the
/// same time are labeled together.
class GpuLabelers {
 public:
  explicit GpuLabelers(const EngineOptions& options);

  void start_in_background();
  /// Returns whether a GPU has ever been used.
  bool started() const { return started_; }

  /// Labels an image and sets the times and the device in `report`. `gathered`: as Labeler::gather(); ignored
  /// for small images. Throws errors of the algorithm and of the device. If memory runs out, all labelers of
  /// the GPU free theirs.
  Labeling label(const LabelerKey& key, BitView image, EngineReport& report, const SumsLayout& gathered);

  /// Labels values. Moves from `image` only on success.
  ValueLabeling label_values(ValueImage& image, Connectivity connectivity, EngineReport& report);

  /// Frees all memory of the GPUs.
  void clear();

 private:
  struct Request {
    LabelerKey key;
    BitView image;
    EngineReport& report;
    SumsLayout gathered = {};
    Labeling labeled = {};
    std::exception_ptr error = nullptr;
    bool done = false;
    // If it was labeled together with others:
    std::shared_ptr<const ImageGroup> group = nullptr;
    std::shared_ptr<const Labeling> of_group = nullptr;
    std::size_t in_group = 0;
    // If it is of values, which have no bits:
    ValueImage* values = nullptr;
    ValueLabeling of_values = {};
  };
  using Requests = std::vector<Request*>;

  /// Used by the thread that has the GPU.
  struct Device {
    int gpu = 0;     // index in CUDA
    int number = 0;  // index in EngineOptions, messages and reports
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
  std::atomic<double> waited_ms_ = 0;  // for the number of GPUs, not yet reported
  std::vector<Device> devices_;
  GpuQueue<Request> queue_;
  std::atomic<bool> started_ = false;
};

}  // namespace gpuccl
