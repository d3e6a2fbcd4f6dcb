# The sources of lib/src/cuda and lib/papers/cuda: compiled by nvcc for the product and, against an emulation of CUDA, as C++ for the tests.
set(GPUCCL_CUDA_SOURCES
  c_interface.cpp
  runs/statistics/gather_sums.cu
  runs/values/planes.cu
  runs/host/runs_2d.cu
  runs/host/runs_3d.cu
  runs/host/values_2d.cu
  runs/host/values_3d.cu
  runtime/check.cpp
  runtime/pinned_ring.cpp
  runtime/primary_context.cpp
  table.cpp
  tables/hulls.cu
  tables/measure_labels.cu
  tables/pairs.cu
  tables/percentiles.cu
  tables/shape_labels.cu)
list(TRANSFORM GPUCCL_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

# Reading the headers takes a compiler longer than most of these files do, so several are compiled as one: the papers'
# algorithms, which have a namespace each, and once more to count accesses; and what they and the fast engine share.
set(GPUCCL_SHARED
  bandwidth_bound.cu
  device_api.cu
  devices.cu
  labelers/gpu_labeler.cu
  phases/counted_bitmap.cu
  phases/run_starts.cu
  phases/statistics.cu
  phases/layouts.cu
  tables/relabel.cu
  runs/cleaning/choice.cu
  runs/statistics/component_memory.cu)
list(TRANSFORM GPUCCL_SHARED PREPEND cuda/)
list(APPEND GPUCCL_SHARED
  papers/cuda/labelers/pixel_labeler.cu
  papers/cuda/phases/canonical_numbering.cu
  papers/cuda/phases/pixel_labels.cu)
cmake_path(SET library NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
file(GLOB GPUCCL_ALGORITHMS CONFIGURE_DEPENDS RELATIVE ${library} ${library}/papers/cuda/algorithms/*.cu)
foreach(list GPUCCL_SHARED GPUCCL_ALGORITHMS)
  list(TRANSFORM ${list} REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN ${list} "" ${list})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/cuda/shared.cu CONTENT "${GPUCCL_SHARED}" @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/cuda/algorithms.cu CONTENT "${GPUCCL_ALGORITHMS}" @ONLY)
configure_file(${library}/papers/cuda/instrumented/algorithms.cu.in ${CMAKE_CURRENT_BINARY_DIR}/cuda/instrumented.cu @ONLY)
foreach(unit shared algorithms instrumented)
  list(APPEND GPUCCL_CUDA_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/cuda/${unit}.cu)
endforeach()
