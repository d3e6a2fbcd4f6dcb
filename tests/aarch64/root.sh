#!/usr/bin/env bash
# root.sh FOLDER PACKAGE...: libraries for 64-bit ARM, with what they need, from this Debian's or Ubuntu's archive into a
# folder of their own. Needs no root, and ARM becomes no architecture of this machine. The cross compiler brings glibc.
set -euo pipefail
root=$1
shift
[ "$(cat "$root/packages" 2>/dev/null)" != "$*" ] || exit 0
rm -rf "$root"
mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
root=$(cd "$root" && pwd)

. /etc/os-release
case "$ID ${ID_LIKE:-}" in
  *ubuntu*) archive="http://ports.ubuntu.com/ubuntu-ports $UBUNTU_CODENAME main universe" ;;
  *) archive="http://deb.debian.org/debian ${VERSION_CODENAME:?only Debian and Ubuntu have the archive} main" ;;
esac
echo "deb $archive" >"$root/apt/sources.list"
: >"$root/apt/status"  # nothing is installed there yet
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= -o Debug::NoLocking=true \
    -o Dir::Etc::sourcelist="$root/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$root/apt" \
    -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt/cache" "$@"
}
apt update
apt install -y --no-install-recommends --download-only "$@" >/dev/null
for package in "$root"/apt/cache/archives/*.deb; do
  case ${package##*/} in libc6* | libc-dev-bin* | linux-libc-dev*) continue ;; esac
  dpkg-deb -x "$package" "$root"
done
rm -rf "$root/apt"
find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
echo "$*" >"$root/packages"
