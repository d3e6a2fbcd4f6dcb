#!/usr/bin/env bash
# wheel_test.sh WHEEL PYTHON: checks the requirements and the size of a wheel, and that it works in a bare environment:
# without network, compiler, GPU, writable home, and libraries other than the C library, in a folder with blanks in its
# name. NumPy comes from a wheel that is fetched before. Uninstalling leaves no files.
set -euo pipefail
wheel=$(readlink -f "$1") python=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "wheel: $*" >&2; exit 1; }

# Checks every ELF file, not only modules.
"$python" -m zipfile -e "$wheel" "$scratch/wheel"
files=0 megabytes=5
while read -r file; do
  [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
  files=$((files + 1))
  "$here/manylinux.sh" "$file"
  [ -z "$(objdump -h "$file" | grep nv_fatbin)" ] || megabytes=25
done < <(find "$scratch/wheel" -type f)
[ "$files" = 2 ] || fail "$files ELF files instead of the module and the program"
for part in gpuccl/py.typed gpuccl/_core.pyi gpuccl/compat/cc3d.py gpuccl/napari.yaml; do
  [ -e "$scratch/wheel/$part" ] || fail "no $part"
done
[ "$(stat -c %s "$wheel")" -le "${megabytes}000000" ] || fail "larger than $megabytes MB: $(stat -c %s "$wheel") bytes"

"$python" -m pip download --quiet --disable-pip-version-check --only-binary :all: --dest "$scratch/numpy" numpy ||
  { echo "skipped: PyPI does not answer"; exit 77; }
begin=$(date +%s%N)
alone=()
! unshare -rn true 2>/dev/null || alone=(unshare -rn)
"${alone[@]}" env -i HOME=/proc PATH="$scratch/none" LC_ALL=C.UTF-8 CUDA_VISIBLE_DEVICES= \
  "$(command -v bash)" -euc '
  python=$1 scratch=$2 wheel=$3 root=$4 venv="$2/of two words"
  files() { (shopt -s globstar dotglob nullglob; printf "%s\n" "$venv"/**); }
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --no-index --find-links "$scratch/numpy" numpy
  before=$(files)
  "$venv/bin/python" -m pip install --quiet --no-index "$wheel"
  "$venv/bin/gpuccl" label "$root/data/page.png" -o "$scratch/page.npy" --quiet --device cpu
  cd "$scratch"
  "$venv/bin/python" -B -c "
import re
import gpuccl, numpy as np
page = open(\"$root/docs/python.md\").read()
first = re.search(r\"^\`\`\`python\n(.*?)^\`\`\`\", page, re.M | re.S)[1]
names = {}
exec(first, names)  # the example at the head of the page
assert names[\"n\"] == 3 and names[\"table\"][\"area\"].tolist() == [1, 2, 1]
assert gpuccl.label_file(\"$root/data/page.png\")[\"labeling\"][\"components\"] == np.load(\"page.npy\").max()
"
  "$venv/bin/python" -m pip uninstall --quiet --yes gpuccl
  [ "$(files)" = "$before" ] || { echo "wheel: it leaves files when it is uninstalled" >&2; exit 1; }
' bash "$("$python" -c 'import sys; print(sys.executable)')" "$scratch" "$wheel" "$(cd "$here/../.." && pwd)"
seconds=$(awk "BEGIN { print ($(date +%s%N) - $begin) / 1e9 }")
printf '%s: %.2f MB, installed and used %s in %.1f s\n' "${wheel##*/}" \
  "$(stat -c %s "$wheel" | awk '{ print $1 / 1e6 }')" "$([ ${#alone[@]} = 0 ] && echo "with network" || echo "without network")" "$seconds"
