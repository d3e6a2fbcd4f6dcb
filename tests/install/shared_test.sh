#!/usr/bin/env bash
# shared_test.sh FOLDER [OPTIONS OF CMAKE...]: builds the program with a shared library in FOLDER, installs both, and
# builds a program against the library, whose names others find and whose CUDA runtime nobody else sees.
set -euo pipefail
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "shared: $*" >&2; exit 1; }

cmake -S "$here/../.." -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DGPUCCL_TESTS=OFF "$@" >/dev/null
build=$(cd "$build" && pwd)
cmake --build "$build"
cmake --install "$build" --prefix "$scratch/usr" >/dev/null
library=$(find "$scratch/usr" -name libgpuccl.so)
[ -n "$library" ] || fail "no libgpuccl.so is installed"
names=$(nm -D --defined-only --demangle "$library")
wanted=('gpuccl::Engine::label(' 'gpuccl::label(' 'gpuccl_label' 'vtable for gpuccl::LabelRows')
if [ -e "$scratch/usr/include/gpuccl/device.hpp" ]; then wanted+=('gpuccl::label_on_device('); fi
for name in "${wanted[@]}"; do
  grep -qF "$name" <<<"$names" || fail "$name is not exported"
done
# Nothing else of the library: what its headers do not declare is hidden.
for hidden in gpuccl::cpu:: gpuccl::cuda:: gpuccl::measuring:: 'gpuccl::Engine::State' tbb::; do
  ! grep -E " [TDB] $hidden" <<<"$names" || fail "$hidden is exported"
done
! grep -qE ' cuda[A-Z]' <<<"$names" || fail "CUDA's runtime is exported"
"$scratch/usr/bin/gpuccl" --version
"$here/consume.sh" "$build" "$scratch/usr" "$scratch/consumer"
echo "built, installed and used as a shared library"
