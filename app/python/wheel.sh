#!/usr/bin/env bash
# wheel.sh FOLDER [PYTHON...]: wheels of the package in FOLDER/dist, one for each PYTHON (the one that python3 is), with the
# program in them. Nothing but the C library is needed where they are installed: all else is linked statically, oneTBB
# from Debian's source package, which no distribution has as a static library. Variables: CUDA=ON builds for all GPUs.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- python3
root=$(cd "$(dirname "$0")/../.." && pwd)
say() { printf '== %s\n' "$*" >&2; }

# oneTBB as a static library.
if [ ! -e "$folder/tbb/lib/libtbb.a" ]; then
  say "building oneTBB"
  mkdir -p "$folder/lists/partial"
  . /etc/os-release
  echo "deb-src http://deb.debian.org/debian ${VERSION_CODENAME:-bookworm} main" >"$folder/sources.list"
  options=(-o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists")
  apt-get "${options[@]}" update -qq
  (cd "$folder" && apt-get "${options[@]}" source -qq --download-only onetbb)
  rm -rf "$folder/onetbb"
  mkdir "$folder/onetbb"
  tar -xf "$folder"/onetbb_*.orig.tar.* -C "$folder/onetbb" --strip-components=1
  cmake -S "$folder/onetbb" -B "$folder/onetbb/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_PREFIX=$folder/tbb" \
    "-DCMAKE_CXX_FLAGS=-ffile-prefix-map=$folder=" >"$folder/onetbb.log"
  cmake --build "$folder/onetbb/build" --target install >>"$folder/onetbb.log"
fi

rm -rf "$folder/dist"
mkdir -p "$folder/dist"
for python; do
  say "building the wheel for $("$python" --version)"
  tag=$("$python" -c 'import sys; print(f"cp{sys.version_info[0]}{sys.version_info[1]}")')
  [ -e "$folder/$tag/complete" ] || {
    "$python" -m venv --clear "$folder/$tag"
    "$folder/$tag/bin/python" -m pip install --quiet --disable-pip-version-check nanobind scikit-build-core wheel
    touch "$folder/$tag/complete"
  }
  PATH=$folder/$tag/bin:$PATH "$folder/$tag/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --wheel-dir "$folder/made" \
    -C "build-dir=$folder/$tag/build" -C "cmake.define.GPUCCL_STATIC=ON" -C "cmake.define.GPUCCL_CUDA=${CUDA:-OFF}" \
    -C "cmake.define.GPUCCL_ALL_GPUS=ON" -C "cmake.define.TBB_DIR=$folder/tbb/lib/cmake/TBB" \
    -C "cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER:-}" "$root"
  "$folder/$tag/bin/python" -m wheel tags --remove --platform-tag "manylinux_2_34_$(uname -m)" "$folder"/made/*.whl >/dev/null
  mv "$folder"/made/*.whl "$folder/dist"
done
ls -l "$folder/dist"
