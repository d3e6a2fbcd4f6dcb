#include "app/common/thread_limit.hpp"

#include <tbb/global_control.h>

#include <cstddef>

namespace gpuccl::app {

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(threads > 0 ? new Control{{tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(threads)}}
                           : nullptr) {}

ThreadLimit::~ThreadLimit() = default;

}  // namespace gpuccl::app
