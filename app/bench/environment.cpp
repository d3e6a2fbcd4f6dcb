#include "app/bench/environment.hpp"

#include <sys/utsname.h>
#include <tbb/info.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "app/bench/gpu_state.hpp"
#include "gpuccl/engine.hpp"

namespace gpuccl::bench {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  return std::to_string((bytes + (std::uint64_t{1} << 29)) >> 30) + " GiB";
}

std::string operating_system() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.sysname) + " " + names.release + " " + names.machine
                              : "unknown";
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

std::string number(double value) { return std::to_string(std::lround(value)); }

/// Returns the current clock rate, which is near its maximum under load; 0 if the processor reports none.
double cpu_mhz() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (const std::size_t colon = line.find(": "); line.starts_with("cpu MHz") && colon != std::string::npos)
      return std::strtod(line.c_str() + colon + 2, nullptr);
  return 0;
}

void add_gpu(Environment& entries, int gpu) {
  const CudaStatus status = cuda_status();
  for (const CudaDevice& device : status.devices)
    if (device.index == gpu)
      entries.emplace_back("GPU", device.name + ", compute capability " + device.compute_capability + ", " +
                                      gibibytes(device.memory_bytes) + ", " + std::to_string(device.cores) +
                                      " cores of " + number(device.clock_mhz) + " MHz");
  entries.emplace_back("driver", "CUDA " + status.driver_version);
  entries.emplace_back("runtime", "CUDA " + status.runtime_version);
  for (const auto& entry : GpuState(gpu).entries()) entries.push_back(entry);
}

}  // namespace

Environment environment(bool with_gpu, int gpu) {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  Environment entries;
  entries.emplace_back("date", timestamp());
  if (with_gpu) add_gpu(entries, gpu);
  entries.emplace_back("CPU", cpu_name() + ", " + std::to_string(tbb::info::default_concurrency()) +
                                  " threads" + (cpu_mhz() > 0 ? " of " + number(cpu_mhz()) + " MHz" : ""));
  entries.emplace_back("memory", gibibytes(pages * page));
  entries.emplace_back("system", operating_system());
  entries.emplace_back("compiler", GPUCCL_COMPILER);
  return entries;
}

Cycles cycles_a_ms(bool with_gpu, int gpu) {
  Cycles cycles{0, cpu_mhz() * 1e3};
  if (!with_gpu) return cycles;
  for (const CudaDevice& device : cuda_status().devices)
    if (device.index == gpu) cycles.gpu = device.clock_mhz * 1e3 * device.cores;
  return cycles;
}

}  // namespace gpuccl::bench
