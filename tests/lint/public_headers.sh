#!/usr/bin/env bash
# Compiles each public header alone, because it includes what it needs. usage: public_headers.sh COMPILER BUILD
set -euo pipefail
cd "$(dirname "$0")/../../lib/include"
for header in gpuccl/*.hpp gpuccl/detail/*.hpp; do
  [ "$header" != gpuccl/device.hpp ] || continue  # needs CUDA; its users are compiled with the emulation
  echo "#include \"$header\"" | "$1" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I. -I"$2/lib/include" -x c++ -
done
