#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/option_helpers.hpp"
#include "gpuccl/engine.hpp"
#include "gpuccl/measures.hpp"
#include "gpuccl/types.hpp"
#include "io/image/image_info.hpp"
#include "io/image/read_options.hpp"

namespace gpuccl::app {

class Command;
class Option;

// Add one option each, for commands that do not have all of them.
void add_connectivity(const Command& command, std::optional<Connectivity>& target);
Option add_device(const Command& command, DeviceChoice& target, const std::string& help);
void add_gpu(const Command& command, int& target);
void add_threads(const Command& command, int& target);

/// Returns CUDA_VISIBLE_DEVICES for these of the devices that it has `now` (null: all). Empty if it does not
/// have them.
std::string visible_devices(const char* now, const std::vector<int>& gpus);

/// Algorithm, device and connectivity.
struct AlgorithmOptions {
  EngineOptions engine;
  std::optional<Connectivity> connectivity;
  bool per_slice = false;
  int threads = 0;                 // 0: all
  bool is_device_implied = false;  // engine.device, by --gpus

  void add_to(const Command& command);

  /// Makes the chosen GPUs the only visible ones, because the driver starts all that are visible. Call it
  /// before CUDA starts.
  void hide_other_gpus();
  /// Checks what can be checked without an input. Error (usage).
  void check() const;
  /// Returns the connectivity for an input: the requested one, else 8 for an image and 26 for a volume.
  /// `can_be_volume`: the input's format has slices, even if there is only one. Error (usage) if they do not
  /// fit.
  Connectivity connectivity_for(const Extent& extent, bool can_be_volume, bool has_per_slice) const;
};

class Command;

/// Returns the value of --spacing as text.
std::string spacing_text(const io::GivenSpacing& given);
/// Adds --spacing, the size of an element.
void add_spacing(const Command& command, std::optional<io::GivenSpacing>& spacing);

/// Throws Error (usage) if two lengths were given for a volume, by this connectivity, whose file has no z
/// spacing. `input` has the given spacing.
void check_spacing(const std::optional<io::GivenSpacing>& given, const io::ImageInfo& input,
                   Connectivity connectivity);

/// Adds --memory, a limit of bytes; 0 stands for the default.
Option add_memory(const Command& command, std::int64_t& memory, const std::string& help);

/// Adds --round, for label images.
Option add_round(const Command& command, bool& round,
                 const std::string& help = "Round values to integers; without it, only those within 0.001");

/// Adds --periodic, the axes along which opposite borders touch.
void add_periodic(const Command& command, PeriodicAxes& periodic, const std::string& help);

/// Returns the names of the periodic axes: "x", "y", "z".
std::vector<std::string> names_of(const PeriodicAxes& periodic);

/// Options for reading inputs: foreground rule and limits.
struct InputOptions {
  bool stack = false;
  io::ForegroundOptions foreground;
  // The higher threshold of LOW:HIGH, in the two forms of ForegroundOptions.
  std::optional<double> high;
  std::optional<io::SampleValue> whole_high;
  io::PaletteUse palette = io::PaletteUse::automatic;
  io::Limits limits;

  /// Returns whether components need a pixel above a second threshold.
  bool has_hysteresis() const { return high.has_value(); }
  /// Return the rules of --threshold LOW:HIGH: for pixels of components, and for their markers.
  io::ForegroundOptions weak_rule() const;
  io::ForegroundOptions strong_rule() const;

  /// `memory_help`: help text of --memory.
  void add_to(const Command& command, const std::string& memory_help);
  /// Adds those for label images, which have no foreground rule.
  void add_for_labels(const Command& command, const std::string& memory_help);

 private:
  void add_stack_to(const Command& command);
  void add_reading_to(const Command& command, const std::string& memory_help);
};

/// Reads the value of --channel: a number or a name. Returns what is wrong with it, or "".
std::string parse_channel(const std::string& given, io::PlaneChoice& planes);
/// Returns that value.
std::optional<std::string> channel_text(const io::PlaneChoice& planes);

/// Help texts of the options.
struct PlanesHelp {
  const char *channel, *frame, *series, *page;
  bool* every_frame = nullptr;  // set by `all` instead of a time point, unless null
};

/// Options that choose one of several images in a file, named `prefix` and channel, frame, series and page.
/// An option without a help text is not added.
void add_planes(const Command& command, const std::string& prefix, io::PlaneChoice& planes,
                const PlanesHelp& help);

}  // namespace gpuccl::app
