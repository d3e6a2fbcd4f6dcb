#pragma once

#include <vector>

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/stream.hpp"
#include "gpuccl/phase_times.hpp"

namespace gpuccl::cuda {

/// Launches the phases of an algorithm and, when asked, times each one on the stream.
class PhaseClock {
 public:
  /// Times nothing, and costs nothing, when `times` is null. Otherwise `counts`, if there are any, are what
  /// the kernels count into, on the device: they are read after every launch.
  PhaseClock(cudaStream_t stream, PhaseTimes* times, Accesses* counts = nullptr)
      : stream_(stream), times_(times), counts_(counts) {}
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

  template <class... Params>
  void operator()(const char* phase, void (*kernel)(Params...), const LaunchShape& shape,
                  const std::type_identity_t<Params>&... args) {
    if (times_ != nullptr) open_span(phase);
    LaunchShape own = shape;
    own.early = shape.early && times_ == nullptr;  // a phase that is timed has the device for itself
    launch(kernel, own, stream_, args...);
    check(cudaGetLastError(), phase);
    if (times_ != nullptr) close_span(phase);
  }

  /// Waits for the stream if phases were timed, and adds the spans up by phase.
  void finish() {
    if (times_ == nullptr || spans_.empty()) return;
    spans_.back().end.wait(spans_.back().phase);
    for (const Span& span : spans_)
      add_to(*times_, span.phase, span.end.milliseconds_since(span.begin), span.accesses);
    spans_.clear();
  }

  cudaStream_t stream() const { return stream_; }

 private:
  struct Span {
    const char* phase;
    Event begin{Event::Purpose::timing};
    Event end{Event::Purpose::timing};
    Accesses accesses{};
  };

  void open_span(const char* phase) {
    spans_.push_back({phase});
    if (counts_ != nullptr) check(cudaMemsetAsync(counts_, 0, sizeof(Accesses), stream_), phase);
    spans_.back().begin.record(stream_, phase);
  }

  void close_span(const char* phase) {
    Span& span = spans_.back();
    span.end.record(stream_, phase);
    if (counts_ == nullptr) return;
    check(cudaMemcpyAsync(&span.accesses, counts_, sizeof(Accesses), cudaMemcpyDeviceToHost, stream_), phase);
    check(cudaStreamSynchronize(stream_), phase);
  }

  cudaStream_t stream_;
  PhaseTimes* times_;
  Accesses* counts_;
  std::vector<Span> spans_;
};

}  // namespace gpuccl::cuda
