option(GPUCCL_WERROR "Treat warnings as errors" OFF)

add_library(gpuccl_warnings INTERFACE)
add_library(gpuccl::warnings ALIAS gpuccl_warnings)

foreach(flag -Wall -Wextra -Wshadow -Wconversion)
  target_compile_options(gpuccl_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:${flag}>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
endforeach()
# GCC 12 sees overlaps and bounds in std::string's operator+ that are not there (its bugs 105329 and 105651), and with a
# precompiled header it does not keep them to itself.
target_compile_options(gpuccl_warnings INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overread>)
if(NOT GPUCCL_ALL_GPUS)  # not in packages
  target_compile_options(gpuccl_warnings INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
endif()

if(GPUCCL_WERROR)
  target_compile_options(gpuccl_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()

option(GPUCCL_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(GPUCCL_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined> $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=address,undefined)
endif()

option(GPUCCL_FUZZ "Build the fuzzers, everything instrumented for them (clang, GPUCCL_SANITIZE)" OFF)
set(GPUCCL_FUZZING_ENGINE "-fsanitize=fuzzer" CACHE STRING "What fuzzers are linked with")
if(GPUCCL_FUZZ AND GPUCCL_FUZZING_ENGINE STREQUAL "-fsanitize=fuzzer")  # others bring flags of their own
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
