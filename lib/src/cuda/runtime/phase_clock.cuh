#pragma once

#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "cuda/runtime/device.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::cuda {

struct LaunchShape;

/// Reads what instrumented kernels have counted in one launch.
class LaunchCounter {
 public:
  virtual ~LaunchCounter() = default;
  /// Sets the counters to 0. Called before a launch on `stream`.
  virtual void begin(const LaunchShape& shape, cudaStream_t stream) = 0;
  /// Waits for the launch and adds its counts to `launch`.
  virtual void end(PhaseTime& launch) = 0;
};

/// Launches the phases of an algorithm and, if requested, times each one on the stream.
class PhaseClock {
 public:
  /// Times nothing, at no cost, if `times` is null. Otherwise `counter`, if not null, reads the counts of
  /// each launch.
  PhaseClock(cudaStream_t stream, PhaseTimes* times, LaunchCounter* counter = nullptr)
      : stream_(stream), times_(times), counter_(counter) {}
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

  template <class... Params>
  void operator()(const char* phase, void (*kernel)(Params...), const LaunchShape& shape,
                  const std::type_identity_t<Params>&... args) {
    if (times_ != nullptr) open_span(phase, shape);
    LaunchShape own = shape;
    own.early = shape.early && times_ == nullptr;  // a timed phase runs alone
    launch(kernel, own, stream_, args...);
    check(cudaGetLastError(), phase);
    if (times_ != nullptr) close_span(phase);
  }

  /// Waits for the stream if phases are timed, and adds up their launches.
  void finish() {
    if (times_ == nullptr || spans_.empty()) return;
    spans_.back().end.wait(spans_.back().launch.phase.c_str());
    for (Span& span : spans_) {
      span.launch.milliseconds = span.end.milliseconds_since(span.begin);
      add_to(*times_, std::move(span.launch));
    }
    spans_.clear();
  }

  cudaStream_t stream() const { return stream_; }

 private:
  struct Span {
    PhaseTime launch;
    Event begin{Event::Purpose::timing};
    Event end{Event::Purpose::timing};
  };

  void open_span(const char* phase, const LaunchShape& shape) {
    spans_.push_back({{phase, 0, 1}});
    if (counter_ != nullptr) counter_->begin(shape, stream_);
    spans_.back().begin.record(stream_, phase);
  }

  void close_span(const char* phase) {
    Span& span = spans_.back();
    span.end.record(stream_, phase);
    if (counter_ != nullptr) counter_->end(span.launch);
  }

  cudaStream_t stream_;
  PhaseTimes* times_;
  LaunchCounter* counter_;
  std::vector<Span> spans_;
};

}  // namespace gpuccl::cuda
