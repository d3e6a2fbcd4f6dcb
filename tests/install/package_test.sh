#!/usr/bin/env bash
# package_test.sh BUILD_DIR [FOLDER]: makes .deb packages of what is built, unpacks them into an empty root, runs the
# program there, builds a program against the library, and removes them. FOLDER keeps the packages. 77 (skipped) where
# packages cannot be made.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../data
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "package: $*" >&2; exit 1; }

cpack --config "$build/CPackConfig.cmake" -B "$scratch/made" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "cpack failed"; }
root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
names=()
for package in "$scratch"/made/*.deb; do
  names+=("$(dpkg-deb --field "$package" Package)")
  if [ "$(id -u)" = 0 ]; then
    dpkg --root="$root" --force-depends --install "$package" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "dpkg failed"; }
  else
    dpkg-deb --extract "$package" "$root"
  fi
done
case "${names[*]}" in
  "gpuccl libgpuccl-dev" | "gpuccl-cuda libgpuccl-cuda-dev") ;;
  *) fail "packages are called ${names[*]}" ;;
esac

# The program needs the libraries that it is linked with, and CUDA's are not among them.
depends=$(dpkg-deb --field "$scratch/made/${names[0]}"_*.deb Depends)
for library in libc6 libpng16 libtiff libtbb libdeflate libfmt libpugixml; do
  case "$depends" in *"$library"*) ;; *) fail "${names[0]} does not depend on $library but on: $depends" ;; esac
done
case "$depends" in *cuda* | *nvidia*) fail "${names[0]} depends on CUDA: $depends" ;; esac

for file in bin/gpuccl share/man/man1/gpuccl.1 share/man/man1/gpuccl-label.1 \
  share/bash-completion/completions/gpuccl include/gpuccl/engine.hpp include/gpuccl/gpuccl.h \
  "share/doc/${names[0]}/copyright" "share/doc/${names[1]}/copyright"; do
  [ -e "$root/usr/$file" ] || fail "not in the packages: $file"
done
contents=$(for package in "$scratch"/made/*.deb; do dpkg-deb --contents "$package"; done)  # images of containers drop pages
for file in "${names[0]}/README.md" "${names[0]}/docs/library.md" "${names[1]}/examples/label.cpp"; do
  grep -qF "share/doc/$file" <<<"$contents" || fail "not in the packages: $file"
done
"$root/usr/bin/gpuccl" --version
"$root/usr/bin/gpuccl" label "$data/page.png" -o "$scratch/page.tiff" --device cpu --quiet
[ -s "$scratch/page.tiff" ] && [ -s "$scratch/page.json" ] || fail "the program wrote nothing"

"$here/consume.sh" "$build" "$root/usr" "$scratch/consumer"

if [ "$(id -u)" = 0 ]; then
  dpkg --root="$root" --remove "${names[@]}" >/dev/null 2>&1 || fail "cannot be removed"
  left=$(find "$root/usr" ! -type d 2>/dev/null || true)
  [ -z "$left" ] || fail "not removed: $left"
fi
if [ -n "${2:-}" ]; then
  mkdir -p "$2"
  cp "$scratch"/made/*.deb "$2"
fi
echo "packed, installed, used and removed: ${names[*]}"
