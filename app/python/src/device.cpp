#include "device.hpp"

#include <cuda_runtime_api.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpuccl/device_labeling.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::python {
namespace {

namespace nb = nanobind;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // others need not see it
  const Failure failure = status == cudaErrorMemoryAllocation ? Failure::memory
                          : status == cudaErrorInvalidValue   ? Failure::usage
                                                              : Failure::unavailable;
  throw Error(failure, std::string("CUDA: ") + cudaGetErrorString(status));
}

cudaStream_t stream_of(std::uintptr_t handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// Makes a device current, and the one before it when it goes.
class Current {
 public:
  explicit Current(int device) {
    check(cudaGetDevice(&before_));
    if (before_ != device) {
      check(cudaSetDevice(device));
      changed_ = true;
    }
  }
  ~Current() {
    if (changed_) cudaSetDevice(before_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Memory that is kept for the next call when it is free, of a device each. The driver's own pool would give
/// it back whenever a stream is waited for.
class Pools {
 public:
  cudaMemPool_t of(int device) {
    const std::lock_guard lock(mutex_);
    cudaMemPool_t& pool = pools_[device];
    if (pool == nullptr) {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location = {cudaMemLocationTypeDevice, device};
      check(cudaMemPoolCreate(&pool, &properties));
      std::uint64_t all = ~std::uint64_t{0};
      check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    }
    return pool;
  }
  void trim() {
    const std::lock_guard lock(mutex_);
    for (const auto& [device, pool] : pools_)
      if (pool != nullptr) check(cudaMemPoolTrimTo(pool, 0));
  }

 private:
  std::mutex mutex_;
  std::map<int, cudaMemPool_t> pools_;
};

Pools& pools() {
  static auto* const pools = new Pools;  // outlives all arrays
  return *pools;
}

/// Memory of a device that is allocated and freed in the order of a stream.
class Memory {
 public:
  Memory(int device, std::size_t bytes, std::uintptr_t stream)
      : device_(device), bytes_(bytes), stream_(stream_of(stream)) {
    const Current current(device);
    check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    if (const cudaError_t status =
            cudaMallocFromPoolAsync(&data_, bytes > 0 ? bytes : 1, pools().of(device), stream_);
        status != cudaSuccess) {
      cudaEventDestroy(ready_);
      check(status);
    }
  }
  /// Requires that work enqueued elsewhere has been waited for by the library that enqueued it.
  ~Memory() {
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess) return;  // the process ends
    cudaSetDevice(device_);
    cudaFreeAsync(data_, stream_);
    cudaEventDestroy(ready_);
    cudaSetDevice(before);
    cudaGetLastError();
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }
  std::size_t bytes() const { return bytes_; }
  int device() const { return device_; }

  /// Records that the work enqueued so far writes this memory.
  void mark_ready() {
    const Current current(device_);
    check(cudaEventRecord(ready_, stream_));
  }
  /// `stream` goes on when it is written.
  void let_wait(std::uintptr_t stream) const {
    const Current current(device_);
    check(cudaStreamWaitEvent(stream_of(stream), ready_, 0));
  }

 private:
  int device_;
  std::size_t bytes_;
  cudaStream_t stream_;
  cudaEvent_t ready_ = nullptr;
  void* data_ = nullptr;
};

/// An image and its labels, or several that begin so many bytes apart.
struct Call {
  int device = 0;
  std::uintptr_t stream = 0;
  int connectivity = 0;
  std::uintptr_t data = 0;
  int type = 0;  // of values: ValueType; below 0: bits (-1) or bytes (-2)
  double delta = 0;
  std::array<int, 3> extent{};            // width, height, depth
  std::array<std::int64_t, 2> pitches{};  // of rows and slices; 0: without padding
  std::uintptr_t labels = 0;
  std::array<std::int64_t, 2> label_pitches{};
  std::uintptr_t count = 0;
  std::uintptr_t components = 0;
  std::size_t capacity = 0;
  std::uintptr_t workspace = 0;
  std::size_t workspace_bytes = 0;
  std::int64_t images = 1, image_pitch = 0, labels_pitch = 0;
};

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

void run(const Call& call) {
  const Current current(call.device);
  const Extent extent{call.extent[0], call.extent[1], call.extent[2]};
  const auto connectivity = static_cast<Connectivity>(call.connectivity);
  for (std::int64_t i = 0; i < call.images; ++i) {
    const auto data = call.data + static_cast<std::uintptr_t>(i * call.image_pitch);
    DeviceResult result;
    if (call.labels != 0)
      result.labels = {at<std::uint32_t>(call.labels + static_cast<std::uintptr_t>(i * call.labels_pitch)),
                       call.label_pitches[0], call.label_pitches[1]};
    if (call.count != 0) result.count = at<unsigned long long>(call.count) + i;
    result.components = at<DeviceComponent>(call.components);
    result.capacity = call.capacity;
    if (call.type < 0) {
      const auto format = call.type == -1 ? DeviceImage::Format::bits : DeviceImage::Format::bytes;
      label_on_device({at<const void>(data), format, extent, call.pitches[0], call.pitches[1]}, connectivity,
                      result, at<void>(call.workspace), call.workspace_bytes, stream_of(call.stream));
    } else {
      label_values_on_device({at<const void>(data), static_cast<ValueType>(call.type), extent,
                              call.pitches[0], call.pitches[1], call.delta},
                             connectivity, result, nullptr, at<void>(call.workspace), call.workspace_bytes,
                             stream_of(call.stream));
    }
  }
}

/// Bytes of the device as soon as the stream has written them.
nb::bytes read(int device, std::uintptr_t address, std::size_t bytes, std::uintptr_t stream) {
  std::vector<char> copy(bytes);
  {
    const nb::gil_scoped_release others_go_on;
    const Current current(device);
    if (bytes > 0)
      check(cudaMemcpyAsync(copy.data(), at<const void>(address), bytes, cudaMemcpyDeviceToHost,
                            stream_of(stream)));
    check(cudaStreamSynchronize(stream_of(stream)));
  }
  return nb::bytes(copy.data(), copy.size());
}

/// `stream` goes on when what is enqueued in `before` is done.
void wait_for(int device, std::uintptr_t stream, std::uintptr_t before) {
  if (stream == before) return;
  const nb::gil_scoped_release others_go_on;
  const Current current(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t status = cudaEventRecord(event, stream_of(before));
  if (status == cudaSuccess) status = cudaStreamWaitEvent(stream_of(stream), event, 0);
  cudaEventDestroy(event);
  check(status);
}

/// A view of memory for DLPack, which keeps its owner.
nb::object as_dlpack(nb::handle owner, std::uintptr_t address, int device,
                     const std::vector<std::size_t>& shape, int bits) {
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int),
                               static_cast<std::uint8_t>(bits), 1};
  return nb::cast(nb::ndarray<>(at<void>(address), shape.size(), shape.data(), owner, nullptr, type,
                                nb::device::cuda::value, device));
}

/// The address, strides in elements, shape and type of what a capsule of DLPack, or an array, shows;
/// (address, device, shape, strides, code, bits).
nb::tuple look_at(const nb::ndarray<nb::ro, nb::device::cuda>& array) {
  nb::list shape, strides;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    shape.append(array.shape(i));
    strides.append(array.stride(i));
  }
  const nb::dlpack::dtype type = array.dtype();
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), array.device_id(), nb::tuple(shape),
                        nb::tuple(strides), static_cast<int>(type.code), static_cast<int>(type.bits));
}

}  // namespace

