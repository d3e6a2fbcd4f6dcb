"""values.py GPUCCL: labels by --values, --delta and --periodic, and contacts, are those of connected-components-3d.

Exit status 77, skipped, where a module is missing.
"""
import csv
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
    """Labels, renumbered in the order of gpuccl."""
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


def expect_periodic(gpuccl, folder, values, connectivity, axes):
    found = labeled(gpuccl, folder, values, "-c", connectivity, "--periodic", axes)
    expected = in_raster_order(cc3d.connected_components(values, connectivity=connectivity, periodic_boundary=True))
    assert np.array_equal(found, expected), (values.shape, connectivity, "periodic")


def expect_contacts(gpuccl, folder, labels, connectivity):
    """The number of neighbors, and the area of faces where elements are of 2 by 3 by 5.

    Not by 26: there cc3d 4.1.1 counts corners that are none, and others when axes change places.
    """
    np.save(folder / "labels.npy", labels)
    table = subprocess.run([gpuccl, "contacts", folder / "labels.npy", "-c", str(connectivity), "--spacing", "2,3,5,um"],
                           check=True, capture_output=True, text=True).stdout
    count, area = {}, {}
    for row in csv.DictReader(table.splitlines()):
        pair = int(row["label_a"]), int(row["label_b"])
        count[pair] = sum(int(row[name]) for name in ("faces_x", "faces_y", "faces_z", "edges", "corners"))
        area[pair] = float(row["area_physical"])
    of_xyz = labels.transpose(2, 1, 0)
    assert count == cc3d.contacts(of_xyz, connectivity=connectivity, surface_area=False), connectivity
    areas = cc3d.contacts(of_xyz, connectivity=connectivity, surface_area=True, anisotropy=(2, 3, 5))
    assert area == areas, connectivity


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
        for shape, connectivity, axes in (((60, 70), 4, "x,y"), ((60, 70), 8, "x,y"), ((7, 30, 40), 6, "x,y,z")):
            expect_periodic(gpuccl, folder, random.integers(0, 4, shape).astype("uint16"), connectivity, axes)
        natural = (np.kron(random.integers(0, 5, (5, 6, 7)), np.ones((8, 8, 8))) +
                   (random.random((40, 48, 56)) < 0.02)).astype("uint8")
        for connectivity in (6, 18, 26):
            expect(gpuccl, folder, natural, connectivity)
        for connectivity in (6, 18):
            expect_contacts(gpuccl, folder, natural.astype("uint32"), connectivity)
            expect_contacts(gpuccl, folder, random.integers(0, 9, (7, 30, 40)).astype("uint32"), connectivity)


main()
