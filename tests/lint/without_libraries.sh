#!/usr/bin/env bash
# Compiles the files of a build without libjpeg, libhdf5, Blosc, Zstd, LZ4 and ISA-L that differ from others, with
# warnings as errors. usage: without_libraries.sh COMPILER
set -euo pipefail
cd "$(dirname "$0")/../.."
for file in io/files/isal_inflater.cpp io/hdf5/format.cpp io/jpeg/jpeg.cpp io/image/chunk_codecs.cpp \
  io/image/formats.cpp; do
  "$1" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I. -Ilib/include "$file"
done
# Nothing else asks which libraries there are.
others=$(grep -rlE 'GPUCCL_HAS_(JPEG|HDF5|BLOSC|ZSTD|LZ4|ISAL)' io lib app --include='*.cpp' --include='*.hpp' |
  grep -vE '^io/(image/(chunk_codecs|formats)|jpeg/jpeg|hdf5/format|files/isal_inflater)\.cpp$' || true)
[ -z "$others" ] || { echo "these ask for optional libraries, too: $others" >&2; exit 1; }
