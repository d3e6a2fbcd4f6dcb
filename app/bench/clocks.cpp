#include "app/bench/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "app/common/messages.hpp"

namespace gpuccl::bench {

void Clocks::add(const ClockReading& reading) {
  lowest_mhz = readings == 0 ? reading.mhz : std::min(lowest_mhz, reading.mhz);
  highest_mhz = std::max(highest_mhz, reading.mhz);
  ++readings;
  for (const std::string& reason : reading.limited_by)
    if (std::find(limited_by.begin(), limited_by.end(), reason) == limited_by.end())
      limited_by.push_back(reason);
}

std::string clock_warning(DeviceKind device, const Clocks& clocks) {
  constexpr double kSteady = 0.95;
  const bool moved = clocks.lowest_mhz < kSteady * clocks.highest_mhz;
  if (!moved && clocks.limited_by.empty()) return {};
  const auto number = [](double mhz) { return std::to_string(std::lround(mhz)); };
  std::string text = device == DeviceKind::cuda ? "the clock of the GPU " : "the clock of the CPU ";
  if (moved)
    text += "moved between " + number(clocks.lowest_mhz) + " and " + number(clocks.highest_mhz) + " MHz";
  for (std::size_t i = 0; i < clocks.limited_by.size(); ++i)
    text += std::string(i > 0 ? " and " : moved ? ", limited by " : "was limited by ") + clocks.limited_by[i];
  return text + "; times of this run are less comparable" +
         (device == DeviceKind::cuda ? "; nvidia-smi --lock-gpu-clocks fixes it" : "");
}

std::optional<ClockReading> cpu_clock() {
  std::ifstream info("/proc/cpuinfo");
  ClockReading fastest;
  for (std::string line; std::getline(info, line);)
    if (const std::size_t colon = line.find(": "); line.starts_with("cpu MHz") && colon != std::string::npos)
      fastest.mhz = std::max(fastest.mhz, std::strtod(line.c_str() + colon + 2, nullptr));
  return fastest.mhz > 0 ? std::optional(fastest) : std::nullopt;
}

}  // namespace gpuccl::bench
