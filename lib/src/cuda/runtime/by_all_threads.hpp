#pragma once

#include <cstddef>
#include <functional>

namespace gpuccl::cuda {

/// Calls work(begin, end) for parts of [0, count), several at once. Apart from it, because nvcc need not read
/// oneTBB.
void by_all_threads(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Touches new memory, one thread a huge page: threads that touch the same one first each clear a page of
/// their own. What the memory held is lost.
void touch_by_all_threads(void* memory, std::size_t bytes);

}  // namespace gpuccl::cuda
