#include "cuda/runs/runs.cuh"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::unique_ptr<Labeler> make_runs_c4(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c4>>(gpu);
}
std::unique_ptr<Labeler> make_runs_bytes_c4(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c4, runs::ByteImage>>(gpu);
}

}  // namespace gpuccl::cuda
