# Includes run down only: a file includes from its own folder and from folders of layers below, never from above and
# never from another folder of its own layer. `cmake -P tests/lint/layers.cmake` from the top of the tree.
cmake_minimum_required(VERSION 3.25)

# One layer a line, the lowest first. A file belongs to the longest folder that its path begins with.
set(layers
  "lib/include/gpuccl"
  "lib/src/common lib/papers/trees"
  "lib/src/measure lib/src/periodic lib/src/cpu lib/src/no_cuda lib/src/cuda/runtime"
  "lib/src/contacts lib/src/outlines"
  "lib/src/cuda/device"
  "lib/src/cuda/phases"
  "lib/src/cuda/labelers"
  "lib/src/cuda/runs/core"
  "lib/src/cuda/runs/cleaning lib/src/cuda/runs/statistics lib/src/cuda/runs/values"
  "lib/src/cuda/runs/host lib/src/cuda/tables"
  "lib/papers/cpu lib/papers/cuda/device"
  "lib/papers/cuda/phases"
  "lib/papers/cuda/labelers"
  "lib/papers/cuda/algorithms"
  "lib/papers/cuda/instrumented"
  "lib/src/cuda"
  "lib/src/engine"
  "lib/src/slabs"
  "lib/src/parts"
  "io/deflate"
  "io/files"
  "io/image"
  "io/nifti"
  "io/png io/tiff io/npy io/nrrd io/metaimage io/mgh io/mrc io/pnm io/bmp io/jpeg io/hdf5 io/zarr"
  "io/read io/write io/report"
  "io/parts"
  "app/common"
  "app/options"
  "app/view"
  "app/label app/bench"
  "app/label/batch app/parts"
  "app/commands app/mpi app/python"
  "app")
# Headers that any layer may include: the few functions of CUDA that the rest of the library calls.
set(interfaces lib/src/cuda/cuda.hpp)

# CLI11 and the parsers of JSON take seconds to compile: these files compile them, once.
set(parses app/options/command_line.cpp)
set(parses_json io/files/json.cpp)

set(folders)
set(layer 0)
foreach(names IN LISTS layers)
  separate_arguments(names)
  foreach(folder IN LISTS names)
    list(APPEND folders ${folder})
    set("layer_of_${folder}" ${layer})
  endforeach()
  math(EXPR layer "${layer} + 1")
endforeach()

function(folder_of path result)
  set(best)
  set(longest -1)
  foreach(folder IN LISTS folders)
    string(LENGTH ${folder} length)
    string(FIND ${path} "${folder}/" at)
    if(at EQUAL 0 AND length GREATER longest)
      set(best ${folder})
      set(longest ${length})
    endif()
  endforeach()
  set(${result} "${best}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
  lib/*.cpp lib/*.hpp lib/*.cu lib/*.cuh io/*.cpp io/*.hpp app/*.cpp app/*.hpp)
set(wrong 0)
foreach(source IN LISTS sources)
  folder_of(${source} folder)
  if(NOT folder)
    message("${source}: its folder is in no layer of tests/lint/layers.cmake")
    math(EXPR wrong "${wrong} + 1")
    continue()
  endif()
  file(STRINGS ${source} parser REGEX "^#include <CLI/")
  if(parser AND NOT source IN_LIST parses)
    message("${source}: includes CLI11, which app/options/command_line.hpp stands for")
    math(EXPR wrong "${wrong} + 1")
  endif()
  file(STRINGS ${source} json REGEX "[jJ]son::(sax_)?parse\\(|\\.dump\\(")
  if(json AND NOT source IN_LIST parses_json)
    message("${source}: parses or writes JSON, which io/files/json.hpp does")
    math(EXPR wrong "${wrong} + 1")
  endif()
  file(STRINGS ${source} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    foreach(root "" lib/ lib/src/ lib/include/)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${root}${included})
        set(path ${root}${included})
        break()
      endif()
      set(path)
    endforeach()
    if(NOT path OR path IN_LIST interfaces)
      continue()
    endif()
    folder_of(${path} other)
    if(NOT other STREQUAL folder AND NOT "${layer_of_${other}}" LESS "${layer_of_${folder}}")
      message("${source}: includes ${path}, which is in no layer below")
      math(EXPR wrong "${wrong} + 1")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong} includes that must not be")
endif()
list(LENGTH sources count)
message("${count} files, every include runs down")
