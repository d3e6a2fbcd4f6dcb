#include "gpuccl/detail/start_threads.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "gpuccl/types.hpp"

namespace gpuccl {
namespace {

std::optional<tbb::global_control> fewer_threads() {
  const int wanted = tbb::info::default_concurrency() - 1;  // in addition to this one
  const int found = count_startable_threads(wanted);
  if (found == wanted) return std::nullopt;
  return std::make_optional<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                 static_cast<std::size_t>(found) + 1);
}

}  // namespace

void start_threads() {
  constexpr std::size_t kRoom = std::size_t{8} << 20;  // what it takes, several times over
  if (std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[kRoom]) == nullptr)
    throw Error(Failure::memory, "not enough memory to start");
  static const std::optional<tbb::global_control> kept = fewer_threads();
  tbb::parallel_for(0, 1, [](int) {});
}

int count_startable_threads(int most) {
  constexpr int kElse = 3;  // a decoder that reads ahead, a GPU that starts, labels that come down
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
