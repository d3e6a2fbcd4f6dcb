#!/usr/bin/env bash
# same_test.sh GPUCCL OTHER...: what the command OTHER, gpuccl for another processor under an emulator, writes of the
# samples in data/ is what GPUCCL writes: labels, previews and tables to the last byte, reports but for times and device.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../data
this=("$(readlink -f "$1")")
shift
other=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/this" "$scratch/other"

label() {  # label NAME OPTIONS...
  local name=$1
  shift
  set -- label "$@" --device cpu --quiet -o "$name.tiff" --stats "$name.csv" --preview "$name.png"
  (cd "$scratch/this" && "${this[@]}" "$@")
  (cd "$scratch/other" && "${other[@]}" "$@")
}
label page "$data/page.png" --measure all
label letters "$data/page-g4.tif" --invert --min-size 8 --algo sauf
label cells "$data/cells.tif" --spacing 4,4,40,nm --measure all --intensity "$data/cells.tif"
label faces "$data/cells.tif" -c 6 --fill-holes --keep 'sphericity > 0.4'
label slabs "$data/cells.tif" --memory 8M --measure shape
label folder "$data/cells-slices" --stack --threshold otsu --order size

for report in "$scratch"/*/*.json; do
  sed -i -e '/^  "timings_ms": /,/^  }/d' -e '/^    "device": /,/^    }/d' "$report"
done
diff -r "$scratch/this" "$scratch/other" >&2 || { echo "same: not the same" >&2; exit 1; }
echo "$(find "$scratch/this" -type f | wc -l) files are the same"
