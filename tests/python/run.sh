#!/usr/bin/env bash
# run.sh PYTHON PACKAGE_DIR PROGRAM [ARGUMENTS OF PYTEST...]: runs the tests of the Python package. 77 (skipped) where it is
# not built, or PYTHON lacks the packages that it is compared with.
set -euo pipefail
[ $# -ge 3 ] || { echo "skipped: built without the Python package (GPUCCL_PYTHON_PACKAGE=ON, which needs nanobind)"; exit 77; }
python=$1 package=$2 program=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
"$python" -c 'import pytest, numpy, scipy, skimage, cc3d, dask.array' ||
  { echo "skipped: $python lacks packages of PyPI; ./dev test installs them"; exit 77; }
PYTHONPATH=$package GPUCCL_PROGRAM=$program PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q -p no:cacheprovider \
  "$here" "$@"
