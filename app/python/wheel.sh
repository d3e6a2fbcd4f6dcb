#!/usr/bin/env bash
# wheel.sh FOLDER [PYTHON...]: builds wheels in FOLDER/dist, one for each PYTHON (default python3), with the program in them.
# They need only the C library: everything else is linked statically. oneTBB, {fmt}, and libtiff without JBIG (whose
# library is under the GPL), are built from Debian's sources. Variables: CUDA=ON builds for all GPUs, or for those in CUDAARCHS.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- python3
root=$(cd "$(dirname "$0")/../.." && pwd)
say() { printf '== %s\n' "$*" >&2; }
# One compiler for all Pythons; some of them name another.
export CC=${CC:-gcc} CXX=${CXX:-g++}
# Times in archives.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}

# static_library SOURCE_PACKAGE OPTIONS_OF_CMAKE...: builds it from Debian's patched source and installs it in FOLDER/static.
static_library() {
  local package=$1 work=$folder/$1
  shift
  [ ! -e "$folder/static/$package" ] || return 0
  say "building $package"
  rm -rf "$work"
  mkdir -p "$work" "$folder/lists/partial"
  . /etc/os-release
  printf 'deb-src http://deb.debian.org/debian%s %s%s main\n' '' "${VERSION_CODENAME:-bookworm}" '' \
    -security "${VERSION_CODENAME:-bookworm}" -security >"$folder/sources.list"
  local options=(-o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=-
    -o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update -qq
  (cd "$work" && apt-get "${options[@]}" source -qq "$package" >"$work.log")
  mv "$work"/*/ "$work/source"
  cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_PREFIX=$folder/static" \
    "-DCMAKE_C_FLAGS=-ffile-prefix-map=$folder=" "-DCMAKE_CXX_FLAGS=-ffile-prefix-map=$folder=" "$@" >>"$work.log"
  cmake --build "$work/build" --target install >>"$work.log"
  sed -n 's/^Version: //p' "$work/$package"_*.dsc >"$folder/static/$package"
}
static_library onetbb -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON
static_library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
static_library tiff -Djbig=OFF -Djpeg12=OFF -Dcxx=OFF -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF

rm -rf "$folder/dist" "$folder/made"
mkdir -p "$folder/dist"
for python; do
  say "building the wheel for $("$python" --version)"
  tag=$("$python" -c 'import sys; print(f"cp{sys.version_info[0]}{sys.version_info[1]}")')
  [ -e "$folder/$tag/complete" ] || {
    "$python" -m venv --clear "$folder/$tag"
    "$folder/$tag/bin/python" -m pip install --quiet --disable-pip-version-check nanobind scikit-build-core wheel
    touch "$folder/$tag/complete"
  }
  settings=()  # pip before 23.1 has no -C
  for setting in build-dir="$folder/$tag/build" cmake.define.GPUCCL_STATIC=ON cmake.define.GPUCCL_CUDA="${CUDA:-OFF}" \
    cmake.define.GPUCCL_ALL_GPUS=ON cmake.define.GPUCCL_OPTIONAL_LIBRARIES=REQUIRED cmake.define.GPUCCL_LINK_MAPS=ON \
    cmake.define.CMAKE_PREFIX_PATH="$folder/static" cmake.define.CMAKE_CXX_COMPILER_LAUNCHER="${LAUNCHER:-}" \
    cmake.define.CMAKE_CUDA_COMPILER_LAUNCHER="${LAUNCHER:-}"; do
    settings+=(--config-settings "$setting")
  done
  PATH=$folder/$tag/bin:$PATH "$folder/$tag/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --wheel-dir "$folder/made" \
    "${settings[@]}" \
    "$root"
  "$folder/$tag/bin/python" -m wheel tags --remove --platform-tag "manylinux_2_34_$(uname -m)" "$folder"/made/*.whl >/dev/null
  "$folder/$tag/bin/python" "$root/app/python/recompress.py" "$folder"/made/*.whl
  mv "$folder"/made/*.whl "$folder/dist"
done
ls -l "$folder/dist"
