#!/usr/bin/env bash
# Checks labels, memory and speed on a machine with a GPU before a release, in about ten minutes. Builds
# nothing: FOLDER holds gpu_tests, gpu_timing and gpuccl, as build/release has them (or release/bundle, and gpu_timing).
# With OLD, a folder with another gpu_timing, the two take turns and are compared case by case.
#
#   tests/cuda/gpu_proof.sh FOLDER [OLD]
#
# The last lines are a table with a line a check. The exit status is 1 if one of them failed.
set -uo pipefail
folder=$(cd "${1:?usage: gpu_proof.sh FOLDER [OLD]}" && pwd)
old=${2:+$(cd "$2" && pwd)}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

program() { find "$1" -maxdepth 3 -type f -name "$2" -perm -u+x | head -1; }
gpu_tests=$(program "$folder" gpu_tests) gpu_timing=$(program "$folder" gpu_timing) gpuccl=$(program "$folder" gpuccl)

row() { printf '%-28s %-8s %s\n' "$@" >>"$work/table"; }

# check NAME SECONDS COMMAND...: runs it, keeps what it prints, and a line for the table with its last line.
check() {
  local name=$1 limit=$2 begin=$SECONDS result=ok status
  shift 2
  printf '== %s\n' "$name"
  timeout "$limit" "$@" >"$work/$name" 2>&1
  status=$?
  [ "$status" = 0 ] || result=FAILED failed=1
  [ "$status" != 124 ] || result=TIMEOUT
  [ "$status" != 77 ] || result=skipped
  tail -n 40 "$work/$name"
  row "$name" "$result" "$((SECONDS - begin)) s, $(grep -v '^$' "$work/$name" | tail -n 1 | sed 's/^=* *//' | cut -c1-90)"
}

# Case and milliseconds of `runs` with consecutive numbers, a line a case, from what gpu_timing prints.
runs_ms() {
  awk '/connectivity/ { split($0, parts, ":"); name = parts[1] }
       $1 == "runs" { for (i = 1; i < NF; ++i) if ($i == "numbers") printf "%s\t%.4f\n", name, $2 + $(i + 1) }' "$1"
}
# Prints the minimum of several lists, line by line.
least() { sort -t "$(printf '\t')" -k 1,1 -k 2,2g "$@" | awk -F'\t' '!seen[$1]++'; }

check gpu_tests 300 "$gpu_tests"
check sanitize 150 "$here/sanitize.sh" "$gpu_tests" "[one]"
check gpu_timing 60 "$gpu_timing" runs runs-bytes bke buf
runs_ms "$work/gpu_timing" >"$work/new.1"

check label_files 90 "$gpu_timing" --files runs bke

check bench 60 "$gpuccl" bench --algo runs --device cuda --size 8192x8192 --densities 0.5 --granularities 8 --images 1 \
  --repetitions 30 --preallocated --json "$work/bench.json"
bench_ms=$(awk '/"name": "numbered"/ { found = 1 } found && /"median_ms"/ { gsub(/[^0-9.]/, ""); print; exit }' "$work/bench.json")
timing_ms=$(awk -F'\t' '/8192x8192x1, 8-connectivity, density 0.5 granularity 8/ { print $2 }' "$work/new.1")
row "bench against gpu_timing" "$(awk -v a="${bench_ms:-0}" -v b="${timing_ms:-0}" 'BEGIN { print (b > 0 && a > 0.9 * b && a < 1.1 * b) ? "ok" : "DIFFERS" }')" \
  "runs, 8192x8192, 0.5, 8: $bench_ms and $timing_ms ms"

if [ -n "$old" ]; then
  old_timing=$(program "$old" gpu_timing)
  for round in 1 2; do
    "$old_timing" runs >"$work/old.text" && runs_ms "$work/old.text" >"$work/old.$round"
    "$gpu_timing" runs >"$work/new.text" && runs_ms "$work/new.text" >"$work/new.$((round + 1))"
  done
  least "$work"/old.[12] >"$work/old.least"
  least "$work"/new.[123] >"$work/new.least"
  while IFS=$'\t' read -r name before now; do
    row "old and new" "$(awk -v a="$before" -v b="$now" 'BEGIN { print b <= 1.03 * a ? "ok" : "SLOWER" }')" \
      "$name: $before -> $now ms"
  done < <(join -t $'\t' "$work/old.least" "$work/new.least")
fi

printf '\n%-28s %-8s %s\n' check result "what it says"
cat "$work/table"
! grep -qE '^.{28} (DIFFERS|SLOWER)' "$work/table" || failed=1
exit "$failed"
