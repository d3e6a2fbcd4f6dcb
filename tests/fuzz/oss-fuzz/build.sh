#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz asks for them: its compilers and flags are in the environment, $OUT receives programs,
# libraries, seeds and dictionaries. FUZZERS: some of them only.
cd "$SRC/gpuccl"
read -ra fuzzers <<<"${FUZZERS:-png tiff npy nifti nrrd metaimage pnm zarr stack options report view parts runs}"

# Programs run where no library is installed: all are searched for next to them, also by each other (no new tags).
cmake -S . -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS="${LDFLAGS:-} -Wl,--disable-new-dtags" \
  -DGPUCCL_CUDA=OFF -DGPUCCL_MPI=OFF -DGPUCCL_TESTS=OFF -DGPUCCL_FUZZ=ON -DGPUCCL_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$WORK/build" --target "${fuzzers[@]/#/fuzz_}"

mkdir -p "$OUT/lib"
for fuzzer in "${fuzzers[@]}"; do
  program=$WORK/build/tests/fuzz/fuzz_$fuzzer seeds=$WORK/seeds/$fuzzer
  cp "$program" "$OUT/"
  ldd "$program" | awk '$3 ~ "^/" && $1 !~ /^(libc|libm|libdl|librt|libpthread|libresolv)\.so/ { print $3 }' |
    xargs -r cp -Lt "$OUT/lib"
  tests/fuzz/seeds.sh "$fuzzer" "$seeds"
  (cd "$seeds" && zip -q -r "$OUT/fuzz_${fuzzer}_seed_corpus.zip" .)
  for words in "$seeds.dictionary" "tests/fuzz/dictionaries/$fuzzer.dict"; do
    if [ -s "$words" ]; then cp "$words" "$OUT/fuzz_$fuzzer.dict"; fi
  done
  printf '[libfuzzer]\nmax_len = 5000\ntimeout = 10\n' >"$OUT/fuzz_$fuzzer.options"
done
