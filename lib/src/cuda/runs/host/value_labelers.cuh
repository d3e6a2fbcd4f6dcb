#pragma once

#include <memory>

#include "cuda/cuda.hpp"
#include "cuda/runs/core/forest.cuh"

// 2D is compiled by itself, as both halves take long.
namespace gpuccl::cuda::runs {

std::unique_ptr<ValueLabeler> make_value_labeler_2d(int gpu, Connectivity connectivity, LinkWidth width);

}  // namespace gpuccl::cuda::runs
