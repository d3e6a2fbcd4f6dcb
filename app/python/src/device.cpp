#include "gpuccl/device.hpp"

#include <cuda_runtime_api.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "gpuccl/types.hpp"
#include "module.hpp"

namespace gpuccl::python {
namespace {

namespace nb = nanobind;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // others need not see it
  const ErrorCode failure = status == cudaErrorMemoryAllocation ? ErrorCode::memory
                            : status == cudaErrorInvalidValue   ? ErrorCode::usage
                                                                : ErrorCode::unavailable;
  throw Error(failure, std::string("CUDA: ") + cudaGetErrorString(status));
}

cudaStream_t stream_of(std::uintptr_t handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// Makes a device current during its lifetime.
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

/// Makes a device current, and lets other threads of Python go on.
class Work {
 public:
  explicit Work(int device) : current_(device) {}

 private:
  nb::gil_scoped_release others_go_on_;
  Current current_;
};

/// A pool of memory for each device, kept for the next call. The driver's own pool would give memory back
/// whenever a stream is waited for.
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
    check(cudaMallocFromPoolAsync(&data_, bytes > 0 ? bytes : 1, pools().of(device), stream_));
  }
  /// Requires that work enqueued elsewhere has been waited for by the library that enqueued it.
  ~Memory() {
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess) return;  // the process ends
    cudaSetDevice(device_);
    if (ready_ != nullptr) {  // by another stream, or by this thread's one that another thread frees in
      cudaStreamWaitEvent(stream_, ready_, 0);
      cudaEventDestroy(ready_);
    }
    cudaFreeAsync(data_, stream_);
    cudaSetDevice(before);
    cudaGetLastError();
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }
  std::size_t bytes() const { return bytes_; }
  int device() const { return device_; }

  /// Records that the work enqueued so far in `stream` writes this memory.
  void mark_ready(std::uintptr_t stream) {
    const Current current(device_);
    if (ready_ == nullptr) check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
    check(cudaEventRecord(ready_, stream_of(stream)));
  }
  /// Lets `stream` wait until the memory is written. Requires mark_ready().
  void let_wait(std::uintptr_t stream) const {
    if (ready_ == nullptr) throw Error(ErrorCode::internal, "memory is shared before it is written");
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

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// Counts of a call: two words.
using Counts = std::array<unsigned long long, 2>;

/// Host memory where the device writes counts. Kept for later calls. Thread-safe.
class CountWords {
 public:
  Counts* acquire() {
    const std::lock_guard lock(mutex_);
    Counts* words = nullptr;
    if (free_.empty()) {
      free_.reserve(++made_);  // release() does not allocate
      check(cudaHostAlloc(reinterpret_cast<void**>(&words), sizeof(*words),
                          cudaHostAllocPortable | cudaHostAllocMapped));
      return words;
    }
    words = free_.back();
    free_.pop_back();
    return words;
  }
  void release(Counts* words) {
    const std::lock_guard lock(mutex_);
    free_.push_back(words);
  }
  void trim() {
    const std::lock_guard lock(mutex_);
    for (; !free_.empty(); free_.pop_back(), --made_) check(cudaFreeHost(free_.back()));
  }

 private:
  std::mutex mutex_;
  std::vector<Counts*> free_;
  std::size_t made_ = 0;  // in use and free
};

CountWords& count_words() {
  static auto* const words = new CountWords;
  return *words;
}

/// Calls enqueue(counts) for work that writes counts to the host, waits for the stream, and returns them.
template <class Enqueue>
Counts wait_for_counts(std::uintptr_t stream, const Enqueue& enqueue) {
  const std::unique_ptr<Counts, void (*)(Counts*)> counts(count_words().acquire(),
                                                          [](Counts* done) { count_words().release(done); });
  try {
    enqueue(counts->data());
  } catch (...) {
    cudaStreamSynchronize(stream_of(stream));  // part of it may still write them
    throw;
  }
  check(cudaStreamSynchronize(stream_of(stream)));
  return *counts;
}

/// Enqueues the copy of a call's first counts from the device.
void copy_counts(unsigned long long* to, std::uintptr_t from, std::size_t words, std::uintptr_t stream) {
  check(cudaMemcpyAsync(to, at<void>(from), words * sizeof(*to), cudaMemcpyDeviceToHost, stream_of(stream)));
}

/// Columns of tables in one block of memory: a measure, or "label", and the channel whose samples it has. The
/// first `integers` are int64, the others double. Boxes are half-open.
class Layout {
 public:
  Layout(const std::vector<std::string>& names, std::vector<std::size_t> channels, std::size_t integers)
      : channels_(std::move(channels)), integers_(integers) {
    for (const std::string& name : names) measures_.push_back(find_measure(name));
  }
  /// Returns the columns of a channel. `block`: the address of the first column.
  std::vector<DeviceColumn> columns(std::size_t channel, std::uintptr_t block, std::size_t capacity) const {
    std::vector<DeviceColumn> columns;
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      if (channels_[i] != channel) continue;
      const std::uintptr_t address = block + 8 * capacity * i;
      const std::optional<MeasureId> id = measures_[i];
      DeviceColumn& column = columns.emplace_back();
      column.measure = id;
      if (i < integers_)
        column.data = at<std::int64_t>(address);
      else
        column.data = at<double>(address);
      column.is_past_end = id == MeasureId::x1 || id == MeasureId::y1 || id == MeasureId::z1;
    }
    return columns;
  }
  std::size_t bytes(std::size_t capacity) const { return 8 * capacity * measures_.size(); }
  /// Returns the bytes of workspace that the measurement of labels up to `largest` needs. `types`: of the
  /// samples of each channel.
  std::size_t workspace_bytes(const std::array<int, 3>& extent, std::uint32_t largest, int connectivity,
                              const std::vector<int>& types) const {
    std::size_t bytes = 0;
    for (std::size_t channel = 0; channel < std::max<std::size_t>(1, types.size()); ++channel) {
      DeviceMeasuring request;
      if (channel < types.size()) {
        request.samples.data = this;  // any address
        request.samples.type = static_cast<ValueType>(types[channel]);
      }
      request.labels.extent = {extent[0], extent[1], extent[2]};
      request.largest = largest;
      request.connectivity = static_cast<Connectivity>(connectivity);
      const std::vector<DeviceColumn> wanted = columns(channel, 8, largest);
      request.columns = wanted;
      bytes = std::max(bytes, device_measure_workspace_bytes(request));
    }
    return bytes;
  }

 private:
  std::vector<std::optional<MeasureId>> measures_;
  std::vector<std::size_t> channels_;
  std::size_t integers_;
};

