#!/usr/bin/env python3
"""Compares gpuccl with the Python packages that measure, score, and label out of core, and prints a Markdown table.

    python_peers.py [--small]

The packages: scikit-image, fast-regionprops and nyxus (measures), surface-distance and MONAI (distances), tilewise-ccl
and streamccl (Zarr arrays). One that is missing is left out. A time is the minimum of calls in turns, in milliseconds of
all CPUs, with those of finished processes, so that other work on the machine changes little.
Values agree if they are equal within 1e-5 of their size; other values are named with what a package returns.
"""
import importlib
import importlib.metadata
import os
import resource
import shutil
import sys
import tempfile

import gpuccl
import numpy
from label_images import discs
from partition import verdict

TURNS, SLOW_S = 5, 20
PACKAGES = ("scikit-image", "fast-regionprops", "nyxus", "surface-distance", "monai", "tilewise-ccl", "streamccl", "zarr")
SHARED = ("label", "area", "bbox", "centroid", "intensity_mean", "intensity_min", "intensity_max", "intensity_std")


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cpu_s():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def best(*actions):
    """For each action the minimum of its times in ms, and what it returned. The actions take turns."""
    times, results = [[] for _ in actions], [None] * len(actions)
    for _ in range(TURNS):
        for i, action in enumerate(actions):
            if sum(times[i]) > SLOW_S:
                continue
            begin = cpu_s()
            results[i] = action()
            times[i].append(cpu_s() - begin)
    return [(min(t) * 1e3, result) for t, result in zip(times, results)]


def agree(theirs, ours):
    """A cell of the table: "yes", or the first value of each column that differs."""
    wrong = []
    for name, (their, our) in {name: (theirs[name], ours[name]) for name in ours}.items():
        their, our = numpy.asarray(their, float), numpy.asarray(our, float)
        differs = ~numpy.isclose(their, our, rtol=1e-5, atol=1e-9, equal_nan=True)
        if differs.any():
            at = int(numpy.argmax(differs))
            wrong.append(f"{name} of {differs.mean():.0%} ({their.flat[at]:.6g} instead of {our.flat[at]:.6g})")
    return "**no**: " + ", ".join(wrong) if wrong else "yes"


def compare_measures(small):
    side, depth = (1024, 96) if small else (4096, 256)
    for shape, step in (((side,) * 2, 32), ((depth,) * 3, 16)):
        labels = gpuccl.label(discs(numpy, shape, step))[0].astype(numpy.int32)
        samples = numpy.random.default_rng(2).integers(0, 60000, shape, dtype=numpy.uint16)
        name = f"measure {'x'.join(map(str, shape))}, {labels.max()} objects"

        def ours(properties=SHARED):
            return gpuccl.measure(labels, samples, properties)

        if fast := optional("fast_regionprops"):
            (their_ms, their), (ms, our) = best(lambda: fast.regionprops_table_fast(labels, samples, properties=SHARED), ours)
            yield name, "fast-regionprops", their_ms, ms, agree(their, our)
        if skimage := optional("skimage.measure"):
            (their_ms, their), (ms, our) = best(lambda: skimage.regionprops_table(labels, samples, properties=SHARED), ours)
            yield name, "scikit-image", their_ms, ms, agree(their, our)
        if (nyxus := optional("nyxus")) and len(shape) == 2:
            columns = {"AREA_PIXELS_COUNT": "area", "MEAN": "intensity_mean", "MIN": "intensity_min", "MAX": "intensity_max",
                       "EULER_NUMBER": "euler_number", "SOLIDITY": "solidity"}
            nyx = nyxus.Nyxus(list(columns), n_feature_calc_threads=len(os.sched_getaffinity(0)))
            (their_ms, frame), (ms, our) = best(lambda: nyx.featurize(samples, labels.astype(numpy.uint32)),
                                                lambda: ours(tuple(columns.values())))
            yield (name + "; area, range, mean, Euler number, solidity", "nyxus", their_ms, ms,
                   agree({name: frame[column] for column, name in columns.items()}, our))


