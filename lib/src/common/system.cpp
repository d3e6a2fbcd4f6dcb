#include "gpuccl/detail/system.hpp"

#include <sys/mman.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gpuccl/engine.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

std::string read_cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string cpu_name() {
  static const std::string name = read_cpu_name();
  return name;
}

void advise_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < kHugePage) return;
#ifdef MADV_HUGEPAGE
  // Begins at the page that contains the start of the memory, because malloc stores a few bytes before it,
  // and ends at the last byte, because the kernel uses huge pages only for areas that are requested
  // completely.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(memory) % page;
  madvise(static_cast<std::byte*>(memory) - before, before + bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
#endif
}

static std::optional<tbb::global_control> fewer_threads() {
  const int wanted = tbb::info::default_concurrency() - 1;  // in addition to this one
  const int found = count_startable_threads(wanted);
  if (found == wanted) return std::nullopt;
  return std::make_optional<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                 static_cast<std::size_t>(found) + 1);
}

void start_threads() {
  constexpr std::size_t kRoom = std::size_t{8} << 20;  // several times what oneTBB needs
  if (std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[kRoom]) == nullptr)
    throw Error(ErrorCode::memory, "not enough memory to start");
  static const std::optional<tbb::global_control> kept = fewer_threads();
  tbb::parallel_for(0, 1, [](int) {});
}

int threads_at_work() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(
      std::min(allowed, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
}

int count_startable_threads(int most) {
  constexpr int kElse = 3;  // a decoder that reads ahead, a starting GPU, a download of labels
  if (most < 1) return 0;
  std::vector<std::thread> threads;
  std::latch counted(1);
  try {
    while (static_cast<int>(threads.size()) < most + kElse) threads.emplace_back([&] { counted.wait(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  counted.count_down();
  for (std::thread& thread : threads) thread.join();
  return std::clamp(static_cast<int>(threads.size()) - kElse, 0, most);
}

}  // namespace gpuccl
