#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"
#include "gpuccl/sums_layout.hpp"
#include "gpuccl/values.hpp"

namespace gpuccl {

/// Devices that an engine may use. `automatic`: a GPU if the work repays starting it, with the CPU as
/// fallback.
enum class DeviceChoice { automatic, cuda, cpu };

/// Device, algorithm and limits of an engine.
struct EngineOptions {
  std::string algorithm = "auto";
  DeviceChoice device = DeviceChoice::automatic;
  std::vector<int> gpus = {0};  // CUDA devices, all used for one large image; {}: all devices
  bool time_phases = false;     // as Labeler::time_phases(), on a GPU
  std::int64_t worth_gpu = std::int64_t{1} << 26;  // elements per GPU from which an image is split
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
  /// Images larger than GPU memory are labeled in parts; large images are split over all idle GPUs.
  /// Thread-safe. The CPU labels images concurrently; a GPU takes one at a time, but batches waiting
  /// small 2D images (up to 2^18 elements) and reports each one's share of the time.
  /// `gathered`: sums to return in Labeled::sums. Honored only if one GPU labels the whole image in
  /// one piece.
  /// Throws Error: usage if the image violates BitView; memory; data if there are more than 2^32 - 1
  /// components; with DeviceChoice::cuda also unavailable and temporary.
  Labeled label(BitView image, Connectivity connectivity, EngineReport* report = nullptr,
                const SumsLayout& gathered = {});

  /// Labels a multi-label image with `runs`: on the first GPU with DeviceChoice::cuda, otherwise on
  /// the CPU. Thread-safe.
  /// Throws Error: memory if the image does not fit into GPU memory in one piece, unavailable without
  /// a GPU. There is no fallback to the CPU.
  LabeledValues label_values(ValueImage image, Connectivity connectivity, EngineReport* report = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the name of the processor.
std::string cpu_name();

}  // namespace gpuccl
