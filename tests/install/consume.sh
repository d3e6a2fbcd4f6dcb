#!/usr/bin/env bash
# consume.sh BUILD_DIR PREFIX SCRATCH: builds and runs a program with the library installed under PREFIX, as on a machine
# that has no CUDA toolkit; and where there is one, and CUDA in the library, a program that labels on the device, which
# runs if there is a GPU.
set -euo pipefail
build=$1 prefix=$2 scratch=$3
here=$(cd "$(dirname "$0")" && pwd)

# Libraries built with sanitizers must be linked with them.
flags=
if grep -q '^GPUCCL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then flags=-fsanitize=address,undefined; fi
build_consumer() {  # build_consumer SOURCE FOLDER OPTIONS...
  local source=$1 folder=$2
  shift 2
  cmake -S "$source" -B "$folder" -G Ninja --no-warn-unused-cli "-DCMAKE_PREFIX_PATH=$prefix" \
    "-DCMAKE_CXX_FLAGS=$flags" "-DCMAKE_C_FLAGS=$flags" "$@" >/dev/null
  grep -q "^gpuccl_DIR:PATH=$prefix/" "$folder/CMakeCache.txt" || { echo "another gpuccl was found" >&2; exit 1; }
  cmake --build "$folder" >/dev/null
}

build_consumer "$here/consumer" "$scratch" -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
said=$("$scratch/consumer")
line="3 components, the third of 2 elements around (1.5, 2)"
[ "$said" = "$line"$'\n'"$line" ] || { echo "the consumer said: $said" >&2; exit 1; }

expect() {  # expect WHAT PROGRAM TEXT
  said=$("$2")
  [ "$said" = "$3" ] || { echo "$1 said: $said" >&2; exit 1; }
}
examples=$here/../../examples
build_consumer "$examples" "$scratch/examples" -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
expect "the example of README" "$scratch/examples/label" "3 components, label 3 at (1, 2)"
expect "the example with an array of its own" "$scratch/examples/own_array" $'0 0 0 1\n0 0 0 1\n0 0 0 0'
expect "the example in C" "$scratch/examples/from_c" \
  $'3 components, label 3 at (1, 2), the first of 1 pixels\n5-connectivity: labeling: connectivity is 4, 8, 6, 18 or 26'

# Builds with pkg-config, where there is one that knows TBB.
pc=$(find "$prefix" -name gpuccl.pc)
[ -n "$pc" ] || { echo "gpuccl.pc is not installed" >&2; exit 1; }
if pkg-config --exists tbb 2>/dev/null; then
  export PKG_CONFIG_PATH=${pc%/*}
  # shellcheck disable=SC2046,SC2086  # words
  "${CXX:-g++}" -std=c++20 $flags "$examples/label.cpp" -o "$scratch/by_pkg_config" $(pkg-config --cflags --libs gpuccl) \
    "-Wl,-rpath,${pc%/pkgconfig/gpuccl.pc}"
  expect "the example by pkg-config" "$scratch/by_pkg_config" "3 components, label 3 at (1, 2)"
fi

[ -e "$prefix/include/gpuccl/device.hpp" ] || exit 0  # a library without CUDA
nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
build_consumer "$here/device_consumer" "$scratch/device" "-DCUDAToolkit_ROOT=$(dirname "$nvcc")/.."
if nvidia-smi -L >/dev/null 2>&1; then
  said=$("$scratch/device/device")
  [ "$said" = "3 components, label 3 at (1, 2); 1 of at least 2 pixels, the first of 2" ] || { echo "the consumer on the device said: $said" >&2; exit 1; }
fi
