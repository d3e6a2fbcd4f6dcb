#!/usr/bin/env bash
# compute-sanitizer's four tools on the small images of the GPU tests. racecheck sees shared memory only; races in
# global memory show as unequal labels in the test that labels again and again.
#
#   tests/cuda/sanitize.sh build/release/tests/cuda/gpu_tests ['test names or tags']
set -uo pipefail
program=${1:?usage: sanitize.sh path/to/gpu_tests [tests]}
tests=${2:-[small]}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

failed=0
printf '%-10s %-8s %s\n' tool result summary
for tool in memcheck racecheck initcheck synccheck; do
  compute-sanitizer --tool "$tool" --error-exitcode 99 "$program" "$tests" >"$log" 2>&1
  code=$?
  case $code in
    0) result=clean ;;
    77) result=skipped ;;
    *) result="FAILED" failed=1 ;;
  esac
  printf '%-10s %-8s %s\n' "$tool" "$result" "$(grep -E 'SUMMARY|skipped' "$log" | tail -n 1 | sed 's/^=* *//')"
  [ "$result" != FAILED ] || sed -n '1,40p' "$log" >&2
done
exit "$failed"
