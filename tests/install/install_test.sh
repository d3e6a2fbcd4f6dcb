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
  share/bash-completion/completions/gpuccl include/gpuccl/engine.hpp include/gpuccl/version.hpp \
  include/gpuccl/gpuccl.h; do
  [ -e "$scratch/usr/$file" ] || { echo "not installed: $file" >&2; missing=1; }
done
for file in README.md docs/library.md examples/label.cpp; do
  [ -n "$(find "$scratch/usr/share/doc" -path "*/$file")" ] || { echo "not installed: $file" >&2; missing=1; }
done
[ "$missing" = 0 ]
"$scratch/usr/bin/gpuccl" --version

"$here/consume.sh" "$build" "$scratch/usr" "$scratch/consumer"
echo "installed, found and used"
