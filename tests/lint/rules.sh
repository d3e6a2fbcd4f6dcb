#!/usr/bin/env bash
# House rules that grep can check.
set -euo pipefail
cd "$(dirname "$0")/../.."
found=0
rule() {  # rule "what is wrong" PATTERN PATHS...
  local what=$1 pattern=$2
  shift 2
  if git grep -nE "$pattern" -- "$@"; then echo "lint: $what" >&2; found=1; fi
}
outside=(lib/papers lib/src/cuda/phases lib/src/cuda/labelers lib/src/cuda/device lib/src/cuda/runs app io)
rule "a launch outside cuda/runtime" '<<<[^<]' "${outside[@]}"
rule "an allocation outside cuda/runtime" 'cuda(Malloc|Free)' "${outside[@]}" \
  ':!app/python/src/device.cpp'  # its arrays belong to Python
rule "a test case that Catch2 would take for an option" 'TEST_CASE(_METHOD\([A-Za-z]+, |\()"[-~]' 'tests/*.cpp'
rule "work left undone" '\b(TODO|FIXME|XXX|HACK)\b' '*.cpp' '*.hpp' '*.cu' '*.cuh'
exit "$found"
