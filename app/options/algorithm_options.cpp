#include "app/options/algorithm_options.hpp"

#include <string>

#include "app/options/option_helpers.hpp"
#include "gpuccl/error.hpp"

namespace gpuccl::app {
namespace {

std::string number(Connectivity connectivity) { return std::to_string(static_cast<int>(connectivity)); }

}  // namespace

void add_connectivity(const Command& command, std::optional<Connectivity>& target) {
  Choices<Connectivity> choices;
  for (const Connectivity connectivity : kConnectivities)
    choices.emplace_back(number(connectivity), connectivity);
  add_choice<Connectivity>(command, "-c,--connectivity", target, choices,
                           "Which elements touch [8, and 26 for volumes]");
}

void add_device(const Command& command, DeviceChoice& target, const std::string& help) {
  add_choice<DeviceChoice>(command, "--device", target,
                           {{"auto", DeviceChoice::automatic},
                            {"cuda", DeviceChoice::cuda},
                            {"gpu", DeviceChoice::cuda},
                            {"cpu", DeviceChoice::cpu}},
                           help);
}

void add_gpu(const Command& command, int& target) {
  add_number(command, "--gpu", target, 0, 1023, "N", "Number of the CUDA device [0]");
}

void add_threads(const Command& command, int& target) {
  add_number(command, "--threads", target, 1, 4096, "N", "Threads of the CPU [all]");
}

void AlgorithmOptions::add_to(const Command& command) {
  command.group("Labeling");
  add_connectivity(command, connectivity);
  add_switch(command, "--per-slice", per_slice,
             "Label every slice on its own by 4- or 8-connectivity; numbers go on from slice to slice");
  command.add_value("--algo", "NAME", "Algorithm, see 'gpuccl list' [auto]",
                    [this](const std::string& given) {
                      engine.algorithm = io::lower_case(given);
                      return std::string();
                    });
  add_device(command, engine.device,
             "What labels; with auto the CPU takes over from a GPU that cannot be used [auto]");
  add_gpu(command, engine.gpu);
  add_switch(command, "--time-phases", engine.time_phases,
             "Time the phases of a GPU algorithm one by one, which takes longer as a whole");
  add_threads(command, threads);
}

void AlgorithmOptions::check() const {
  if (per_slice && connectivity && is_3d(*connectivity))
    throw Error(Failure::usage, number(*connectivity) +
                                    "-connectivity joins slices, which --per-slice keeps apart; use 4 or 8");
  check_options(engine, connectivity);
}

Connectivity AlgorithmOptions::connectivity_for(const Extent& extent, bool can_be_volume) const {
  const bool volume = extent.depth > 1 && !per_slice;
  const Connectivity chosen = connectivity.value_or(volume ? Connectivity::c26 : Connectivity::c8);
  if (is_3d(chosen) && !can_be_volume)
    throw Error(Failure::usage, number(chosen) + "-connectivity is for volumes; an image has 4 or 8");
  if (!is_3d(chosen) && volume)
    throw Error(Failure::usage,
                number(chosen) + "-connectivity is for images, and this is a volume of " +
                    std::to_string(extent.depth) +
                    " slices; use 6, 18 or 26, or --per-slice to label each slice on its own");
  check_options(engine, chosen);
  return chosen;
}

}  // namespace gpuccl::app
