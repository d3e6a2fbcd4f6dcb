#!/usr/bin/env bash
# finish.sh FOLDER VERSION: writes NOTES.md of a release and SHA256SUMS of all files in FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/notes.py" "$here/../CHANGELOG.md" "$2" "$1" >"$1/NOTES.md.new"
cd "$1"
mv NOTES.md.new NOTES.md
find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
