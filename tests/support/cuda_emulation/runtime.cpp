#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cuda/runtime/device.hpp"
#include "cuda_runtime_api.h"
#include "emulation.hpp"
#include "scheduler.hpp"

namespace {
/// Shared memory is that of threads, of all kernels at once: more than the stacks of TBB's have room for.
const tbb::global_control room_for_shared_memory(tbb::global_control::thread_stack_size,
                                                 std::size_t{16} << 20);
}  // namespace

struct EmulatedEvent {
  CUstream_st* stream = nullptr;
  bool reached = true;
  std::chrono::steady_clock::time_point time;
};

using Work = std::deque<std::function<void()>>;

struct EmulatedGraph {
  Work work;
};
struct EmulatedGraphExec {
  Work work;
};

struct CUstream_st {
  int device = 0;
  Work work;
  std::unique_ptr<EmulatedGraph> captured = nullptr;  // while the stream captures

  bool at_once = false;

  void enqueue(std::function<void()> next) {
    if (at_once) return next();
    (captured != nullptr ? captured->work : work).push_back(std::move(next));
  }

  bool run_one() {
    if (work.empty()) return false;
    const std::function<void()> next = std::move(work.front());
    work.pop_front();
    next();
    return true;
  }
};

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

struct Machine {
  std::recursive_mutex mutex;
  int devices = 1;
  int driver = 13000;

  std::uint64_t calls = 0, failing_call = 0;
  cudaError_t failure = cudaSuccess;
  bool sticky = false, failed = false;

  std::set<CUstream_st*> streams;
  std::set<EmulatedEvent*> events;
  std::set<int> in_use;  // devices
  std::uint64_t allocations = 0, early_launches = 0;
  std::map<const char*, std::size_t> pinned;
  std::map<const void*, std::size_t> buffers;  // on the device
  std::size_t memory = SIZE_MAX, taken = 0;
  std::int64_t live = 0;
};

Machine& machine() {
  static Machine one;
  return one;
}

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

/// Returns the stream of a handle.
CUstream_st* of_handle(cudaStream_t handle) {
  static CUstream_st one{.work = {}, .captured = nullptr, .at_once = true};
  return reinterpret_cast<std::uintptr_t>(handle) <= 2 ? &one : handle;
}

/// Every call that can fail begins here.
cudaError_t begin_call() {
  Machine& m = machine();
  ++m.calls;
  if (m.sticky && m.failed) return report(m.failure);
  if (m.failing_call != 0 && m.calls == m.failing_call) {
    m.failed = true;
    return report(m.failure);
  }
  if (m.driver == 0) return report(cudaErrorInsufficientDriver);
  return cudaSuccess;
}

/// Checks a call that enqueues: work for a stream is accepted while its device is current.
cudaError_t begin_call(cudaStream_t& stream) {
  stream = of_handle(stream);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  return report(stream->device == current_device ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/// Checks a call that waits or allocates: not while a stream captures.
cudaError_t begin_waiting_call() {
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  const auto captures = [](const CUstream_st* stream) { return stream->captured != nullptr; };
  const bool any = std::any_of(machine().streams.begin(), machine().streams.end(), captures);
  return report(any ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

bool context_is_lost() { return machine().sticky && machine().failed; }

void finish(CUstream_st* stream) {
  if (context_is_lost()) stream->work.clear();
  while (stream->run_one()) {
  }
}

bool is_pinned(const void* at) {
  const auto* const address = static_cast<const char*>(at);
  auto next = machine().pinned.upper_bound(address);
  return next != machine().pinned.begin() && address < std::prev(next)->first + std::prev(next)->second;
}

void copy_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch, std::size_t width,
               std::size_t height) {
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

}  // namespace

namespace gpuccl::cuda {

bool has_primary_context(int gpu) {
  const Lock lock(machine().mutex);
  return machine().in_use.contains(gpu);
}

}  // namespace gpuccl::cuda

namespace emulation {

void fail_call(std::uint64_t call, int error, bool sticky) {
  const Lock lock(machine().mutex);
  machine().failing_call = call == 0 ? 0 : machine().calls + call;
  machine().failure = static_cast<cudaError_t>(error);
  machine().sticky = sticky;
  machine().failed = false;
  last_error = cudaSuccess;
}
std::uint64_t calls() { return machine().calls; }
bool has_failed() { return machine().failed; }
void set_machine(int devices, int driver_version) {
  machine().devices = devices;
  machine().in_use.clear();
  machine().driver = driver_version;
}
void set_memory(std::size_t bytes) { machine().memory = std::max(bytes, machine().taken); }
Machine::Machine(int devices) { set_machine(devices, 13000); }
Machine::~Machine() {
  fail_call(0, cudaSuccess);
  set_memory(SIZE_MAX);
  current_device = 0;
  set_machine(1, 13000);
}
std::set<int> devices_in_use() { return machine().in_use; }
std::uint64_t early_launches() { return machine().early_launches; }
std::uint64_t allocations() { return machine().allocations; }
std::int64_t live_objects() { return machine().live; }

void enqueue_launch(cudaStream_t stream, dim3 grid, dim3 block, bool early, std::function<void()> thread) {
  const Lock lock(machine().mutex);
  if (begin_call(stream) != cudaSuccess) return;
  const bool fits = grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 &&
                    grid.x * grid.y * grid.z != 0 && block.x * block.y * block.z <= 1024;
  if (!fits) {
    report(cudaErrorInvalidValue);
    return;
  }
  if (early) ++machine().early_launches;
  stream->enqueue([grid, block, thread = std::move(thread)] { run_grid(grid, block, thread); });
}

}  // namespace emulation

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  if (!context_is_lost()) last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return "emulated error";
  }
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine().driver;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *count = machine().devices;
  return report(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}
cudaError_t cudaSetDevice(int device) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  if (device < 0 || device >= machine().devices) return report(cudaErrorInvalidDevice);
  current_device = device;
  machine().in_use.insert(device);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return report(machine().driver == 0 ? cudaErrorInsufficientDriver : cudaSuccess);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  std::strcpy(properties->name, ("emulated device " + std::to_string(device)).c_str());
  properties->totalGlobalMem = std::size_t{1} << 30;
  properties->major = 9;
  properties->minor = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *value = attribute == cudaDevAttrClockRate ? 1500000 : 2;  // kHz; multiprocessors
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_waiting_call(); error != cudaSuccess) return error;
  const std::size_t whole = (bytes + 255) / 256 * 256;
  if (whole > machine().memory - machine().taken) return report(cudaErrorMemoryAllocation);
  *memory = std::aligned_alloc(256, whole);
  machine().buffers[*memory] = whole;
  machine().taken += whole;
  ++machine().allocations;
  std::memset(*memory, 0xa5, whole);  // what is in new memory may not be relied on
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const Lock lock(machine().mutex);
  for (CUstream_st* stream : machine().streams) finish(stream);
  if (const auto buffer = machine().buffers.find(memory); buffer != machine().buffers.end()) {
    --machine().live;
    machine().taken -= buffer->second;
    machine().buffers.erase(buffer);
  }
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_waiting_call(); error != cudaSuccess) return error;
  *memory = std::malloc(bytes);
  machine().pinned[static_cast<const char*>(*memory)] = bytes;
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cudaMallocHost(memory, bytes);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  *pool = reinterpret_cast<cudaMemPool_t>(pool);  // any address
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return cudaFree(memory); }
cudaError_t cudaFreeHost(void* memory) {
  const Lock lock(machine().mutex);
  for (CUstream_st* stream : machine().streams) finish(stream);
  machine().pinned.erase(static_cast<const char*>(memory));
  --machine().live;
  std::free(memory);
  return cudaSuccess;
}