def compare_distances(small):
    depth = 96 if small else 256
    truth = gpuccl.label(discs(numpy, (depth,) * 3, 32))[0].astype(numpy.int32)
    prediction = numpy.roll(truth, (1, 3), (0, 2))
    a, b, spacing = truth > 0, prediction > 0, (2.0, 1.0, 1.0)
    name = f"Hausdorff 95 of masks {depth}^3"

    def ours():
        return gpuccl.match(a.view(numpy.uint8), b.view(numpy.uint8), distances=True, spacing=spacing)

    def value(scores):
        return {"hausdorff_95": scores["distances"]["foreground"]["hausdorff_95"]}

    if surface := optional("surface_distance"):
        (their_ms, their), (ms, our) = best(lambda: surface.compute_robust_hausdorff(
            surface.compute_surface_distances(a, b, spacing), 95), ours)
        yield name, "surface-distance (surfaces between elements)", their_ms, ms, agree({"hausdorff_95": their}, value(our))
    if optional("torch") and (metrics := optional("monai.metrics")):
        torch = optional("torch")
        one, two = (torch.from_numpy(mask)[None, None] for mask in (a, b))
        (their_ms, their), (ms, our) = best(lambda: metrics.compute_hausdorff_distance(
            two, one, include_background=True, percentile=95, spacing=spacing).item(), ours)
        yield name, "MONAI", their_ms, ms, agree({"hausdorff_95": their}, value(our))


def compare_zarr(small, folder):
    zarr, dask = optional("zarr"), optional("dask.array")
    if not zarr or not dask:
        return
    depth = 192 if small else 512
    mask = discs(numpy, (depth,) * 3, 24).astype(numpy.uint8)
    expected = gpuccl.label(mask, 6)[0]
    source, out, other = (os.path.join(folder, name) for name in ("in.zarr", "out.zarr", "other.zarr"))
    name = f"label Zarr to Zarr, {depth}^3 in chunks of 64^3, {expected.max()} components"

    def empty(path, kind):
        shutil.rmtree(path, ignore_errors=True)
        return zarr.open_array(path, mode="w", shape=mask.shape, chunks=(64,) * 3, dtype=kind)

    empty(source, mask.dtype)[:] = mask

    def ours():
        shutil.rmtree(out, ignore_errors=True)
        return gpuccl.label_file(source, out, connectivity=6)

    def tilewise():
        labels = optional("tilewise_ccl").label_array(dask.from_zarr(source) > 0, connectivity=1)
        dask.to_zarr(labels, empty(other, labels.dtype))

    def stream():
        optional("streamccl").label(zarr.open_array(source, mode="r"), empty(other, "i8"), chunks=(64,) * 3, connectivity=1)

    for package, module, action in (("tilewise-ccl", "tilewise_ccl", tilewise), ("streamccl", "streamccl", stream)):
        if optional(module):
            (their_ms, _), (ms, _) = best(action, ours)
            yield name, package, their_ms, ms, verdict(zarr.open_array(other, mode="r")[:], expected)


def main():
    small = "--small" in sys.argv[1:]
    rows = list(compare_measures(small)) + list(compare_distances(small))
    with tempfile.TemporaryDirectory() as folder:
        rows += compare_zarr(small, folder)
    installed = []
    for package in PACKAGES:
        try:
            installed.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            installed.append(f"{package} missing")
    print(f"{len(os.sched_getaffinity(0))} CPUs; {', '.join(installed)}\n")
    print("| What | Package | its CPU ms | gpuccl CPU ms | Ratio | Values agree |\n|---|---|--:|--:|--:|---|")
    for what, package, theirs, ours, equal in rows:
        print(f"| {what} | {package} | {theirs:.1f} | {ours:.1f} | {theirs / ours:.1f}x | {equal} |")


if __name__ == "__main__":
    main()