/// Everything about a call but addresses: the same for all arrays of a shape and layout.
class Plan {
 public:
  Plan(int connectivity, int type, double delta, std::array<int, 3> extent,
       std::array<std::int64_t, 2> pitches, std::array<std::int64_t, 2> label_pitches, std::int64_t images,
       std::int64_t image_pitch, std::int64_t labels_pitch)
      : connectivity_(static_cast<Connectivity>(connectivity)),
        type_(type),
        delta_(delta),
        extent_{extent[0], extent[1], extent[2]},
        pitches_(pitches),
        label_pitches_(label_pitches),
        images_(images),
        image_pitch_(image_pitch),
        labels_pitch_(labels_pitch),
        workspace_bytes_(type < 0 ? device_workspace_bytes(extent_, connectivity_)
                                  : device_value_workspace_bytes(extent_, connectivity_)) {}

  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues the labeling.
  void label(int device, std::uintptr_t stream, std::uintptr_t data, std::uintptr_t labels,
             std::uintptr_t workspace, std::uintptr_t count) const {
    const Work work(device);
    enqueue(stream, data, labels, workspace, at<unsigned long long>(count), nullptr, 0);
  }

  /// Labels one image, waits for the stream, and returns the number of components.
  unsigned long long label_and_wait(int device, std::uintptr_t stream, std::uintptr_t data,
                                    std::uintptr_t labels, std::uintptr_t workspace) const {
    const nb::gil_scoped_release others_go_on;
    if (extent_.width == 0 || extent_.height == 0 || extent_.depth == 0) return 0;
    const Current current(device);
    return wait_for_counts(stream, [&](unsigned long long* count) {
      enqueue(stream, data, labels, workspace, count, nullptr, 0);
    })[0];
  }

