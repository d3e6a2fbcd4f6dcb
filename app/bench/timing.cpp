#include "app/bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>

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

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

Timing summarize(const std::vector<double>& samples) {
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  return {quantile(samples, 0.5), quantile(samples, 0.05), quantile(samples, 0.95),
          quantile(samples, 0),   quantile(samples, 1),    sum / static_cast<double>(samples.size())};
}

const Measure* find_measure(const std::vector<Measure>& measures, const std::string& name) {
  const auto at = std::find_if(measures.begin(), measures.end(),
                               [&](const Measure& measure) { return measure.name == name; });
  return at != measures.end() ? &*at : nullptr;
}

void Samples::add(const std::string& name, double milliseconds, int launches) {
  auto at = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.name == name; });
  if (at == steps_.end()) at = steps_.insert(at, {name, {}, 0});
  at->milliseconds.push_back(milliseconds);
  at->launches += launches;
}

std::vector<Measure> Samples::summary() const {
  std::vector<Measure> measures;
  for (const Step& step : steps_) {
    const auto repetitions = static_cast<double>(step.milliseconds.size());
    measures.push_back({step.name, summarize(step.milliseconds), step.launches / repetitions, repetitions});
  }
  return measures;
}

void ImageAverage::add(const std::vector<Measure>& of_one_image) {
  ++images_;
  for (const Measure& measure : of_one_image) {
    auto sum = std::find_if(sums_.begin(), sums_.end(),
                            [&](const Measure& known) { return known.name == measure.name; });
    if (sum == sums_.end()) sum = sums_.insert(sum, {measure.name, {}, 0, measure.repetitions});
    for (const TimingField& field : kTimingFields) sum->timing.*field.value += measure.timing.*field.value;
    sum->launches += measure.launches;
    sum->repetitions = std::min(sum->repetitions, measure.repetitions);
  }
}

std::vector<Measure> ImageAverage::mean() const {
  std::vector<Measure> measures = sums_;
  for (Measure& measure : measures) {
    for (const TimingField& field : kTimingFields) measure.timing.*field.value /= images_;
    measure.launches /= images_;
  }
  return measures;
}

}  // namespace gpuccl::bench
