#!/usr/bin/env bash
# consume.sh BUILD_DIR PREFIX SCRATCH: builds and runs a program with the library installed under PREFIX, as on a machine
# that has no CUDA toolkit.
set -euo pipefail
build=$1 prefix=$2 scratch=$3
here=$(cd "$(dirname "$0")" && pwd)

# What was built with sanitizers must be linked with them.
flags=
if grep -q '^GPUCCL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then flags=-fsanitize=address,undefined; fi
cmake -S "$here/consumer" -B "$scratch" -G Ninja --no-warn-unused-cli -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON \
  "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CXX_FLAGS=$flags" >/dev/null
grep -q "^gpuccl_DIR:PATH=$prefix/" "$scratch/CMakeCache.txt" || { echo "another gpuccl was found" >&2; exit 1; }
cmake --build "$scratch" >/dev/null
said=$("$scratch/consumer")
line="3 components, the third of 2 elements around (1.5, 2)"
[ "$said" = "$line"$'\n'"$line" ] || { echo "the consumer said: $said" >&2; exit 1; }
