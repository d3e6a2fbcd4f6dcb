#include "cuda/runtime/by_all_threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace gpuccl::cuda {

void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kGrain = 1 << 13;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kGrain),
                    [&](const auto& range) { work(range.begin(), range.end()); });
}

void touch_by_all_threads(void* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
  auto* const begin = static_cast<std::byte*>(memory);
  tbb::parallel_for(std::size_t{0}, (bytes + kHugePage - 1) / kHugePage, [=](std::size_t i) {
    const std::size_t end = std::min((i + 1) * kHugePage, bytes);
    for (std::size_t at = i * kHugePage; at < end; at += kPage) begin[at] = std::byte{0};
  });
}

}  // namespace gpuccl::cuda