  /// Enqueues the labeling, and an image of the area of each element's component, of int32 without padding.
  /// `map`: room for `capacity` + 1 areas. Those of images with more components are undefined.
  void label_areas(int device, std::uintptr_t stream, std::uintptr_t data, std::uintptr_t labels,
                   std::uintptr_t workspace, std::uintptr_t count, std::uintptr_t components,
                   std::size_t capacity, std::uintptr_t map, std::uintptr_t areas) const {
    const Work work(device);
    check(cudaMemsetAsync(at<void>(map), 0, (capacity + 1) * sizeof(std::int32_t), stream_of(stream)));
    const DeviceColumn area{.measure = MeasureId::area, .data = at<std::int32_t>(map) + 1};
    const auto write = [&](std::int64_t i) {
      const auto image = [&](std::uintptr_t first, std::int64_t pitch) {
        return at<void>(first + static_cast<std::uintptr_t>(i * pitch));
      };
      table_on_device(at<const DeviceComponent>(components), capacity,
                      at<const unsigned long long>(count) + i, extent_, connectivity_, {}, {&area, 1},
                      stream_of(stream));
      relabel_on_device({.labels = {image(labels, labels_pitch_), ValueType::u32, extent_, label_pitches_[0],
                                    label_pitches_[1]},
                         .map = at<void>(map),
                         .entries = capacity + 1,
                         .out = image(areas, extent_.elements() * std::int64_t{sizeof(std::int32_t)})},
                        stream_of(stream));
    };
    enqueue(stream, data, labels, workspace, at<unsigned long long>(count), at<DeviceComponent>(components),
            capacity, write);
  }

  /// As label_and_wait(), and writes a table of up to `capacity` components, whose memory has room for one
  /// more.
  unsigned long long label_table(int device, std::uintptr_t stream, std::uintptr_t data,
                                 std::uintptr_t labels, std::uintptr_t workspace, std::uintptr_t components,
                                 std::size_t capacity, const Layout& layout,
                                 const std::array<double, 3>& spacing, std::uintptr_t block) const {
    const Work work(device);
    const std::uintptr_t count = components + capacity * sizeof(DeviceComponent);
    return wait_for_counts(stream, [&](unsigned long long* on_host) {
      enqueue(stream, data, labels, workspace, at<unsigned long long>(count), at<DeviceComponent>(components),
              capacity);
      table_on_device(at<const DeviceComponent>(components), capacity, at<const unsigned long long>(count),
                      extent_, connectivity_, spacing, layout.columns(0, block, capacity), stream_of(stream));
      copy_counts(on_host, count, 1, stream);
    })[0];
  }

 private:
  /// Enqueues the labeling of all images, and each(i) after that of image i.
  template <class Each = void (*)(std::int64_t)>
  void enqueue(
      std::uintptr_t stream, std::uintptr_t data, std::uintptr_t labels, std::uintptr_t workspace,
      unsigned long long* count, DeviceComponent* components, std::size_t capacity,
      const Each& each = [](std::int64_t) {}) const {
    for (std::int64_t i = 0; i < images_; ++i) {
      const auto image = data + static_cast<std::uintptr_t>(i * image_pitch_);
      DeviceResult result;
      result.labels = {at<std::uint32_t>(labels + static_cast<std::uintptr_t>(i * labels_pitch_)),
                       label_pitches_[0], label_pitches_[1]};
      result.count = count + i;
      result.components = components;
      result.capacity = capacity;
      if (type_ < 0) {
        const auto format = type_ == -1 ? DeviceImage::Format::bits : DeviceImage::Format::bytes;
        label_on_device({at<const void>(image), format, extent_, pitches_[0], pitches_[1]}, connectivity_,
                        result, at<void>(workspace), workspace_bytes_, stream_of(stream));
      } else {
        label_values_on_device(
            {at<const void>(image), static_cast<ValueType>(type_), extent_, pitches_[0], pitches_[1], delta_},
            connectivity_, result, nullptr, at<void>(workspace), workspace_bytes_, stream_of(stream));
      }
      each(i);
    }
  }

  Connectivity connectivity_;
  int type_;  // of values: ValueType; below 0: bits (-1) or bytes (-2)
  double delta_;
  Extent extent_;
  std::array<std::int64_t, 2> pitches_;  // of rows and slices; 0: without padding
  std::array<std::int64_t, 2> label_pitches_;
  std::int64_t images_, image_pitch_, labels_pitch_;  // pitches in bytes, from one image to the next
  std::size_t workspace_bytes_;
};

std::vector<std::string> measured_on_device(bool of_components, bool in_volume) {
  std::vector<std::string> names{"label"};
  for (const Measure& measure : measures())
    if (is_measured_on_device(measure.id, of_components, in_volume)) names.emplace_back(measure.name);
  return names;
}

/// An array in GPU memory: its address, ValueType, and the pitches of rows and slices in bytes.
using View = std::tuple<std::uintptr_t, int, std::array<std::int64_t, 2>>;

