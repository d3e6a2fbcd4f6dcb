# What lib/src/cuda holds: compiled by nvcc for the product and, against an emulation of CUDA, as C++ for the tests.
set(GPUCCL_CUDA_SOURCES
  algorithms/algorithms.cpp
  algorithms/bke_2d.cu
  algorithms/bke_3d.cu
  algorithms/buf_2d.cu
  algorithms/buf_3d.cu
  algorithms/ke.cu
  algorithms/uf_2d.cu
  algorithms/uf_3d.cu
  devices.cu
  floor.cu
  phases/first_elements.cu
  phases/prefix_count.cu
  phases/statistics.cu
  phases/unpack.cu
  runs/numbering.cu
  runs/runs_c18.cu
  runs/runs_c26.cu
  runs/runs_c4.cu
  runs/runs_c6.cu
  runs/runs_c8.cu
  runtime/check.cpp
  runtime/cuda_labeler.cu
  runtime/pinned_ring.cpp)
list(TRANSFORM GPUCCL_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
