#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace gpuccl::cuda {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

/// The only launch in the project. The tests' emulation of CUDA has another file in its place.
template <class... Params>
void launch(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
            const std::type_identity_t<Params>&... args) {
  kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(args...);
}

}  // namespace gpuccl::cuda
