#!/usr/bin/env bash
# run.sh: cross-builds for 64-bit ARM, compares outputs with those of this machine, and runs the tests of lib and io under
# QEMU. Libraries come from the archive into build/aarch64-root. Tests that take minutes under emulation, or ask for what it
# does not have (other programs; huge pages), are left out.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
. release/setup.sh

needs_of_aarch64() {
  printf '%s\n' 'g++-aarch64-linux-gnu command -v aarch64-linux-gnu-g++' 'qemu-user command -v qemu-aarch64'
}
install_missing needs needs_of_tests needs_of_aarch64
say "fetching libraries for 64-bit ARM"
tests/aarch64/root.sh build/aarch64-root libpng-dev libtiff-dev libdeflate-dev libtbb-dev zlib1g-dev libcli11-dev \
  libfmt-dev nlohmann-json3-dev libpugixml-dev libzstd-dev libblosc-dev liblz4-dev libisal-dev catch2
build aarch64 gpuccl tests/lib/all tests/io/all -- -DGPUCCL_TESTS=ON
build release gpuccl -- -DGPUCCL_TESTS=OFF
say "its files of the samples, and this machine's"
tests/aarch64/same_test.sh build/release/app/gpuccl qemu-aarch64 -L /usr/aarch64-linux-gnu "$PWD/build/aarch64/app/gpuccl"
ctest --preset aarch64