DeviceValueImage image_of(const View& view, const std::array<int, 3>& extent) {
  const auto& [data, type, pitches] = view;
  return {at<const void>(data),
          static_cast<ValueType>(type),
          {extent[0], extent[1], extent[2]},
          pitches[0],
          pitches[1],
          0};
}

/// Returns the highest label, which `memory` of the device receives, after the stream has found it.
unsigned long long highest_label(int device, std::uintptr_t stream, const View& labels,
                                 const std::array<int, 3>& extent, std::uintptr_t memory) {
  const Work work(device);
  return wait_for_counts(stream, [&](unsigned long long* highest) {
    highest_label_on_device(image_of(labels, extent), at<unsigned long long>(memory), stream_of(stream));
    copy_counts(highest, memory, 1, stream);
  })[0];
}

/// Measures labels up to `largest`, and the samples of each channel. The table at `block` has a row for each
/// of these labels, and the rest is undefined. `found`: two words of the device, which receive the number of
/// labels that occur and the highest one. Returns them after a wait, or clears the table and does not wait.
std::optional<Counts> measure_labels(const Layout& layout, int device, std::uintptr_t stream,
                                     const View& labels, const std::vector<View>& samples,
                                     const std::array<int, 3>& extent, std::uint32_t largest,
                                     int connectivity, const std::array<double, 3>& spacing,
                                     std::uintptr_t block, std::uintptr_t found, std::uintptr_t workspace,
                                     std::size_t workspace_bytes, bool waits) {
  const Work work(device);
  DeviceMeasuring request;
  request.labels = image_of(labels, extent);
  request.largest = largest;
  request.connectivity = static_cast<Connectivity>(connectivity);
  request.spacing = spacing;
  request.capacity = largest;
  request.count = at<unsigned long long>(found);
  request.highest = request.count + 1;
  const auto enqueue = [&] {
    for (std::size_t channel = 0; channel < std::max<std::size_t>(1, samples.size()); ++channel) {
      if (channel < samples.size()) request.samples = image_of(samples[channel], extent);
      const std::vector<DeviceColumn> columns = layout.columns(channel, block, largest);
      request.columns = columns;
      measure_on_device(request, at<void>(workspace), workspace_bytes, stream_of(stream));
    }
  };
  if (waits)
    return wait_for_counts(stream, [&](unsigned long long* counts) {
      enqueue();
      copy_counts(counts, found, 2, stream);
    });
  check(cudaMemsetAsync(at<void>(block), 0, layout.bytes(largest), stream_of(stream)));
  enqueue();
  return std::nullopt;
}

/// A mask of bytes (type -2) or a multi-label image in GPU memory.
std::variant<DeviceImage, DeviceValueImage> any_image_of(const View& view, const std::array<int, 3>& extent) {
  const auto& [data, type, pitches] = view;
  if (type >= 0) return image_of(view, extent);
  return DeviceImage{at<const void>(data),
                     DeviceImage::Format::bytes,
                     {extent[0], extent[1], extent[2]},
                     pitches[0],
                     pitches[1]};
}

/// Which components of images of one shape are kept: the sizes are those of DeviceCleaning.
class Cleaning {
 public:
  Cleaning(int connectivity, int type, std::array<int, 3> extent, std::array<std::uint64_t, 3> sizes,
           std::uint32_t largest, bool clear_border, bool with_seeds)
      : extent_(extent) {
    request_.image = any_image_of({0, type, {}}, extent);
    request_.connectivity = static_cast<Connectivity>(connectivity);
    request_.fill_holes = sizes[0];
    request_.min_size = sizes[1];
    request_.max_size = sizes[2];
    request_.largest = largest;
    request_.clear_border = clear_border;
    DeviceCleaning requested = request_;
    if (with_seeds) requested.seeds.data = this;  // only whether there are some
    workspace_bytes_ = device_clean_workspace_bytes(requested);
  }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Enqueues the cleaning of an image. Without an address, there are no seeds. `from` has elements of the
  /// size of those of `out`.
  void clean(int device, std::uintptr_t stream, const View& image, const View& seeds, const View& from,
             std::uint64_t filled, const View& out, std::uintptr_t workspace) const {
    const Work work(device);
    DeviceCleaning request = request_;
    request.image = any_image_of(image, extent_);
    if (std::get<0>(seeds) != 0) request.seeds = std::get<DeviceImage>(any_image_of(seeds, extent_));
    request.from = image_of(from, extent_);
    request.filled = filled;
    request.type = static_cast<ValueType>(std::get<1>(out));
    request.out = at<void>(std::get<0>(out));
    request.out_row_pitch = std::get<2>(out)[0];
    request.out_slice_pitch = std::get<2>(out)[1];
    clean_on_device(request, at<void>(workspace), workspace_bytes_, stream_of(stream));
  }

