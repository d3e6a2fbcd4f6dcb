#pragma once

#include <memory>

#include "gpuccl/algorithms.hpp"

// The fast engine on CUDA: `runs`, one factory a connectivity; `gpu` is the CUDA device.
namespace gpuccl::cuda {

std::unique_ptr<Labeler> make_runs_c4(int gpu);
std::unique_ptr<Labeler> make_runs_c8(int gpu);
std::unique_ptr<Labeler> make_runs_c6(int gpu);
std::unique_ptr<Labeler> make_runs_c18(int gpu);
std::unique_ptr<Labeler> make_runs_c26(int gpu);

}  // namespace gpuccl::cuda
