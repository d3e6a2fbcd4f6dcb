#!/usr/bin/env bash
# manylinux.sh [--glibc] ELF_FILE: fails unless the file runs where manylinux_2_34 does: it needs libraries that every Linux
# has, and no newer symbols. With --glibc, checks only symbols of the C library; exits with 77 (skipped) if that library is
# not Debian 12's, with which wheels are built.
set -euo pipefail
file=${*: -1}
fail() { echo "wheel: ${file##*/} needs $*" >&2; exit 1; }
# newest PREFIX BOUND: of symbols with such versions.
newest() {
  local found
  found=$(objdump -T "$file" | grep -oE "\<$1_[0-9][0-9.]*" | sort -Vu | tail -1 || true)
  [ -z "$found" ] || [ "$(printf '%s\n%s_%s\n' "$found" "$1" "$2" | sort -V | tail -1)" = "$1_$2" ] || fail "$found"
}
if [ $# -gt 1 ]; then
  [ "$(getconf GNU_LIBC_VERSION)" = "glibc 2.36" ] || { echo "skipped: another C library"; exit 77; }
  newest GLIBC 2.34
  exit
fi
needed=$(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' |
  grep -vE '^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.[0-9]+|ld-linux-.*\.so\.[0-9]+)$' || true)
[ -z "$needed" ] || fail "$needed"
newest GLIBC 2.34
newest GCC 7.0.0
[ -z "$(objdump -T "$file" | grep -E 'GLIBCXX_|CXXABI_')" ] || fail "the C++ library"