 private:
  std::array<int, 3> extent_;
  DeviceCleaning request_;
  std::size_t workspace_bytes_ = 0;
};

std::size_t pairs_workspace_bytes(std::size_t capacity, bool contacts) {
  return contacts ? device_contacts_workspace_bytes(capacity) : device_overlaps_workspace_bytes(capacity);
}

/// Counts pairs of labels: overlaps with `others`, or contacts if `others` has no address. Writes columns to
/// one block of memory: both labels, and the count and first element, or the five counts of contacts. Returns
/// the number of pairs, and of contacts the highest label. `count`: two words of the device.
Counts count_pairs(int device, std::uintptr_t stream, const View& labels, const View& others,
                   const std::array<int, 3>& extent, int connectivity, std::uint32_t largest,
                   std::uintptr_t block, std::size_t capacity, std::uintptr_t count, std::uintptr_t workspace,
                   std::size_t workspace_bytes) {
  const Work work(device);
  const auto column = [&](std::size_t i) { return at<std::int64_t>(block + 8 * capacity * i); };
  DevicePairs pairs{.a = column(0),
                    .b = column(1),
                    .counts = {column(2)},
                    .capacity = capacity,
                    .count = at<unsigned long long>(count)};
  return wait_for_counts(stream, [&](unsigned long long* found) {
    if (std::get<0>(others) != 0) {
      pairs.first = column(3);
      overlaps_on_device(image_of(labels, extent), image_of(others, extent), largest, pairs,
                         at<void>(workspace), workspace_bytes, stream_of(stream));
    } else {
      for (std::size_t i = 1; i < 5; ++i) pairs.counts[i] = column(2 + i);
      pairs.highest = pairs.count + 1;
      contacts_on_device(image_of(labels, extent), static_cast<Connectivity>(connectivity), largest, pairs,
                         at<void>(workspace), workspace_bytes, stream_of(stream));
    }
    copy_counts(found, count, pairs.highest != nullptr ? 2 : 1, stream);
  });
}

/// Writes ranks of labels that are far apart, and the labels of all ranks, 0 first. Returns their number,
/// which `count` of the device receives.
unsigned long long rank_labels(int device, std::uintptr_t stream, const View& labels,
                               const std::array<int, 3>& extent, std::uintptr_t ranks, std::uintptr_t ids,
                               std::size_t capacity, std::uintptr_t count, std::uintptr_t workspace,
                               std::size_t workspace_bytes) {
  const Work work(device);
  return wait_for_counts(stream, [&](unsigned long long* found) {
    rank_on_device({image_of(labels, extent), at<std::uint32_t>(ranks), at<std::uint64_t>(ids), capacity,
                    at<unsigned long long>(count)},
                   at<void>(workspace), workspace_bytes, stream_of(stream));
    copy_counts(found, count, 1, stream);
  })[0];
}

/// Enqueues the replacement of ranks by labels in the first rows of columns. `ids`: of all ranks, 0 first.
void name_labels(int device, std::uintptr_t stream, std::uintptr_t block, int columns, std::size_t capacity,
                 int rows, std::uintptr_t ids, std::size_t entries) {
  const Work work(device);
  const auto pitch = static_cast<std::int64_t>(8 * capacity);
  relabel_on_device({.labels = {at<void>(block), ValueType::u64, {rows, columns, 1}, pitch},
                     .type = ValueType::u64,
                     .map = at<void>(ids),
                     .entries = entries,
                     .out = at<void>(block),
                     .out_row_pitch = pitch},
                    stream_of(stream));
}

