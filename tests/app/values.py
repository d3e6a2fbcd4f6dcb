"""values.py GPUCCL: labels by --values and --delta are those of connected-components-3d.

Exit status 77, skipped, where a module is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import cc3d
    import numpy as np
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


def labeled(gpuccl, folder, values, *words):
    np.save(folder / "in.npy", values)
    subprocess.run([gpuccl, "label", folder / "in.npy", "--values", "--label-type", "u32", "--quiet",
                    "-o", folder / "out.npy", *map(str, words)], check=True)
    return np.load(folder / "out.npy").reshape(values.shape)


def in_raster_order(labels):
    """The same labels, numbered as gpuccl numbers them."""
    values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first[values != 0])
    numbers = np.zeros(len(values), np.uint32)
    numbers[np.flatnonzero(values != 0)[order]] = np.arange(1, len(order) + 1)
    return numbers[inverse].reshape(labels.shape)


def expect(gpuccl, folder, values, connectivity, delta=0):
    words = ["-c", connectivity] + (["--delta", delta] if delta or values.dtype.kind == "f" else [])
    found = labeled(gpuccl, folder, values, *words)
    expected = in_raster_order(cc3d.connected_components(values, connectivity=connectivity, delta=delta))
    assert np.array_equal(found, expected), (values.dtype, values.shape, connectivity, delta)


def main():
    gpuccl = sys.argv[1]
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for dtype in TYPES:
            for connectivity in (6, 18, 26):
                expect(gpuccl, folder, random.integers(0, 4, (7, 30, 70)).astype(dtype), connectivity)
            for connectivity in (4, 8):
                expect(gpuccl, folder, random.integers(0, 4, (60, 70)).astype(dtype), connectivity)
        for connectivity in (6, 18, 26):
            expect(gpuccl, folder, random.integers(0, 60, (7, 30, 70)).astype("uint16"), connectivity, 3)
            expect(gpuccl, folder, random.random((7, 30, 70)).astype("float32"), connectivity, 0.0625)
        natural = (np.kron(random.integers(0, 5, (5, 6, 7)), np.ones((8, 8, 8))) +
                   (random.random((40, 48, 56)) < 0.02)).astype("uint8")
        for connectivity in (6, 18, 26):
            expect(gpuccl, folder, natural, connectivity)


main()
