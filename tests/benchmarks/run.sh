#!/usr/bin/env bash
# run.sh [--gpu|--python|--packages|--formats|--batch] [ARGUMENTS]: compares speed with other programs on this machine.
#   (none)     OpenCV, scikit-image, SimpleITK and cc3d
#   --gpu      CuPy, cuCIM, bkeccl, CV-CUDA, NPP and kornia on this machine's GPU, correctness before time
#   --python   the same through the Python package that is installed, and what follows labeling
#   --packages scikit-image, fast-regionprops, nyxus, surface-distance, MONAI, tilewise-ccl and streamccl
#   --formats  .npy, NIfTI and Zarr compared with raw TIFF, in and out
#   --batch    one process for 2,000 pages compared with one process per page
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
. release/setup.sh

what=${1:-} here=tests/benchmarks gpuccl=build/release/app/gpuccl
if [ "$what" = --python ]; then
  "${PYTHON:-python3}" -c 'import cupy, gpuccl' ||
    { say "install a wheel of gpuccl with CUDA and cupy-cuda13x; and bkeccl, cucim-cu13, kornia to compare them"; exit 1; }
  "${PYTHON:-python3}" $here/gpu_peers.py "$@"
  exec "${PYTHON:-python3}" $here/gpu_after.py
fi
case $what in --gpu | --packages | --formats | --batch) shift ;; esac
install_missing needs needs_of_tests
build release gpuccl cpu_timing -- -DGPUCCL_TESTS=ON
install_packages python3-opencv python3-skimage python3-tifffile
case $what in
  --gpu)
    "${PYTHON:-python3}" -c 'import cupy, numpy' ||
      { say "CuPy is missing: pip install cupy-cuda13x, and bkeccl, cucim-cu13, cvcuda-cu13, nvidia-npp or kornia to compare them"; exit 1; }
    exec "${PYTHON:-python3}" $here/gpu_peers.py --gpuccl $gpuccl "$@" ;;
  --packages)
    "${PYTHON:-python3}" -c 'import gpuccl, numpy' || { say "install a wheel of gpuccl, and the packages to compare them"; exit 1; }
    PATH=$PWD/build/release/app:$PATH exec "${PYTHON:-python3}" -W ignore $here/python_peers.py "$@" ;;
  --batch) exec /usr/bin/python3 $here/batch.py --gpuccl $gpuccl "$@" ;;
  --formats)  # Debian has no packages of some writers
    [ -x build/formats/bin/python ] || { install_packages python3-venv && python3 -m venv build/formats; }
    build/formats/bin/python -m pip install --quiet --disable-pip-version-check numpy tifffile nibabel zarr
    exec build/formats/bin/python $here/formats.py --gpuccl $gpuccl "$@" ;;
esac
# Debian has no packages of these. They stay out of the system's folders, and are left out if they cannot be installed.
for peer in cc3d=connected-components-3d SimpleITK=SimpleITK cv2=opencv-python-headless; do
  [ -d "build/peers/${peer%=*}" ] ||
    /usr/bin/python3 -m pip install --quiet --no-deps --target build/peers "${peer#*=}" ||
    say "${peer%=*} could not be installed, the comparison goes without it"
done
PYTHONPATH=build/peers exec /usr/bin/python3 $here/peers.py --gpuccl $gpuccl "$@"