/// Returns rows of device memory, one after the other, after the stream has written them.
nb::bytes read(int device, std::uintptr_t address, std::size_t pitch, std::size_t bytes, std::size_t rows,
               std::uintptr_t stream) {
  auto copy = nb::steal<nb::bytes>(
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes * rows)));  // without zeros
  if (!copy.is_valid()) nb::raise_python_error();
  char* const to = PyBytes_AsString(copy.ptr());
  const Work work(device);
  if (pitch == bytes) bytes *= std::exchange(rows, 1);
  constexpr std::size_t kMaxPitch = (std::size_t{1} << 31) - 1;  // of CUDA
  if (bytes * rows > 0 && rows > 1 && pitch <= kMaxPitch)
    check(cudaMemcpy2DAsync(to, bytes, at<const void>(address), pitch, bytes, rows, cudaMemcpyDeviceToHost,
                            stream_of(stream)));
  else if (bytes > 0)
    for (std::size_t row = 0; row < rows; ++row)
      check(cudaMemcpyAsync(to + bytes * row, at<const void>(address + pitch * row), bytes,
                            cudaMemcpyDeviceToHost, stream_of(stream)));
  check(cudaStreamSynchronize(stream_of(stream)));
  return copy;
}

/// Lets `stream` wait until the work enqueued in `before` is done.
void wait_for(int device, std::uintptr_t stream, std::uintptr_t before) {
  if (stream == before) return;
  const Work work(device);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t status = cudaEventRecord(event, stream_of(before));
  if (status == cudaSuccess) status = cudaStreamWaitEvent(stream_of(stream), event, 0);
  cudaEventDestroy(event);
  check(status);
}

/// Returns a view of memory for DLPack, which keeps its owner.
nb::object as_dlpack(nb::handle owner, std::uintptr_t address, int device,
                     const std::vector<std::size_t>& shape, char kind, int bits) {
  using Code = nb::dlpack::dtype_code;
  const Code code = kind == 'b'   ? Code::Bool
                    : kind == 'u' ? Code::UInt
                    : kind == 'f' ? Code::Float
                                  : Code::Int;
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  return nb::cast(nb::ndarray<>(at<void>(address), shape.size(), shape.data(), owner, nullptr, type,
                                nb::device::cuda::value, device));
}

/// Returns (address, device, shape, strides in elements, type code, bits) of an array or a DLPack capsule.
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
  nb::class_<Memory>(module, "Memory")
      .def(nb::init<int, std::size_t, std::uintptr_t>(), "device"_a, "bytes"_a, "stream"_a)
      .def_prop_ro("address", &Memory::address)
      .def_prop_ro("bytes", &Memory::bytes)
      .def_prop_ro("device", &Memory::device)
      .def("mark_ready", &Memory::mark_ready, "stream"_a)
      .def("let_wait", &Memory::let_wait, "stream"_a);
  nb::class_<Layout>(module, "Layout")
      .def(nb::init<const std::vector<std::string>&, std::vector<std::size_t>, std::size_t>())
      .def("workspace_bytes", &Layout::workspace_bytes)
      .def("measure", &measure_labels);
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<int, int, double, std::array<int, 3>, std::array<std::int64_t, 2>,
                    std::array<std::int64_t, 2>, std::int64_t, std::int64_t, std::int64_t>(),
           "connectivity"_a, "type"_a, "delta"_a, "extent"_a, "pitches"_a, "label_pitches"_a, "images"_a,
           "image_pitch"_a, "labels_pitch"_a)
      .def_prop_ro("workspace_bytes", &Plan::workspace_bytes)
      // Without names of arguments, which would take longer to bind.
      .def("label", &Plan::label)
      .def("label_and_wait", &Plan::label_and_wait)
      .def("label_areas", &Plan::label_areas)
      .def("label_table", &Plan::label_table);
  module.def("measured_on_device", &measured_on_device);
  module.def("highest_label", &highest_label);
  nb::class_<Cleaning>(module, "Cleaning")
      .def(nb::init<int, int, std::array<int, 3>, std::array<std::uint64_t, 3>, std::uint32_t, bool, bool>())
      .def_prop_ro("workspace_bytes", &Cleaning::workspace_bytes)
      .def("clean", &Cleaning::clean);
  module.def("device_pairs", &count_pairs);
  module.def("rank_labels", &rank_labels);
  module.def("name_labels", &name_labels);
  module.def("device_pairs_workspace_bytes", &pairs_workspace_bytes);
  module.def("read", &read);
  module.def("wait_for", &wait_for, "device"_a, "stream"_a, "before"_a);
  module.def("free_memory", [] {
    pools().trim();
    count_words().trim();
  });
  module.def("as_dlpack", &as_dlpack, "owner"_a, "address"_a, "device"_a, "shape"_a, "kind"_a, "bits"_a);
  module.def("look_at", &look_at, "array"_a);
}

}  // namespace gpuccl::python
