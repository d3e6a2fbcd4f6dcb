#!/usr/bin/env python3
"""Compares gpuccl measure with scikit-image on random label images of all types.

Usage: measure.py GPUCCL. 200 label images, and 10,000 with GPUCCL_LONG. Exit status 77, skipped, without
scikit-image.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy
    from skimage.measure import regionprops_table
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

PROPERTIES = ["label", "area", "bbox", "centroid", "extent", "equivalent_diameter_area"]
OF_IMAGES = ["axis_major_length", "axis_minor_length", "eccentricity"]
OF_INTENSITY = ["intensity_mean", "intensity_min", "intensity_max"]
TYPES = ["u1", "u2", "u4", "u8", "i2", "i4", "i8", "f4", "f8"]


def random_labels(random, kind):
    """Boxes that overlap, so that objects touch and consist of several pieces."""
    shape = tuple(random.integers(1, 40, 2)) if random.random() < 0.6 else tuple(random.integers(2, 16, 3))
    dtype = numpy.dtype(kind)
    largest = 2**24 if kind == "f4" else 2**53 if kind == "f8" else min(numpy.iinfo(dtype).max, 2**63 - 1)
    values = random.integers(1, largest, random.integers(1, 9), endpoint=True)
    labels = numpy.zeros(shape, dtype)
    for _ in range(random.integers(0, 20)):
        first = [random.integers(0, size) for size in shape]
        place = tuple(slice(at, at + random.integers(1, 9)) for at in first)
        labels[place] = random.choice(values)
    return labels


def expected(labels, samples):
    """regionprops_table of scikit-image: it takes labels of 1 to N, of which it makes as many regions."""
    values, numbers = numpy.unique(labels, return_inverse=True)
    numbers = numbers.reshape(labels.shape) + (1 if values[0] != 0 else 0)
    names = PROPERTIES + OF_INTENSITY + (OF_IMAGES if labels.ndim == 2 else [])
    table = regionprops_table(numbers, samples, properties=names)
    present = [value for value in values if value != 0]
    return {int(value): {name: table[name][i] for name in table} for i, value in enumerate(present)}


def measured(gpuccl, labels, samples, folder):
    numpy.save(folder / "labels.npy", labels)
    numpy.save(folder / "samples.npy", samples)
    command = [gpuccl, "measure", folder / "labels.npy", "--intensity", folder / "samples.npy", "--stats", "-",
               "--quiet", "--measure", "shape,intensity"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {int(row["label"]): row for row in csv.DictReader(io.StringIO(text))}


def is_close(ours, theirs, tolerance):
    return abs(float(ours) - float(theirs)) <= tolerance * max(1, abs(float(theirs)))


def check(labels, ours, theirs):
    assert set(ours) == set(theirs), (sorted(ours), sorted(theirs))
    axes = "xyz"[: labels.ndim]
    for value, row in ours.items():
        region = theirs[value]

        def same(name, number, tolerance=0.0):
            assert is_close(row[name], number, tolerance), (value, name, row[name], number)

        same("area", region["area"])
        for axis, name in enumerate(reversed(axes)):
            same(name + "0", region[f"bbox-{axis}"])
            same(name + "1", region[f"bbox-{labels.ndim + axis}"] - 1)
            same("c" + name, region[f"centroid-{axis}"], 1e-12)
        same("extent", region["extent"], 1e-12)
        same("equivalent_diameter_area", region["equivalent_diameter_area"], 1e-12)
        same("intensity_mean", region["intensity_mean"], 1e-12)
        same("intensity_min", region["intensity_min"])
        same("intensity_max", region["intensity_max"])
        for name in OF_IMAGES if labels.ndim == 2 else []:
            same(name, region[name], 1e-6)  # scikit-image's own rounding is as large


def check_written(gpuccl, labels, folder):
    """The label image of the two largest objects has their values, or 1 and 2."""
    out = folder / "out.npy"
    values, areas = numpy.unique(labels[labels != 0], return_counts=True)
    command = [gpuccl, "measure", folder / "labels.npy", "--quiet", "-o", out, "--largest", "2"]
    subprocess.run([*command, "--relabel"], check=True)
    relabeled = numpy.load(out)
    assert relabeled.max(initial=0) == min(2, len(values))
    if labels.max(initial=0) >= 2**31 or labels.dtype.kind == "f":
        return  # label images have 32 bits, and those of floats as many as their type keeps exactly
    subprocess.run(command, check=True)
    written = numpy.load(out)
    assert ((written != 0) == (relabeled != 0)).all()
    kept = numpy.unique(written[written != 0])
    assert all((labels == value)[written == value].all() for value in kept)
    least = min((areas[values == value][0] for value in kept), default=0)
    assert all(area <= least for value, area in zip(values, areas) if value not in kept)


def main():
    gpuccl, cases = sys.argv[1], 10000 if os.environ.get("GPUCCL_LONG") else 200
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in range(cases):
            labels = random_labels(random, TYPES[case % len(TYPES)])
            samples = random.integers(0, 65536, labels.shape).astype("u2")
            try:
                check(labels, measured(gpuccl, labels, samples, folder), expected(labels, samples))
                check_written(gpuccl, labels, folder)
            except Exception:
                print(f"case {case}: {labels.dtype}, {labels.shape}", file=sys.stderr)
                raise
    print(f"{cases} label images are measured as by scikit-image")


if __name__ == "__main__":
    main()
