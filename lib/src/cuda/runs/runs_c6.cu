#include "cuda/runs/runs.cuh"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::unique_ptr<Labeler> make_runs_c6(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c6>>(gpu);
}
std::unique_ptr<Labeler> make_runs_bytes_c6(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c6, runs::ByteImage>>(gpu);
}

}  // namespace gpuccl::cuda
