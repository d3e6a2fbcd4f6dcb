#!/usr/bin/env bash
# fuzz_one.sh TARGET SECONDS, for `./dev fuzz`. Seeds are the samples, third-party files if there are any, and what fuzzers
# found before.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$1 seconds=$2
corpus=build/fuzz/corpus/$target seeds=build/fuzz/seeds/$target
mkdir -p "$corpus" "$seeds" tests/fuzz/crashes
tests/fuzz/seeds.sh "$target" "$seeds"
dictionary=()
for words in "$seeds.dictionary" "tests/fuzz/dictionaries/$target.dict"; do
  [ ! -s "$words" ] || dictionary=("-dict=$words")
done
# A crash is a file in tests/fuzz/crashes. Commit it with its fix.
"build/sanitize/tests/fuzz/fuzz_$target" "${dictionary[@]}" -max_total_time="$seconds" -max_len=5000 -timeout=10 \
  -rss_limit_mb=2048 -print_final_stats=1 -print_funcs=0 -verbosity=0 -artifact_prefix="tests/fuzz/crashes/$target-" \
  "$corpus" "$seeds" 2>&1 | grep -vE '^("|INFO|#.*dictionary|stat::(new_units|slowest))'
