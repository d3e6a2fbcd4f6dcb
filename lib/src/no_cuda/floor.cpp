#include "gpuccl/floor.hpp"

#include "gpuccl/error.hpp"

namespace gpuccl {

StreamFloor stream_floor(int, Extent, int) {
  throw Error(Failure::unavailable, "this build of gpuccl has no CUDA");
}

}  // namespace gpuccl
