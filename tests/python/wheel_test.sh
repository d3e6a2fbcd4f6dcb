#!/usr/bin/env bash
# wheel_test.sh WHEEL PYTHON: what a wheel needs of the machine, and that it works in a bare environment: without network,
# compiler, GPU, and other libraries than the C library. NumPy comes from a wheel that is fetched before.
set -euo pipefail
wheel=$(readlink -f "$1") python=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "wheel: $*" >&2; exit 1; }

# Of every ELF file, not of modules alone: libraries of every Linux, and symbols that manylinux_2_34 has.
"$python" -m zipfile -e "$wheel" "$scratch/wheel"
files=0
while read -r file; do
  [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
  files=$((files + 1))
  needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' |
    grep -vE '^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.[0-9]+|ld-linux-.*\.so\.[0-9]+)$' || true)
  [ -z "$needed" ] || fail "${file##*/} needs $needed"
  newest=$(objdump -T "$file" | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -1)
  [ "$(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -1)" = GLIBC_2.34 ] || fail "${file##*/} needs $newest"
  ! objdump -T "$file" | grep -q GLIBCXX_ || fail "${file##*/} needs the C++ library"
done < <(find "$scratch/wheel" -type f)
[ "$files" = 2 ] || fail "$files ELF files instead of the module and the program"
for part in gpuccl/py.typed gpuccl/_core.pyi gpuccl/compat/cc3d.py; do [ -e "$scratch/wheel/$part" ] || fail "no $part"; done

"$python" -m pip download --quiet --disable-pip-version-check --only-binary :all: --dest "$scratch/numpy" numpy ||
  { echo "skipped: PyPI does not answer"; exit 77; }
begin=$(date +%s%N)
alone=()
! unshare -rn true 2>/dev/null || alone=(unshare -rn)
"${alone[@]}" env -i HOME="$scratch" PATH="$scratch/none" LC_ALL=C.UTF-8 CUDA_VISIBLE_DEVICES= \
  "$(command -v bash)" -euc '
  python=$1 scratch=$2 wheel=$3 data=$4
  "$python" -m venv "$scratch/venv"
  "$scratch/venv/bin/python" -m pip install --quiet --no-index --find-links "$scratch/numpy" "$wheel"
  "$scratch/venv/bin/gpuccl" label "$data/page.png" -o "$scratch/page.npy" --quiet --device cpu
  cd "$scratch"
  "$scratch/venv/bin/python" -c "
import gpuccl, numpy as np
labels, n, table = gpuccl.label(np.eye(3, dtype=bool), 1, stats=True)
assert n == 3 and table[\"area\"].tolist() == [1, 1, 1]
assert gpuccl.label_file(\"$data/page.png\")[\"labeling\"][\"components\"] == np.load(\"page.npy\").max()
"' bash "$(readlink -f "$(command -v "$python")")" "$scratch" "$wheel" "$here/../../data"
printf '%s: %.1f MB, installed and used without network in %.1f s\n' "${wheel##*/}" \
  "$(stat -c %s "$wheel" | awk '{ print $1 / 1e6 }')" "$(awk "BEGIN { print ($(date +%s%N) - $begin) / 1e9 }")"
