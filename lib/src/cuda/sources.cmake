# What lib/src/cuda holds: compiled by nvcc for the product and, against an emulation of CUDA, as C++ for the tests.
set(GPUCCL_CUDA_SOURCES
  algorithms/algorithms.cpp
  algorithms/be.cu
  algorithms/bke_2d.cu
  algorithms/bke_3d.cu
  algorithms/buf_2d.cu
  algorithms/buf_3d.cu
  algorithms/c2fl.cu
  algorithms/dlp.cu
  algorithms/ke.cu
  algorithms/ke_playne.cu
  algorithms/lbuf.cu
  algorithms/le.cu
  algorithms/np.cu
  algorithms/ole.cu
  algorithms/ouf.cu
  algorithms/rcu.cu
  algorithms/smccl.cu
  algorithms/uf_2d.cu
  algorithms/uf_3d.cu
  counted/rooms.cu
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
  runs/runs_c18.cu
  runs/runs_c26.cu
  runs/runs_c4.cu
  runs/runs_c6.cu
  runs/runs_c8.cu
  runtime/check.cpp
  runtime/device_labels.cpp
  runtime/pinned_labels.cpp
  runtime/pinned_ring.cpp
  runtime/primary_context.cpp
  runtime/streamed_labels.cpp
  table.cpp)
list(TRANSFORM GPUCCL_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

# Reading the headers takes a compiler longer than most of these files do, so several are compiled as one. They share no
# names: an algorithm has a namespace of its own.
set(units)
foreach(source IN LISTS GPUCCL_CUDA_SOURCES)
  file(RELATIVE_PATH path ${CMAKE_CURRENT_LIST_DIR} ${source})
  set(unit)
  if(path MATCHES "^algorithms/([a-k]|([l-z])).*\\.cu$")
    set(unit algorithms_a_to_k)
    if(CMAKE_MATCH_2)
      set(unit algorithms_l_to_z)
    endif()
  elseif(path MATCHES "^runs/runs_c(4|8)")
    set(unit runs_2d)
  elseif(path MATCHES "^runs/runs_c")
    set(unit runs_3d)
  elseif(path MATCHES "\\.cu$" AND NOT path MATCHES "^counted/")
    set(unit phases)
  endif()
  if(unit)
    list(APPEND units ${unit})
    string(APPEND includes_of_${unit} "#include \"${source}\"\n")
    list(REMOVE_ITEM GPUCCL_CUDA_SOURCES ${source})
  endif()
endforeach()
list(REMOVE_DUPLICATES units)
foreach(unit IN LISTS units)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/cuda/${unit}.cu CONTENT "${includes_of_${unit}}" @ONLY)
  list(APPEND GPUCCL_CUDA_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/cuda/${unit}.cu)
  unset(includes_of_${unit})
endforeach()
unset(units)
