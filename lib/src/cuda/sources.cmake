# What lib/src/cuda holds: compiled by nvcc for the product and, against an emulation of CUDA, as C++ for the tests.
set(GPUCCL_CUDA_SOURCES
  devices.cu
  floor.cu
  labelers/gpu_labeler.cu
  labelers/pixel_labeler.cu
  phases/first_elements.cu
  phases/pixel_labels.cu
  phases/prefix_count.cu
  phases/statistics.cu
  phases/unpack.cu
  runs/component_memory.cu
  runs/numbering.cu
  runs/runs_2d.cu
  runs/runs_3d.cu
  runtime/check.cpp
  runtime/device_labels.cpp
  runtime/pinned_labels.cpp
  runtime/pinned_ring.cpp
  runtime/primary_context.cpp
  runtime/streamed_labels.cpp
  table.cpp)
list(TRANSFORM GPUCCL_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

# The papers' algorithms are compiled all in one, and once more to count accesses.
file(GLOB GPUCCL_ALGORITHMS CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/algorithms/*.cu)
list(TRANSFORM GPUCCL_ALGORITHMS REPLACE "(.+)" "#include \"cuda/\\1\"")
list(JOIN GPUCCL_ALGORITHMS "\n" GPUCCL_ALGORITHMS)
foreach(group algorithms counted)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${group}/algorithms.cu.in ${CMAKE_CURRENT_BINARY_DIR}/${group}_in_one.cu @ONLY)
  list(APPEND GPUCCL_CUDA_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${group}_in_one.cu)
endforeach()
