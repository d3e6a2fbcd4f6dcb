#!/usr/bin/env bash
# compute-sanitizer's four tools on the small images of the GPU tests; racecheck, which is the slowest by far, on one
# image and one volume unless told otherwise.
#
# racecheck reports every access to shared memory that is not ordered by a barrier. Union-find has those by design
# (union_find.hpp says why a stale link is harmless), and they are all made through lib/src/cuda/device/memory.cuh or
# by atomic operations. A hazard between any other accesses is a failure; after 20,000 hazards it stops telling, for
# printing is what takes its time. Races in global memory, which no tool sees, show as unequal labels in the test that
# labels again and again.
#
#   tests/cuda/sanitize.sh build/release/tests/cuda/gpu_tests ['test names or tags']
set -uo pipefail
program=${1:?usage: sanitize.sh path/to/gpu_tests [tests]}
tests=${2:-}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Reads what racecheck prints, counts its hazards and shows those that are not meant.
unmeant_hazards() {
  awk '
    function settle() {
      if (hazard == "") return
      if (meant == 2) ++links; else if (++others <= 5) print hazard accesses
      hazard = ""
    }
    /hazard detected/ { settle(); hazard = $0; accesses = ""; meant = 0; next }
    hazard != "" && / Thread .* at / {
      accesses = accesses "\n" $0
      if (/in memory\.cuh:/ || /[Aa]tomic/) ++meant
      next
    }
    /^skipped|test cases|All tests/
    END { settle(); printf "SUMMARY: %d stale links, as meant; %d other hazards\n", links, others; exit others > 0 }'
}

check() {
  if [ "$1" = racecheck ]; then
    compute-sanitizer --tool racecheck --racecheck-report hazard --show-backtrace no --print-limit 20000 \
      "$program" "${tests:-[one]}" | unmeant_hazards
  else
    compute-sanitizer --tool "$1" --error-exitcode 99 "$program" "${tests:-[small]}"
  fi
}

failed=0
printf '%-10s %-8s %s\n' tool result summary
for tool in memcheck racecheck initcheck synccheck; do
  check "$tool" >"$log" 2>&1
  case $? in
    0) result=clean ;;
    77) result=skipped ;;
    *) result="FAILED" failed=1 ;;
  esac
  printf '%-10s %-8s %s\n' "$tool" "$result" "$(grep -E 'SUMMARY|skipped' "$log" | tail -n 1 | sed 's/^=* *//')"
  [ "$result" != FAILED ] || sed -n '1,40p' "$log" >&2
done
exit "$failed"
