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

enum class DeviceChoice { automatic, cuda, cpu };

struct EngineOptions {
  std::string algorithm = "auto";
  DeviceChoice device = DeviceChoice::automatic;
  std::vector<int> gpus = {
      0};  // CUDA devices to label on, all of them where one image is large; {}: all there are
  bool time_phases = false;                        // on a GPU, as Labeler::time_phases()
  std::int64_t worth_gpu = std::int64_t{1} << 26;  // elements that an image has for each GPU it is shared by
};

/// Error (usage) if algorithm and device name nothing in the table, contradict each other or, when it is
/// given, cannot do `connectivity`. Looks at the table only.
void check_options(const EngineOptions& options, std::optional<Connectivity> connectivity = std::nullopt);

/// What an engine with these options labels an image of so many elements with, unless its GPU turns out to be
/// unusable. Looks at the table only.
const Algorithm& intended_algorithm(const EngineOptions& options, Connectivity connectivity,
                                    std::int64_t elements);

/// What labeled one image, and how long it took in milliseconds.
struct EngineReport {
  std::string algorithm;  // that really ran
  Connectivity connectivity = Connectivity::c8;
  DeviceKind device_kind = DeviceKind::cpu;
  std::string device_name;
  std::vector<int> gpus;   // CUDA devices that labeled, in ascending order
  double start_up_ms = 0;  // waiting for the device, what reading the file did not hide
  double label_ms = 0;     // statistics not included
};

/// Labels one image after another; chooses the device and goes back to the CPU when the GPU cannot be used.
class Engine {
 public:
  /// Called at most once an engine with one line for the user when labels come from another device than asked
  /// for.
  using Warn = std::function<void(const std::string& line)>;

  /// Checks the options as check_options() does and starts the device in the
  /// background when it is certain to be used, so that reading a file hides that time.
  Engine(const EngineOptions& options, Warn warn);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Labels `image`, which must outlive the labels returned. Fills `report` if it is not null.
  /// What does not fit into the memory of the GPU is labeled there in parts, and what is large by all GPUs
  /// that nothing else keeps busy.
  /// May be called from several threads at once: the CPU labels several images side by side, each GPU one
  /// after the other, but small ones of one slice (of at most 2^18 elements) that wait for it together; each
  /// is given its share of the time.
  /// `gathered`: sums that Labeled::sums shall have, if one GPU labels the image at once and by itself.
  Labeled label(BitView image, Connectivity connectivity, EngineReport* report = nullptr,
                const SumsLayout& gathered = {});

  /// The same of values, by `runs`: on the first GPU where one is asked for, else on the CPU, which has
  /// labeled them before the values would have come to a GPU. The image has to fit the GPU's memory as a
  /// whole: Error (memory) if it does not, or (unavailable) if there is none; the CPU does not take over.
  LabeledValues label_values(ValueImage image, Connectivity connectivity, EngineReport* report = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Name of the processor this program runs on.
std::string cpu_name();

}  // namespace gpuccl
