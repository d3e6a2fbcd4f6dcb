#include "cuda/runtime/by_all_threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace gpuccl::cuda {

void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kGrain = 1 << 13;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kGrain),
                    [&](const auto& range) { work(range.begin(), range.end()); });
}

}  // namespace gpuccl::cuda
