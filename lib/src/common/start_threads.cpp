#include "gpuccl/start_threads.hpp"

#include <tbb/parallel_for.h>

#include <cstddef>
#include <memory>
#include <new>

#include "gpuccl/error.hpp"

namespace gpuccl {

void start_threads() {
  constexpr std::size_t kRoom = std::size_t{8} << 20;  // what it takes, several times over
  if (std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[kRoom]) == nullptr)
    throw Error(Failure::memory, "not enough memory to start");
  tbb::parallel_for(0, 1, [](int) {});
}

}  // namespace gpuccl
