#!/usr/bin/env bash
# same_bytes_test.sh [TARGET...]: builds targets from copies of the checkout in two folders, and compares the files. The
# default is the program, which takes minutes; ./dev test --long does that. CUDA=ON builds with CUDA, as packages do.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- gpuccl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "same bytes: $*" >&2; exit 1; }
[ -e "$root/.git" ] || { echo "skipped: not in a checkout"; exit 77; }

preset=package-cpu
[ "${CUDA:-OFF}" != ON ] || preset=package
folders=("$scratch/a" "$scratch/another/folder")
for folder in "${folders[@]}"; do
  mkdir -p "$folder"
  git -C "$root" ls-files -z | tar -C "$root" --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -C "$folder" -xf -
  env -u CCACHE_BASEDIR cmake -S "$folder" --preset "$preset" -DGPUCCL_TESTS=OFF -DGPUCCL_MPI=OFF -DGPUCCL_ALL_GPUS=ON >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; fail "not configured"; }
  (cd "$folder" && cmake --build --preset "$preset" --target "$@" -j "$(nproc)") >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; fail "not built"; }
done
compared=0
while read -r file; do
  cmp "${folders[0]}/$file" "${folders[1]}/$file" || fail "$file differs"
  compared=$((compared + 1))
done < <(cd "${folders[0]}" && find build \( -name '*.o' -o -name '*.a' -o -path "build/$preset/app/gpuccl" \) -type f \
  ! -name '*.cu.o')  # nvcc's have the number of its process as the name of a file, which the library then lacks
[ "$compared" -gt 1 ] || fail "nothing was built"
echo "$compared files are the same in two folders: $*"
