#include "app/bench/environment.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/utsname.h>
#include <tbb/info.h>
#include <unistd.h>

#include <cmath>
#include <ctime>

#include "gpuccl/engine.hpp"

namespace gpuccl::bench {

/// A shared library that stays loaded.
class GpuState::Library {
 public:
  explicit Library(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  /// Calls a function that returns 0 if it succeeded; returns whether it is there and did.
  template <class... Args>
  bool call(const char* function, Args... args) const {
    if (handle_ == nullptr) return false;
    const auto address = reinterpret_cast<int (*)(Args...)>(::dlsym(handle_, function));
    return address != nullptr && address(args...) == 0;
  }

 private:
  void* handle_;
};

namespace {

// Constants of nvml.h, which do not change.
constexpr int kClockOfSm = 1, kClockOfMemory = 2;
constexpr int kTemperatureOfGpu = 0;
constexpr std::pair<unsigned long long, const char*> kLimits[] = {
    {0x4 | 0x80, "power"}, {0x20 | 0x40, "temperature"}, {0x8, "the hardware"}};

/// Returns the PCI bus of the GPU, by which NVML finds it: CUDA may number devices otherwise.
template <class Library>
std::string bus_of(const Library& driver, int gpu) {
  int device = 0;
  char bus[32] = {};
  return driver.call("cuDeviceGet", &device, gpu) &&
                 driver.call("cuDeviceGetPCIBusId", bus, int{sizeof bus}, device)
             ? bus
             : "";
}

std::string whole(double value) { return std::to_string(std::lround(value)); }

}  // namespace

struct GpuState::Nvml {
  Library library{"libnvidia-ml.so.1"};
  void* device = nullptr;
  bool started = false;

  ~Nvml() {
    if (started) library.call("nvmlShutdown");
  }

  template <class... Which>
  std::optional<unsigned> ask(const char* function, Which... which) const {
    unsigned value = 0;
    return library.call(function, device, which..., &value) ? std::optional(value) : std::nullopt;
  }
};

GpuState::GpuState(int gpu) {
  const std::string bus = bus_of(Library("libcuda.so.1"), gpu);
  auto nvml = std::make_unique<Nvml>();
  nvml->started = !bus.empty() && nvml->library.call("nvmlInit_v2");
  if (nvml->started && nvml->library.call("nvmlDeviceGetHandleByPciBusId_v2", bus.c_str(), &nvml->device))
    nvml_ = std::move(nvml);
}

GpuState::~GpuState() = default;

Environment GpuState::entries() const {
  Environment entries;
  if (nvml_ == nullptr) return entries;
  const Nvml& nvml = *nvml_;
  char version[96] = {};
  if (nvml.library.call("nvmlSystemGetDriverVersion", version, unsigned{sizeof version}))
    entries.emplace_back("NVIDIA driver", version);
  const std::optional<unsigned> sm = nvml.ask("nvmlDeviceGetClockInfo", kClockOfSm);
  const std::optional<unsigned> most = nvml.ask("nvmlDeviceGetMaxClockInfo", kClockOfSm);
  const std::optional<unsigned> memory = nvml.ask("nvmlDeviceGetClockInfo", kClockOfMemory);
  if (sm && most && memory)
    entries.emplace_back("GPU clocks", fmt::format("{} of {} MHz, memory {} MHz", *sm, *most, *memory));
  if (const auto state = nvml.ask("nvmlDeviceGetPerformanceState"))
    entries.emplace_back("power state", fmt::format("P{}", *state));
  if (const auto milliwatts = nvml.ask("nvmlDeviceGetEnforcedPowerLimit"))
    entries.emplace_back("power limit", whole(*milliwatts / 1000.0) + " W");
  if (const auto celsius = nvml.ask("nvmlDeviceGetTemperature", kTemperatureOfGpu))
    entries.emplace_back("temperature", fmt::format("{} C", *celsius));
  unsigned ecc = 0, pending = 0;
  if (nvml.library.call("nvmlDeviceGetEccMode", nvml.device, &ecc, &pending))
    entries.emplace_back("ECC", ecc != 0 ? "on" : "off");
  return entries;
}

std::optional<ClockReading> GpuState::clock() const {
  if (nvml_ == nullptr) return {};
  const std::optional<unsigned> mhz = nvml_->ask("nvmlDeviceGetClockInfo", kClockOfSm);
  if (!mhz) return {};
  ClockReading reading{static_cast<double>(*mhz), {}};
  unsigned long long limits = 0;
  if (nvml_->library.call("nvmlDeviceGetCurrentClocksThrottleReasons", nvml_->device, &limits))
    for (const auto& [bits, name] : kLimits)
      if ((limits & bits) != 0) reading.limited_by.emplace_back(name);
  return reading;
}

static std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{} GiB", (bytes + (std::uint64_t{1} << 29)) >> 30);
}

static std::string operating_system() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.sysname) + " " + names.release + " " + names.machine
                              : "unknown";
}

static std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

static void add_gpu(Environment& entries, int gpu) {
  const CudaStatus status = cuda_status();
  for (const CudaDevice& device : status.devices)
    if (device.index == gpu)
      entries.emplace_back("GPU", device.name + ", compute capability " + device.compute_capability + ", " +
                                      gibibytes(device.memory_bytes) + ", " + std::to_string(device.cores) +
                                      " cores of " + whole(device.clock_mhz) + " MHz");
  entries.emplace_back("driver", "CUDA " + status.driver_version);
  entries.emplace_back("runtime", "CUDA " + status.runtime_version);
  for (const auto& entry : GpuState(gpu).entries()) entries.push_back(entry);
}

Environment environment(bool with_gpu, int gpu) {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  Environment entries;
  entries.emplace_back("date", timestamp());
  if (with_gpu) add_gpu(entries, gpu);
  const std::optional<ClockReading> clock = cpu_clock();
  entries.emplace_back("CPU", fmt::format("{}, {} threads{}", cpu_name(), tbb::info::default_concurrency(),
                                          clock ? " of " + whole(clock->mhz) + " MHz" : ""));
  entries.emplace_back("memory", gibibytes(pages * page));
  entries.emplace_back("system", operating_system());
  entries.emplace_back("compiler", GPUCCL_COMPILER);
  return entries;
}

Cycles cycles_a_ms(bool with_gpu, int gpu) {
  Cycles cycles{0, cpu_clock().value_or(ClockReading{}).mhz * 1e3};
  if (!with_gpu) return cycles;
  for (const CudaDevice& device : cuda_status().devices)
    if (device.index == gpu) cycles.gpu = device.clock_mhz * 1e3 * device.cores;
  return cycles;
}

}  // namespace gpuccl::bench
