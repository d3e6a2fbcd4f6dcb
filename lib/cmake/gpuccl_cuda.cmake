# Sets GPUCCL_WITH_CUDA: whether the CUDA algorithms are built.

set(GPUCCL_CUDA AUTO CACHE STRING "Build the CUDA algorithms: AUTO, ON or OFF")
set_property(CACHE GPUCCL_CUDA PROPERTY STRINGS AUTO ON OFF)

set(GPUCCL_WITH_CUDA OFF)
if(GPUCCL_CUDA STREQUAL "OFF")
  return()
endif()

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    # Machine code from Turing to Hopper, and PTX of the last for what comes later.
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
  endif()
  enable_language(CUDA)
  # CMake before 3.26 does not know that nvcc does C++20. After enable_language, which overwrites these.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit 12.0 REQUIRED)
  set(GPUCCL_WITH_CUDA ON)
elseif(GPUCCL_CUDA STREQUAL "ON")
  message(FATAL_ERROR "GPUCCL_CUDA=ON, but no CUDA compiler was found")
endif()
message(STATUS "gpuccl: CUDA algorithms: ${GPUCCL_WITH_CUDA}")