void add_device(nb::module_& module) {
  using namespace nb::literals;
  module.attr("with_cuda") = true;
  nb::class_<Memory>(module, "Memory")
      .def(nb::init<int, std::size_t, std::uintptr_t>(), "device"_a, "bytes"_a, "stream"_a)
      .def_prop_ro("address", &Memory::address)
      .def_prop_ro("bytes", &Memory::bytes)
      .def_prop_ro("device", &Memory::device)
      .def("mark_ready", &Memory::mark_ready)
      .def("let_wait", &Memory::let_wait, "stream"_a);
  module.def(
      "workspace_bytes",
      [](int width, int height, int depth, int connectivity, bool values) {
        const Extent extent{width, height, depth};
        const auto connected = static_cast<Connectivity>(connectivity);
        return values ? device_value_workspace_bytes(extent, connected)
                      : device_workspace_bytes(extent, connected);
      },
      "width"_a, "height"_a, "depth"_a, "connectivity"_a, "values"_a);
  module.def(
      "label_on_device",
      [](int device, std::uintptr_t stream, int connectivity, std::uintptr_t data, int type, double delta,
         int width, int height, int depth, std::int64_t row_pitch, std::int64_t slice_pitch,
         std::uintptr_t labels, std::int64_t label_row_pitch, std::int64_t label_slice_pitch,
         std::uintptr_t count, std::uintptr_t components, std::size_t capacity, std::uintptr_t workspace,
         std::size_t workspace_bytes, std::int64_t images, std::int64_t image_pitch,
         std::int64_t labels_pitch) {
        const nb::gil_scoped_release others_go_on;
        run({device,
             stream,
             connectivity,
             data,
             type,
             delta,
             {width, height, depth},
             {row_pitch, slice_pitch},
             labels,
             {label_row_pitch, label_slice_pitch},
             count,
             components,
             capacity,
             workspace,
             workspace_bytes,
             images,
             image_pitch,
             labels_pitch});
      },
      "device"_a, "stream"_a, "connectivity"_a, "data"_a, "type"_a, "delta"_a, "width"_a, "height"_a,
      "depth"_a, "row_pitch"_a, "slice_pitch"_a, "labels"_a, "label_row_pitch"_a, "label_slice_pitch"_a,
      "count"_a, "components"_a, "capacity"_a, "workspace"_a, "workspace_bytes"_a, "images"_a,
      "image_pitch"_a, "labels_pitch"_a);
  module.def("read", &read, "device"_a, "address"_a, "bytes"_a, "stream"_a);
  module.def("wait_for", &wait_for, "device"_a, "stream"_a, "before"_a);
  module.def("free_memory", [] { pools().trim(); });
  module.def("as_dlpack", &as_dlpack, "owner"_a, "address"_a, "device"_a, "shape"_a, "bits"_a);
  module.def("look_at", &look_at, "array"_a);
}

}  // namespace gpuccl::python
