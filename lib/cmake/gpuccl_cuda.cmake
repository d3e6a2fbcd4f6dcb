# Sets GPUCCL_WITH_CUDA: whether the CUDA algorithms are built.

set(GPUCCL_CUDA AUTO CACHE STRING "Build the CUDA algorithms: AUTO, ON or OFF")
set_property(CACHE GPUCCL_CUDA PROPERTY STRINGS AUTO ON OFF)
option(GPUCCL_ALL_GPUS "Machine code for every GPU that the CUDA compiler knows, compressed: for packages" OFF)

# Every pass for a GPU takes as long as all else in a CUDA file, so a build has one: for the GPUs of this machine or,
# where there are none, for Turing with PTX, from which the driver makes code for anything newer when the program first
# uses it. For packages code of one minor number serves all later ones of the same major number, and the PTX of the last
# whatever comes. CMAKE_CUDA_ARCHITECTURES and the environment's CUDAARCHS go before all of this.
function(gpuccl_choose_gpus result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  if(GPUCCL_ALL_GPUS)
    set(wanted 75 80 90 100 120)
  else()
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader TIMEOUT 60
      RESULT_VARIABLE failed OUTPUT_VARIABLE wanted ERROR_QUIET)
    if(failed)
      set(wanted)
    endif()
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" wanted "${wanted}")
    list(TRANSFORM wanted REPLACE "\\." "")
  endif()
  set(chosen)
  foreach(gpu IN LISTS wanted)
    if(gpu IN_LIST known AND NOT gpu LESS 75)
      list(APPEND chosen ${gpu})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES chosen)
  list(SORT chosen COMPARE NATURAL)
  if(NOT chosen)
    set(chosen 75)
  endif()
  list(POP_BACK chosen newest)
  list(TRANSFORM chosen APPEND -real)
  set(${result} ${chosen} ${newest} PARENT_SCOPE)  # without -real: with PTX
endfunction()

set(GPUCCL_WITH_CUDA OFF)
if(GPUCCL_CUDA STREQUAL "OFF")
  return()
endif()
# pip builds for this machine, as ./dev does: kernels take most of the time, and only a GPU can run them.
if(SKBUILD AND GPUCCL_CUDA STREQUAL "AUTO" AND NOT GPUCCL_ALL_GPUS AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES
    AND "$ENV{CUDAARCHS}" STREQUAL "" AND NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)
  message(STATUS "gpuccl: without CUDA, because this machine has no NVIDIA GPU; GPUCCL_CUDA=ON builds it anyway")
  return()
endif()

# Where NVIDIA's installer puts nvcc without putting it into PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(GPUCCL_NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda/bin)
  mark_as_advanced(GPUCCL_NVCC)
  if(GPUCCL_NVCC)
    set(ENV{CUDACXX} ${GPUCCL_NVCC})
  endif()
endif()
string(REPLACE "," ";" gpus "$ENV{CUDAARCHS}")
set(ENV{CUDAARCHS} "${gpus}")  # CMake's own separator, which also check_language reads
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  # CMake itself reads CUDAARCHS only where a tree is configured for the first time.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT "$ENV{CUDAARCHS}" STREQUAL "")
    set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}")
  elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    gpuccl_choose_gpus(CMAKE_CUDA_ARCHITECTURES)
  endif()
  enable_language(CUDA)
  message(STATUS "gpuccl: machine code for GPUs: ${CMAKE_CUDA_ARCHITECTURES}")
  if(GPUCCL_ALL_GPUS)
    # Drivers since CUDA 13 support the mode "size": files are 22 % smaller, files of PTX 36 %.
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
    else()
      add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin=-compress-all>)
    endif()
  endif()
  # CMake before 3.26 does not know that nvcc does C++20. After enable_language, which overwrites these.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_INCLUDE_SYSTEM_FLAG_CUDA "-isystem ")  # CMake's "-isystem=" hides the path from ccache
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit 12.0 REQUIRED)
  set(GPUCCL_WITH_CUDA ON)
elseif(GPUCCL_CUDA STREQUAL "ON")
  message(FATAL_ERROR "GPUCCL_CUDA=ON, but no CUDA compiler was found")
endif()
message(STATUS "gpuccl: CUDA algorithms: ${GPUCCL_WITH_CUDA}")
