#pragma once

#include <memory>

#include "gpuccl/algorithms.hpp"

// The fast engine on CUDA, one factory a connectivity; `gpu` is the CUDA device. `runs` reads bits,
// `runs-bytes` one byte an element, which it packs on the fly.
namespace gpuccl::cuda {

std::unique_ptr<Labeler> make_runs_c4(int gpu);
std::unique_ptr<Labeler> make_runs_c8(int gpu);
std::unique_ptr<Labeler> make_runs_c6(int gpu);
std::unique_ptr<Labeler> make_runs_c18(int gpu);
std::unique_ptr<Labeler> make_runs_c26(int gpu);

std::unique_ptr<Labeler> make_runs_bytes_c4(int gpu);
std::unique_ptr<Labeler> make_runs_bytes_c8(int gpu);
std::unique_ptr<Labeler> make_runs_bytes_c6(int gpu);
std::unique_ptr<Labeler> make_runs_bytes_c18(int gpu);
std::unique_ptr<Labeler> make_runs_bytes_c26(int gpu);

}  // namespace gpuccl::cuda
