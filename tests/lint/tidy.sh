#!/usr/bin/env bash
# tidy.sh: clang-tidy of the sources of app, io and lib. Most of its time goes into what they include, so several files are
# read as one, of CMake's unity builds; where that does not pass, for names that clash or for what is wrong, one by one.
# tidy.sh FILE: of one file, or of those that a unity file includes.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
single=build/lint together=build/lint-unity

tidy() { clang-tidy -quiet -header-filter="^$root/(app|io|lib)/.*\.cpp\$" "$@" 2>/dev/null; }
included_by() { sed -n "s|^#include \"$root/\(.*\)\"|\1|p" "$1"; }
# Leaves out files for toolkits and processors that are not everywhere.
checked() { grep -E '^(app|io|lib)/' | grep -vE '/(no_)?cuda/|/mpi/|/python/|_neon'; }

if [ $# -eq 1 ]; then
  case $1 in
    */Unity/*)
      tidy -p "$together" "$1" >/dev/null && exit
      for file in $(included_by "$1" | checked); do tidy -p "$single" "$file" || code=1; done
      exit "${code:-0}" ;;
    *) tidy -p "$single" "$1"; exit ;;
  esac
fi

# Nothing is compiled but what makes sources: clang-tidy reads the commands.
cmake --preset lint >/dev/null
cmake --preset lint -B "$together" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 >/dev/null
for folder in "$single" "$together"; do cmake --build "$folder" --target decision_trees >/dev/null; done
mapfile -t units < <(sed -n 's|^ *"file": "\(.*/Unity/.*\)".*|\1|p' "$together/compile_commands.json" | grep -v gpuccl-mpi)
alone=$(comm -23 <(git ls-files 'lib/**.cpp' 'io/**.cpp' 'app/**.cpp' | checked | sort) \
  <(for unit in "${units[@]}"; do included_by "$unit"; done | sort))
printf '%s\n' "${units[@]}" $alone | xargs -P "$(nproc)" -n 1 "$root/tests/lint/tidy.sh"
