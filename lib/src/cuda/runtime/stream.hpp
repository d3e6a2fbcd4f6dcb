#pragma once

#include "cuda/runtime/device.hpp"

namespace gpuccl::cuda {

/// A point in a stream that the host can wait for or measure from.
class Event {
 public:
  enum class Purpose { waiting, timing };

  explicit Event(Purpose purpose) {
    const unsigned flags = purpose == Purpose::timing ? cudaEventDefault : cudaEventDisableTiming;
    check(cudaEventCreateWithFlags(&event_, flags), "creating an event");
  }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  Event& operator=(Event&&) = delete;

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream, const char* doing) { check(cudaEventRecord(event_, stream), doing); }
  void wait(const char* doing) const { check(cudaEventSynchronize(event_), doing); }
  /// Returns the time between two events. Requires that both have been waited for.
  double milliseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "reading a timer");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Work for the device in order. Does not synchronize with the default stream.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait(const char* doing) const { check(cudaStreamSynchronize(stream_), doing); }
  /// Returns true if all enqueued work is done.
  bool is_done(const char* doing) const {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status != cudaErrorNotReady) check(status, doing);
    cudaGetLastError();  // clears the status "not ready"
    return status == cudaSuccess;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Returns the milliseconds on the device between the beginning and the end of the work that `work` enqueues.
/// Waits for it.
template <class Work>
double device_ms(const Stream& stream, const Work& work) {
  constexpr const char* kDoing = "timing";
  Event begin{Event::Purpose::timing}, end{Event::Purpose::timing};
  begin.record(stream.get(), kDoing);
  work();
  end.record(stream.get(), kDoing);
  end.wait(kDoing);
  return end.milliseconds_since(begin);
}

}  // namespace gpuccl::cuda
