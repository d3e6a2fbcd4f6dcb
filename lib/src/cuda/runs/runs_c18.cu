#include "cuda/runs/runs.cuh"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::unique_ptr<Labeler> make_runs_c18(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c18>>(gpu);
}
std::unique_ptr<Labeler> make_runs_bytes_c18(int gpu) {
  return make_labeler<runs::RunsLabeler<Connectivity::c18, runs::ByteImage>>(gpu);
}

}  // namespace gpuccl::cuda