static cudaError_t copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                        std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  auto* const target = static_cast<char*>(to);
  const auto* const source = static_cast<const char*>(from);
  if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {  // read before the call returns
    auto staged = std::make_shared<std::string>();
    staged->resize(width * height);
    copy_rows(staged->data(), width, source, from_pitch, width, height);
    stream->enqueue([=] { copy_rows(target, to_pitch, staged->data(), width, width, height); });
    return cudaSuccess;
  }
  stream->enqueue([=] { copy_rows(target, to_pitch, source, from_pitch, width, height); });
  if (kind == cudaMemcpyDeviceToHost && !is_pinned(to)) finish(stream);  // done before the call returns
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  constexpr std::size_t kMaxPitch = 0x7fffffff;  // cudaDeviceProp::memPitch
  if (to_pitch > kMaxPitch || from_pitch > kMaxPitch) return cudaErrorInvalidValue;
  return copy(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  stream->enqueue([=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  stream->enqueue([=] {
    for (std::size_t row = 0; row < height; ++row)
      std::memset(static_cast<char*>(memory) + row * pitch, value, width);
  });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *stream = new CUstream_st{.device = current_device, .work = {}, .captured = nullptr};
  machine().streams.insert(*stream);
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock(machine().mutex);
  finish(stream);
  for (EmulatedEvent* event : machine().events)  // that a lost device will not reach
    if (event->stream == stream) event->stream = nullptr;
  machine().streams.erase(stream);
  --machine().live;
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Lock lock(machine().mutex);
  stream = of_handle(stream);
  if (const cudaError_t error = begin_waiting_call(); error != cudaSuccess) return error;
  finish(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_waiting_call(); error != cudaSuccess) return error;
  return stream->run_one() ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *event = new EmulatedEvent;
  machine().events.insert(*event);
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Lock lock(machine().mutex);
  if (event->stream != nullptr) finish(event->stream);
  machine().events.erase(event);
  --machine().live;
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  event->stream = stream;
  event->reached = false;
  stream->enqueue([event] {
    event->reached = true;
    event->stream = nullptr;
    event->time = std::chrono::steady_clock::now();
  });
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  CUstream_st* const before = event->stream;
  stream->enqueue([=] {
    while (before != nullptr && event->stream == before && !event->reached && before->run_one()) {
    }
  });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_waiting_call(); error != cudaSuccess) return error;
  CUstream_st* const stream = event->stream;
  while (!event->reached && stream != nullptr && stream->run_one()) {
  }
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  if (stream->captured != nullptr) return report(cudaErrorIllegalState);
  stream->captured = std::make_unique<EmulatedGraph>();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  if (stream->captured == nullptr) return report(cudaErrorIllegalState);
  *graph = stream->captured.release();
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(); error != cudaSuccess) return error;
  *exec = new EmulatedGraphExec{graph->work};
  ++machine().live;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const Lock lock(machine().mutex);
  if (const cudaError_t error = begin_call(stream); error != cudaSuccess) return error;
  for (const auto& next : exec->work) stream->enqueue(next);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const Lock lock(machine().mutex);
  --machine().live;
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  const Lock lock(machine().mutex);
  --machine().live;
  delete exec;
  return cudaSuccess;
}
