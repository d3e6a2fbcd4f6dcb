#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/image.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/types.hpp"
#include "gpuccl/values.hpp"

// Labeling in one call, and by an engine that selects devices and algorithms.
#pragma GCC visibility push(default)
namespace gpuccl {

/// Labels and components of an image. Owns its memory.
struct LabeledImage {
  LabelImage labels;
  Components components;
};

/// Labels an image in memory on the CPU with the algorithm `runs`, using all threads. Labels are 1..N
/// in raster order (z, y, x) of each component's first element. Use Engine to select algorithms and
/// GPUs.
/// Thread-safe. Time: O(elements / 64 + runs). Throws Error: usage if the image violates BitView;
/// memory.
LabeledImage label(BitView image, Connectivity connectivity);

/// Labels into the caller's array of extent.elements() labels, without padding. Otherwise as label()
/// above.
Components label(BitView image, Connectivity connectivity, Label* labels);

/// Writes all rows of `source` to `out`, which has room for all elements, using all threads. `map` as
/// in LabelRows::render().
void render_all(const LabelRows& source, LabelsOut out, const Label* map = nullptr);

/// A usable CUDA device.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::string compute_capability;  // "9.0"
  std::uint64_t memory_bytes = 0;
  int cores = 0;         // single-precision cores of all multiprocessors
  double clock_mhz = 0;  // maximum
};

/// CUDA support of this build and machine.
struct CudaStatus {
  bool built_in = false;        // false: compiled without CUDA
  std::string runtime_version;  // "13.0"; empty without CUDA
  std::string driver_version;   // empty without a driver
  std::vector<CudaDevice> devices;
  std::string problem;  // why there is no usable device; empty if there is one
};

/// Queries CUDA. Starts the driver, which takes a while. Does not throw if there is no device.
CudaStatus cuda_status();

/// Returns the number of devices (0 without a usable driver), without starting one.
int count_cuda_devices();
/// Returns the memory of device `gpu` in bytes (0 if there is none), without starting it.
std::uint64_t cuda_memory_bytes(int gpu);

/// Devices that an engine may use. `automatic`: a GPU if the work repays starting it, with the CPU as
/// fallback.
enum class DeviceChoice { automatic, cuda, cpu };

/// Device, algorithm and limits of an engine.
struct EngineOptions {
  std::string algorithm = "auto";
  DeviceChoice device = DeviceChoice::automatic;
  std::vector<int> gpus = {0};  // CUDA devices, each labels one image at a time; {}: all devices
  bool hides_gpus = false;      // CUDA_VISIBLE_DEVICES has only `gpus`, in this order
  bool time_phases = false;     // as Labeler::time_phases(), on a GPU
};

/// Checks options against the table of algorithms; starts no device.
/// Throws Error (usage) if algorithm and device are unknown, contradict each other, or do not support
/// `connectivity`, if given.
void check_options(const EngineOptions& options, std::optional<Connectivity> connectivity = std::nullopt);

/// Returns the algorithm that an engine with these options uses for an image of `elements`, unless its
/// GPU turns out to be unusable. Starts no device.
const Algorithm& intended_algorithm(const EngineOptions& options, Connectivity connectivity,
                                    std::int64_t elements);

/// Device and algorithm that labeled one image, and the times in milliseconds.
struct EngineReport {
  std::string algorithm;  // the one that really ran
  Connectivity connectivity = Connectivity::c8;
  DeviceKind device_kind = DeviceKind::cpu;
  std::string device_name;
  std::vector<int> gpus;   // CUDA devices that labeled, in ascending order
  double start_up_ms = 0;  // waiting for the device
  double label_ms = 0;     // without statistics
};

/// Labels images: selects the device and falls back to the CPU if a GPU cannot be used. Thread-safe,
/// except construction and destruction.
class Engine {
 public:
  /// Receives one line for the user, at most once per engine, when the CPU replaces a GPU.
  using Warn = std::function<void(const std::string& line)>;

  /// Checks the options as check_options() does. Starts the device in the background if it is certain
  /// to be used, so that reading a file hides that time.
  Engine(const EngineOptions& options, Warn warn);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Labels `image`, which must outlive the returned labels. Fills `report` if it is not null.
  /// Images larger than GPU memory are labeled in parts.
  /// Thread-safe. The CPU labels images concurrently; a GPU takes one at a time, but batches waiting
  /// small 2D images (up to 2^18 elements) and reports each one's share of the time.
  /// `gathered`: sums to return in Labeling::sums. Honored only if one GPU labels the whole image in
  /// one piece.
  /// Throws Error: usage if the image violates BitView; memory; data if there are more than 2^32 - 1
  /// components; with DeviceChoice::cuda also unavailable and temporary.
  Labeling label(BitView image, Connectivity connectivity, EngineReport* report = nullptr,
                 const SumsLayout& gathered = {});

  /// Labels a multi-label image with `runs`: on the first GPU with DeviceChoice::cuda, otherwise on
  /// the CPU. Thread-safe.
  /// Throws Error: memory if the image does not fit into GPU memory in one piece, unavailable without
  /// a GPU. There is no fallback to the CPU.
  ValueLabeling label_values(ValueImage image, Connectivity connectivity, EngineReport* report = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the name of the processor.
std::string cpu_name();

}  // namespace gpuccl
#pragma GCC visibility pop
