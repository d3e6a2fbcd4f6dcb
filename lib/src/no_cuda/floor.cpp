#include "gpuccl/detail/floor.hpp"

#include "gpuccl/types.hpp"

namespace gpuccl {

StreamFloor stream_floor(int, Extent, int) {
  throw Error(Failure::unavailable, "this build of gpuccl has no CUDA");
}

}  // namespace gpuccl
