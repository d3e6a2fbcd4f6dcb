#!/bin/sh
# Labels a folder of many small images, every twentieth of them broken, in one process and watches its memory and
# descriptors: soak.sh GPUCCL [FILES] [FOLDER FOR SCRATCH] [DEVICE]. The short form is a test; the long form has 10,000
# files. With DEVICE cuda, the memory of the GPU is watched too.
set -eu
gpuccl=$1 files=${2:-400} device=${4:-cpu}
scratch=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/gpuccl-soak-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
most=300  # MiB
export ASAN_OPTIONS="quarantine_size_mb=8:${ASAN_OPTIONS:-}"  # freed memory that AddressSanitizer keeps is not ours
if [ "$device" = cpu ]; then export CUDA_VISIBLE_DEVICES=; else most=1000; fi
gpu_memory() {
  if [ "$device" = cpu ]; then echo 0; else nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits; fi
}

fail() { echo "soak: $*" >&2; exit 1; }

# A few images, under many names.
mkdir "$scratch/made" "$scratch/in"
for seed in 1 2 3 4 5 6 7 8; do
  "$gpuccl" generate random --size "$((200 + 40 * seed))x300" --density 0.3 --granularity 2 --seed "$seed" -o "$scratch/made/$seed.png"
  head -c 700 "$scratch/made/$seed.png" >"$scratch/made/$seed.broken"
done
broken=0 i=0
while [ "$i" -lt "$files" ]; do
  kind=png
  if [ $((i % 20)) -eq 7 ]; then kind=broken broken=$((broken + 1)); fi
  ln "$scratch/made/$((i % 8 + 1)).$kind" "$scratch/in/$i.png"
  i=$((i + 1))
done

"$gpuccl" label "$scratch/in" -o "$scratch/out/" --stats "$scratch/all.csv" --report "$scratch/run.jsonl" --jobs 8 \
  --no-fsync --device "$device" 2>"$scratch/messages" &
child=$!
# A sample: files done, kilobytes resident, descriptors open, megabytes of the GPU.
while [ -d "/proc/$child/fd" ]; do
  memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$child/status" 2>/dev/null) || break
  [ -n "$memory" ] || break
  echo "$(find "$scratch/out" -name '*.json' 2>/dev/null | wc -l) $memory $(ls "/proc/$child/fd" 2>/dev/null | wc -l) $(gpu_memory)"
  sleep 0.1
done >"$scratch/samples"
code=0
wait "$child" || code=$?

tail -n 1 "$scratch/messages"
[ "$code" -eq 65 ] || fail "exit code $code instead of 65"
[ "$(tail -n 1 "$scratch/messages")" = "gpuccl: $((files - broken)) of $files labeled, $broken failed: bad data (65)" ] ||
  fail "wrong count"
# Lines of progress, "3100 of 10000, 155 failed, 310/s, 22 s left", come and go with the time it takes.
# The first failure, the others with the same reason, and the count.
[ "$(grep -vc ' left$' "$scratch/messages")" -eq 3 ] || fail "not one line for equal failures"
[ "$(find "$scratch/out" -name '*.tiff' | wc -l)" -eq $((files - broken)) ] || fail "wrong number of label images"
[ "$(wc -l <"$scratch/run.jsonl")" -eq "$files" ] || fail "wrong number of lines in the report"
[ -z "$(find "$scratch" -name '.gpuccl-*')" ] || fail "unfinished files"

# Once everything is warm nothing grows: least squares over the second half of the files done.
awk -v files="$files" -v most="$most" '
  $1 >= files / 2 { n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2 }
  $1 >= files / 2 && $1 < files { if (!low || $4 < low) low = $4; if ($4 > high) high = $4 }
  { if ($2 > memory) memory = $2; if ($3 > descriptors) descriptors = $3 }
  END {
    spread = n * xx - x * x
    slope = n > 2 && spread > 0 ? (n * xy - x * y) / spread * 1000 : 0
    printf "soak: %d samples, peak %.1f MiB, %d descriptors, %.0f KiB more a thousand files", NR, memory / 1024, descriptors, slope
    if (high > 0) printf ", %d to %d MiB of the GPU", low, high
    print ""
    if (descriptors > 120) { print "soak: too many descriptors"; exit 1 }
    # A thousand lines of noise in a short run say nothing of a slope.
    if (files >= 5000 && slope > 1024) { print "soak: memory grows"; exit 1 }
    if (high > low + 64) { print "soak: memory of the GPU grows"; exit 1 }
    if (memory > most * 1024) { print "soak: too much memory"; exit 1 }
  }' "$scratch/samples"
