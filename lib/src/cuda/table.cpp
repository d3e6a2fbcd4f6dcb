#include "common/gpu_table.hpp"
#include "cuda/algorithms/algorithms.hpp"
#include "cuda/counted/rooms.hpp"
#include "cuda/cuda.hpp"
#include "cuda/runs/runs.hpp"

namespace gpuccl::cuda {

std::vector<Algorithm> algorithms() {
  return gpu_table([](const std::string& name, const std::vector<Connectivity>&) -> std::vector<MakeLabeler> {
    if (name == "runs") return {make_runs_c4, make_runs_c8, make_runs_c6, make_runs_c18, make_runs_c26};
    if (name == "runs-bytes")
      return {make_runs_bytes_c4, make_runs_bytes_c8, make_runs_bytes_c6, make_runs_bytes_c18,
              make_runs_bytes_c26};
    return room_makers(name);
  });
}

std::vector<Algorithm> counting_algorithms() {
  return gpu_table(
      [](const std::string& name, const std::vector<Connectivity>&) { return counted::room_makers(name); });
}

}  // namespace gpuccl::cuda
