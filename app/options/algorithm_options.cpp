#include "app/options/algorithm_options.hpp"

#include <algorithm>
#include <vector>

#include "app/options/option_helpers.hpp"

namespace gpuccl::app {
namespace {

constexpr int kLastGpu = 1023;

std::string number(Connectivity connectivity) { return std::to_string(static_cast<int>(connectivity)); }

/// Parses "all", which is {}, or "0,2". Returns what is wrong with any other text.
std::string read_gpus(const std::string& given, std::vector<int>& gpus) {
  gpus.clear();
  if (given == "all") return {};
  for (const std::string& word : split(given, ',')) {
    const std::optional<int> gpu = parse_number<int>(word);
    if (!gpu || *gpu < 0 || *gpu > kLastGpu)
      return "is not all or a comma-separated list of CUDA devices, 0 to " + std::to_string(kLastGpu);
    if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end()) return "names device " + word + " twice";
    gpus.push_back(*gpu);
  }
  return {};
}

/// The inverse of read_gpus().
std::string text_of(const std::vector<int>& gpus) {
  std::string text;
  for (const int gpu : gpus) text += (text.empty() ? "" : ",") + std::to_string(gpu);
  return text.empty() ? "all" : text;
}

}  // namespace

void add_connectivity(const Command& command, std::optional<Connectivity>& target) {
  Choices<Connectivity> choices;
  for (const Connectivity connectivity : kConnectivities)
    choices.emplace_back(number(connectivity), connectivity);
  add_choice<Connectivity>(command, "-c,--connectivity", target, choices,
                           "Neighbors of a pixel that connect [8; 26 for volumes]");
}

Option add_device(const Command& command, DeviceChoice& target, const std::string& help) {
  return add_choice<DeviceChoice>(command, "--device", target,
                                  {{"auto", DeviceChoice::automatic},
                                   {"cuda", DeviceChoice::cuda},
                                   {"gpu", DeviceChoice::cuda},
                                   {"cpu", DeviceChoice::cpu}},
                                  help)
      .changes(Effect::nothing);
}

void add_gpu(const Command& command, int& target) {
  add_number(command, "--gpu", target, 0, kLastGpu, "N", "CUDA device [0]");
}

void add_threads(const Command& command, int& target) {
  add_number(command, "--threads", target, 1, 4096, "N", "Number of CPU threads [all]")
      .changes(Effect::nothing);
}

void AlgorithmOptions::add_to(const Command& command) {
  command.group("Labeling");
  add_connectivity(command, connectivity);
  add_switch(command, "--per-slice", per_slice,
             "Label every slice separately with 4- or 8-connectivity; labels continue");
  command
      .add_value("--algo", "NAME", "Algorithm, see 'gpuccl list' [auto]",
                 [this](const std::string& given) {
                   engine.algorithm = io::lower_case(given);
                   return std::string();
                 })
      .prints([this] { return engine.algorithm; })
      .changes(Effect::run);
  const Option device =
      add_device(command, engine.device, "Device; auto falls back to the CPU if no GPU is usable [auto]");
  if (is_device_implied) device.prints([] { return "auto"; });
  command
      .add_value("--gpus,--gpu", "LIST",
                 "CUDA devices, as in 0,2, or all; a large binary image is split over them [0]",
                 [this, device](const std::string& given) {
                   if (!device.is_given()) engine.device = DeviceChoice::cuda, is_device_implied = true;
                   return read_gpus(given, engine.gpus);
                 })
      .prints([this] { return text_of(engine.gpus); })
      .changes(Effect::nothing);
  add_switch(command, "--time-phases", engine.time_phases,
             "Time each phase of a GPU algorithm separately, which is slower as a whole")
      .changes(Effect::nothing);
  add_threads(command, threads);
}

void AlgorithmOptions::check() const {
  if (per_slice && connectivity && is_3d(*connectivity))
    throw Error(ErrorCode::usage,
                number(*connectivity) + "-connectivity and --per-slice cannot be combined; use 4 or 8");
  check_options(engine, connectivity);
}

Connectivity AlgorithmOptions::connectivity_for(const Extent& extent, bool can_be_volume) const {
  const bool volume = extent.depth > 1 && !per_slice;
  const Connectivity chosen = connectivity.value_or(volume ? Connectivity::c26 : Connectivity::c8);
  if (is_3d(chosen) && !can_be_volume)
    throw Error(ErrorCode::usage, number(chosen) + "-connectivity is for volumes; use 4 or 8");
  if (!is_3d(chosen) && volume)
    throw Error(ErrorCode::usage,
                number(chosen) + "-connectivity is for images, but this is a volume of " +
                    std::to_string(extent.depth) +
                    " slices; use 6, 18 or 26, or --per-slice to label each slice separately");
  check_options(engine, chosen);
  return chosen;
}

}  // namespace gpuccl::app
