#!/usr/bin/env bash
# seeds.sh TARGET FOLDER: fills FOLDER with inputs from which the fuzzer fuzz_TARGET begins: the samples, third-party
# files where there are any, and what fuzzers found before. For options, FOLDER.dictionary gets their words, too.
set -euo pipefail
target=$1
mkdir -p "$2"
seeds=$(readlink -f "$2")
cd "$(dirname "$(readlink -f "$0")")/../.."

# Arrays of numpy, one in each order of bytes and of axes.
npy_seeds() {
  local type fortran header
  for type in '|u1' '>i2' '<f8'; do
    for fortran in False True; do
      header="{'descr': '$type', 'fortran_order': $fortran, 'shape': (2, 3, 2), }"
      { printf '\223NUMPY\1\0v\0%-117s\n' "$header"; head -c 96 /dev/urandom; } >"$1/${type#?}-$fortran"
    done
  done
}

# A TIFF of 9 x 2 pixels in one strip, of 1 bit in either order of bytes, and of 8 bits by PackBits.
tiff_seeds() {
  local entry count=9
  le() { printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8)))"; }
  be() { printf "\\$(printf %o $(($1 >> 8)))\\$(printf %o $(($1 & 255)))"; }
  one() {  # one ORDER BITS COMPRESSION STRIP_BYTES
    local at=$((8 + 2 + 12 * count + 4))
    "$1" 42; [ "$1" = le ] && { le 8; le 0; } || { be 0; be 8; }
    "$1" "$count"
    for entry in "256 9" "257 2" "258 $2" "259 $3" "262 1" "273 $at" "277 1" "278 2" "279 $4"; do
      "$1" "${entry% *}"; "$1" 3
      [ "$1" = le ] && { le 1; le 0; } || { be 0; be 1; }
      "$1" "${entry#* }"; "$1" 0
    done
    "$1" 0; "$1" 0
  }
  { printf II; one le 1 1 4; printf abcd; } >"$1/little"
  { printf MM; one be 1 1 4; printf abcd; } >"$1/big"
  { printf II; one le 8 32773 6; printf '\370a\370b\200\200'; } >"$1/packbits"
}

# A NIfTI-1 of 3 x 2 x 2 samples of 16 bits, and the same compressed.
nifti_seeds() {
  { printf '\134\1'; head -c 38 /dev/zero; printf '\3\0\3\0\2\0\2\0'; head -c 22 /dev/zero; printf '\4\0\20\0'
    head -c 34 /dev/zero; printf '\0\0\260\103'; head -c 232 /dev/zero; printf 'n+1\0\0\0\0\0'; head -c 24 /dev/urandom; } >"$1/plain"
  gzip -c "$1/plain" >"$1/zipped"
}

nrrd_seeds() {
  local header='NRRD0004\ntype: short\ndimension: 3\nsizes: 4 3 2\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,2)\n'
  header+='space origin: (1,2,3)\nspace units: "mm" "mm" "mm"\nkinds: domain domain domain\nendian: big\n'
  { printf "${header}encoding: raw\n\n"; head -c 48 /dev/urandom; } >"$1/raw"
  { printf "${header}encoding: gzip\n\n"; head -c 48 /dev/urandom | gzip -c; } >"$1/gzip"
}

metaimage_seeds() {
  local header='ObjectType = Image\nNDims = 3\nBinaryDataByteOrderMSB = True\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n'
  header+='Offset = 1 2 3\nElementSpacing = 1 1 2\nDimSize = 4 3 2\nElementType = MET_SHORT\n'
  { printf "${header}ElementDataFile = LOCAL\n"; head -c 48 /dev/urandom; } >"$1/raw"
  { printf "${header}CompressedData = True\nElementDataFile = LOCAL\n"; head -c 48 /dev/urandom | gzip -c; } >"$1/gzip"
}

# Metadata of both versions, before chunks.
zarr_seeds() {
  local v2='"shape":[3,4],"chunks":[2,2],"dtype":"<u2","fill_value":1,"order":"F","filters":null,"zarr_format":2'
  local ome='"multiscales":[{"axes":[{"name":"y","type":"space","unit":"micrometer"},{"name":"x"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[2,3]},{"type":"translation","translation":[2,3]}]}]}]'
  local v3='"zarr_format":3,"node_type":"array","data_type":"uint8","fill_value":0,"chunk_key_encoding":{"name":"default"},"dimension_names":["y","x"]'
  local grid='"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2]}}' bytes='{"name":"bytes"}'
  local shard='{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"codecs":['$bytes'],"index_codecs":['$bytes',{"name":"crc32c"}],"index_location":"end"}}'
  local codec
  for codec in null '{"id":"zlib"}' '{"id":"gzip"}' '{"id":"zstd"}' '{"id":"lz4"}' '{"id":"blosc"}'; do
    printf 'a{%s,"compressor":%s}\0aabbccdd' "$v2" "$codec" >"$1/v2-${codec//[^a-z0-9]/}"
  done
  printf '2{%s}\0{%s,"compressor":null}\0aabbccdd' "$ome" "$v2" >"$1/ome-v2"
  for codec in "$bytes" "$bytes,"'"gzip"' "$bytes,"'"zstd","crc32c"' '{"name":"transpose","configuration":{"order":[1,0]}},'"$bytes" "$shard"; do
    printf 'v{%s,"shape":[3,4],%s,"codecs":[%s]}\0abcd' "$v3" "$grid" "$codec" >"$1/v3-$(cksum <<<"$codec" | cut -d ' ' -f 1)"
  done
  printf '3{"node_type":"group","attributes":{"ome":{%s}}}\0{%s,"shape":[3,4],%s,"codecs":[%s]}\0abcd' "$ome" "$v3" "$grid" "$bytes" >"$1/ome-v3"
}

