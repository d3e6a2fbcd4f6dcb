#!/usr/bin/env bash
# install_test.sh BUILD_DIR: installs the build to a scratch folder, looks for every file where distributions expect
# it, and builds a program against the installed library.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/usr" >/dev/null
missing=0
for file in bin/gpuccl share/man/man1/gpuccl.1 share/man/man1/gpuccl-label.1 \
  share/bash-completion/completions/gpuccl include/gpuccl/engine.hpp; do
  [ -e "$scratch/usr/$file" ] || { echo "not installed: $file" >&2; missing=1; }
done
[ "$missing" = 0 ]
"$scratch/usr/bin/gpuccl" --version

# What was built with sanitizers must be linked with them.
flags=
if grep -q '^GPUCCL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then flags=-fsanitize=address,undefined; fi
cmake -S "$here/consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/usr" \
  "-DCMAKE_CXX_FLAGS=$flags" >/dev/null
cmake --build "$scratch/consumer" >/dev/null
said=$("$scratch/consumer/consumer")
line="3 components, the third of 2 elements around (1.5, 2)"
[ "$said" = "$line"$'\n'"$line" ] || { echo "the consumer said: $said" >&2; exit 1; }
echo "installed, found and used"
