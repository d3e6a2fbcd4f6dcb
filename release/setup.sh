# Sourced by `dev` and the scripts for packages: installs what is missing (apt), configures and builds.

say() { printf '== %s\n' "$*" >&2; }

# apt packages by what proves that they are there, so that a machine that has them needs neither apt nor root.
needs() {
  cat <<'EOF'
g++ command -v g++
cmake command -v cmake
ninja-build command -v ninja
git command -v git
pkg-config command -v pkg-config
zlib1g-dev has zlib.h
libpng-dev has png.h
libtiff-dev has tiffio.h
libdeflate-dev has libdeflate.h
libisal-dev has isa-l.h
libtbb-dev has tbb/version.h
libcli11-dev has CLI/CLI.hpp
libfmt-dev has fmt/core.h
nlohmann-json3-dev has nlohmann/json.hpp
libpugixml-dev has pugixml.hpp
libjpeg-dev has jpeglib.h
libzstd-dev has zstd.h
liblz4-dev has lz4.h
libblosc-dev has blosc.h
libhdf5-dev pkg-config --exists hdf5-serial || pkg-config --exists hdf5
EOF
}
needs_of_tests() { echo 'catch2 has catch2/catch.hpp || has catch2/catch_all.hpp'; }

has() { echo "#include <$1>" | "${CXX:-g++}" -E -x c++ - -o /dev/null; }

install_missing() {  # install_missing NEEDS...
  local missing=() package proof
  while read -r package proof; do
    eval "$proof" >/dev/null 2>&1 || missing+=("$package")
  done < <(for list; do "$list"; done)
  [ "${#missing[@]}" -eq 0 ] || install_packages "${missing[@]}" ||
    say "continuing: cmake also searches CMAKE_PREFIX_PATH, such as a conda environment"
}

install_packages() {
  local sudo=()
  say "installing $*"
  if [ "$(id -u)" != 0 ]; then sudo=(sudo); fi
  if ! command -v apt-get >/dev/null || { [ "${#sudo[@]}" -gt 0 ] && ! command -v sudo >/dev/null; }; then
    echo "dev: cannot install without apt and root; these are missing, by their names in Debian and Ubuntu: $*" >&2
    return 1
  fi
  "${sudo[@]}" apt-get update -qq || say "the lists of packages could not be updated"
  if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; then
    echo "dev: apt-get could not install: $*" >&2
    return 1
  fi
}

# Prints whether builds for this machine include CUDA: kernels take two fifths of the time, and only a GPU can run them.
cuda_here() {
  case ${CUDA:-} in
    ON | OFF) echo "$CUDA" ;;
    *) if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then echo AUTO; else echo OFF; fi ;;
  esac
}

have_nvcc() { [ "${CUDA:-}" != OFF ] && { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }; }

# Prints the option for the GPUs of a build for other machines: all, unless CUDAARCHS says which.
gpus_elsewhere() {
  if [ -n "${CUDAARCHS:-}" ]; then echo "-DCMAKE_CUDA_ARCHITECTURES=${CUDAARCHS//,/;}"; else echo -DGPUCCL_ALL_GPUS=ON; fi
}

# build PRESET [TARGETS... --] [OPTIONS OF CMAKE...]; compiles through ccache where there is one.
build() {
  local preset=$1 targets=() options=() log
  # Other compilers and sanitizers warn of other things, some of them wrong: warnings count where everybody builds.
  case $preset in sanitize | tsan) ;; *) options=(-DGPUCCL_WERROR="${GPUCCL_WERROR:-OFF}") ;; esac
  case $preset in release) options+=(-DGPUCCL_CUDA="$(cuda_here)") ;; esac
  shift
  case " $* " in *' -- '*) while [ "$1" != -- ]; do targets+=("$1"); shift; done; shift ;; esac
  if command -v ccache >/dev/null && [ -z "${CCACHE_DISABLE:-}" ]; then  # without it, precompiled headers are used
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # clones in other folders share what is compiled
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  say "configuring and building ($preset)"
  log=$(mktemp)
  cmake --preset "$preset" "${options[@]}" "$@" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  rm -f "$log"
  cmake --build --preset "$preset" ${targets[@]+--target "${targets[@]}"}
}

# Prints the libraries that a program loads, without the C library and the CUDA driver.
libraries_of() {
  ldd "$1" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libpthread|libdl|librt|libcuda)\.so'
}

# Prints the wheel that a Python installs: of its own version before 3.12, else of the stable interface.
wheel_of() {
  local minor
  minor=$("$1" -c 'import sys; print(sys.version_info[1])')
  if [ "$minor" -lt 12 ]; then ls build/wheel/dist/*-cp3"$minor"-cp3"$minor"-*.whl; else ls build/wheel/dist/*-cp312-abi3-*.whl; fi
}
