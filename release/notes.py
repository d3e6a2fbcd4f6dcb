#!/usr/bin/env python3
"""Prints the notes of a release: the version's section of CHANGELOG.md, and a table of the files in FOLDER.

    notes.py CHANGELOG VERSION FOLDER
"""

import pathlib
import re
import sys

#: What a file is for, by the end of its name; the first that fits.
FILES = (
    (r"\.whl$", "Python package with the program: `pip install`"),
    (r"\.tar\.gz$", "Python source package; builds with `pip install`"),
    (r"^libgpuccl.*\.deb$", "C++ library for Debian 12"),
    (r"\.deb$", "program for Debian 12: `apt install`"),
    (r"\.tar\.xz$", "program and its libraries for other x86-64 Linux machines: unpack and run"),
    (r"\.spdx\.json$", "list of what is linked into each file (SPDX 2.3)"),
)


def section(changelog, version):
    found = re.search(rf"^## {re.escape(version)}(?=\s)([^\n]*)\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if found is None or not found[2].strip():
        raise SystemExit(f"notes.py: CHANGELOG.md has no section {version}")
    if "unreleased" in found[1]:
        print(f"notes.py: CHANGELOG.md lists {version} as unreleased; set its date before you publish", file=sys.stderr)
    return found[2].strip()


def table(folder):
    rows = ["| file | size | for |", "|---|--:|---|"]
    for path in sorted(pathlib.Path(folder).iterdir()):
        purpose = next((purpose for pattern, purpose in FILES if re.search(pattern, path.name)), None)
        if purpose is not None:
            rows.append(f"| `{path.name}` | {path.stat().st_size / 1e6:.1f} MB | {purpose} |")
    return "\n".join(rows)


def notes(changelog, version, folder):
    return f"# gpuccl {version}\n\n{section(changelog, version)}\n\n## Files\n\n{table(folder)}\n\nCheck them with `sha256sum -c SHA256SUMS`.\n"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(notes(pathlib.Path(sys.argv[1]).read_text(), sys.argv[2], sys.argv[3]), end="")