# Every kind of PNM, a BMP with a palette and one of colors, and a gray JPEG of 8 x 8 pixels.
pnm_seeds() {
  local kind
  for kind in 1 2 3; do printf "P$kind 2 2 # a comment\n1 1 1 0 1 1 0 1 1 1 0 1 1 1 1\n" >"$1/$kind"; done
  printf 'P4 9 2\nabcd' >"$1/4"
  printf 'P5 2 2 300\nabcdefgh' >"$1/5"
  printf 'P6 2 2 255\nabcdefghijkl' >"$1/6"
  { printf 'BM\0\0\0\0\0\0\0\0\76\0\0\0\50\0\0\0\11\0\0\0\2\0\0\0\1\0\1\0'; head -c 16 /dev/zero; printf '\2\0\0\0'; head -c 16 /dev/urandom; } >"$1/bitmap"
  { printf 'BM\0\0\0\0\0\0\0\0\66\0\0\0\50\0\0\0\3\0\0\0\376\377\377\377\1\0\30\0'; head -c 48 /dev/urandom | tr '\1-\377' '\0'; } >"$1/colors"
  { printf '\377\330\377\333\0C\0'; head -c 64 /dev/zero | tr '\0' '\1'; printf '\377\300\0\13\10\0\10\0\10\1\1\21\0'
    printf '\377\304\0\24\0\1'; head -c 15 /dev/zero; printf '\0\377\304\0\24\20\1'; head -c 15 /dev/zero
    printf '\0\377\332\0\10\1\1\0\0\77\0\77\377\331'; } >"$1/jpeg"
}

# Answer of the process of libhdf5 for 3x4 elements in one chunk, and where that is.
hdf5_seeds() {
  printf '\004\000\000\000\120\000\000\000\010\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\002\000\000\000\003\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\001\000\000\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\004\000\000\000\034\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\014\000\000\000\000\000\000\000\000\000\000\000\001\000\000\000' >"$1/said"
}

# A report for a page of an image, and of a volume, and attributes of a Zarr; the first byte chooses.
report_seeds() {
  local head='"gpuccl":"1","options":"","hints":[],"intensity":null,"input":{"path":"a.png","foreground_rule":"nonzero","geometry":null},'
  head+='"labeling":{"algorithm":"runs","device":{"name":"CPU"},"connectivity":8}'
  printf '\1{%s,"components":[{"label":1,"area":3,"bbox":[0,0,2,2],"centroid":[0.5,1],"extent":0.75},{"label":2,"area":1,"bbox":[4,0,5,1],"centroid":[4,0],"extent":null}]}' "$head" >"$1/image"
  printf '\3{%s,"components":[{"label":7,"area":3,"bbox":[0,0,0,2,2,1],"centroid":[0.5,1,0],"channel":"red"}]}' "$head" >"$1/volume"
  printf '\2{"multiscales":[{"axes":["y","x"]}],"a":[NaN,-Infinity,123456789012345678901234567890,1e400,"\\u0000"]}' >"$1/attributes"
}

# Tables of an image and of a volume; the first byte chooses, and where the table is cut.
view_seeds() {
  printf 'alabel,area,x0,y0,x1,y1,cx,cy,extent\n1,3,0,0,2,2,0.5,1,0.75\n2,1,4,0,5,1,4,0,\n' >"$1/image"
  printf 'blabel,area,x0,y0,z0,x1,y1,z1,cx,cy,cz,volume\r\n5,3,0,0,0,2,2,1,0.5,1,0,1e300\r\n' >"$1/volume"
}

case $target in png | tiff | npy | nifti | nrrd | metaimage | pnm | hdf5 | zarr | stack | runs | options | report | view | parts) ;; *)
  echo "seeds.sh: unknown target $target" >&2; exit 64 ;;
esac
case $target in
  png) find data tests/fuzz/crashes "${GPUCCL_SHARED:-../shared}" -name '*.png' -size -5k ;;
  tiff) tiff_seeds "$seeds"; find data tests/fuzz/crashes "${GPUCCL_SHARED:-../shared}" -name '*.tif*' -size -5k ;;
  npy) npy_seeds "$seeds" ;;
  nifti) nifti_seeds "$seeds" ;;
  nrrd) nrrd_seeds "$seeds" ;;
  metaimage) metaimage_seeds "$seeds" ;;
  pnm) pnm_seeds "$seeds" ;;
  hdf5) hdf5_seeds "$seeds"; find tests/io/hdf5 tests/fuzz/crashes -name '*.h5' -size -7k ;;
  zarr) zarr_seeds "$seeds" ;;
  stack) printf '1.png\n10.tif\n' >"$seeds/two"; printf '1.png\r\n\n 1.png \n' >"$seeds/twice" ;;
  report) report_seeds "$seeds" ;;
  view) view_seeds "$seeds" ;;
  parts) for file in 0 1 2 3 4 5; do printf "\\$file\1\1\2\1" >"$seeds/$file"; done ;;
  runs) printf 'a\1b\2c\3d' >"$seeds/one" ;;
  options)
    printf '%s\n' in.png -o out.tif -c 8 --threshold otsu --min-size 3 >"$seeds/one"
    printf '%s\n' a.png @list --stack -o out/ --format npy --jobs 3 --memory 3G --stats-dir s --keep-going >"$seeds/many"
    grep -ohE '"[-|a-z0-9.]{2,20}"' app/options/*.cpp app/label/*_options.cpp | tr -d '"' | tr '|' '\n' | sort -u |
      sed 's/.*/"&"/' >"$seeds.dictionary" ;;
esac 2>/dev/null | xargs -r -d '\n' cp -t "$seeds" || true
