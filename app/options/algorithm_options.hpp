#pragma once

#include <optional>
#include <string>

#include "gpuccl/engine.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::app {

class Command;
class Option;

// Add one option each, for commands that do not have all of them.
void add_connectivity(const Command& command, std::optional<Connectivity>& target);
Option add_device(const Command& command, DeviceChoice& target, const std::string& help);
void add_gpu(const Command& command, int& target);
void add_threads(const Command& command, int& target);

/// Algorithm, device and connectivity.
struct AlgorithmOptions {
  EngineOptions engine;
  std::optional<Connectivity> connectivity;
  bool per_slice = false;
  int threads = 0;                 // 0: all
  bool is_device_implied = false;  // engine.device, by --gpus

  void add_to(const Command& command);

  /// Checks what can be checked without an input. Error (usage).
  void check() const;
  /// Returns the connectivity for an input: the requested one, else 8 for an image and 26 for a volume.
  /// `can_be_volume`: the input's format has slices, even if there is only one. Error (usage) if they do not
  /// fit.
  Connectivity connectivity_for(const Extent& extent, bool can_be_volume) const;
};

}  // namespace gpuccl::app
