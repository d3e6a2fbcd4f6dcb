#!/usr/bin/env python3
"""Compares what follows labeling with cuCIM and CuPy on an NVIDIA GPU and prints a Markdown table.

All arrays are in GPU memory before and after a call. A time is the median of a call that is waited for, in milliseconds.
The bound is the time to read and write the arrays once at the speed of a copy in the same run. Values are compared in the
same run, too; "cpu" is the same call of gpuccl on arrays in host memory. cuCIM is left out if it cannot be loaded.
"""
import importlib
import statistics
import sys
import time

try:
    import cupy
    import numpy
    from cupyx.scipy import ndimage
except ImportError as problem:
    print(f"gpu_after.py: {problem}; install cupy-cuda13x")
    sys.exit(77)

import gpuccl
from label_images import discs, noise

SLOW_MS = 1500
BASIC = ("label", "area", "bbox", "centroid")
SAMPLES = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std")
SHAPES = ("axis_major_length", "axis_minor_length", "euler_number", "extent")
OF_IMAGES = ("eccentricity", "orientation", "perimeter")
HULLS = ("area_convex", "solidity", "feret_diameter_max", "feret_diameter_min")
RANKS = ("intensity_median", "intensity_p5", "intensity_p95")
OF_VOLUMES = ("surface_crofton",)  # cuCIM has none


def optional(name):
    try:
        return importlib.import_module(name)
    except Exception as problem:  # of whatever kind: the others are still compared
        print(f"without {name}: {problem}", file=sys.stderr)


measure, morphology = optional("cucim.skimage.measure"), optional("cucim.skimage.morphology")


def median_ms(action):
    times = []
    while len(times) < 13 and (len(times) < 4 or sum(times) < SLOW_MS):
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        action()
        cupy.cuda.runtime.deviceSynchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times[len(times) // 3 :])  # without the first, which allocate and compile


def hollow(mask):
    """Elements whose neighbors up to three steps along each axis are set."""
    inside = mask.copy()
    for axis in range(mask.ndim):
        for step in (-3, 3):
            inside &= cupy.roll(mask, step, axis)
    return inside


def same(ours, theirs):
    return all(numpy.allclose(cupy.asnumpy(ours[name]), cupy.asnumpy(theirs[name]), rtol=1e-4) for name in theirs)


def equal(ours, theirs):
    return bool((cupy.asarray(ours) == cupy.asarray(theirs)).all())


def largest_of(mask, structure):
    labels, _ = ndimage.label(mask, structure)
    return labels == cupy.bincount(labels.ravel())[1:].argmax() + 1


def rows(mask):
    """(work, bytes read and written, gpuccl's call, that on the CPU or None, the peer's or None, whether values agree)"""
    structure = numpy.ones((3,) * mask.ndim, bool)
    labels, count = gpuccl.label(mask)
    image = cupy.random.default_rng(2).integers(0, 60000, mask.shape, dtype=numpy.uint16)
    shifted = cupy.roll(labels, 5, -1)
    rings = mask & ~hollow(mask)
    # Each element belongs to the nearest object along the rows, so that objects touch.
    dense = cupy.maximum(labels, cupy.roll(labels, 24, -1))
    host_labels, host_image, host_shifted, host_mask, host_dense = map(cupy.asnumpy, (labels, image, shifted, mask, dense))
    n = mask.size
    each = (3,) * mask.ndim
    yield "label", 5 * n, lambda: gpuccl.label_async(mask)[0], None, lambda: ndimage.label(mask, structure)[0], equal
    yield ("label(stats=True)", 5 * n, lambda: gpuccl.label(mask, stats=True)[2], None, None, None)
    yield ("measure: area, box, centroid", 4 * n, lambda: gpuccl.measure(labels, None, BASIC),
           lambda: gpuccl.measure(host_labels, None, BASIC),
           measure and (lambda: measure.regionprops_table(labels, properties=BASIC)), same)
    yield ("measure: and mean, min, max, std", 6 * n, lambda: gpuccl.measure(labels, image, BASIC + SAMPLES),
           lambda: gpuccl.measure(host_labels, host_image, BASIC + SAMPLES),
           measure and (lambda: measure.regionprops_table(labels, image, properties=BASIC + SAMPLES)), same)
    shapes = BASIC + SAMPLES + SHAPES + (OF_IMAGES if mask.ndim == 2 else OF_VOLUMES)
    of_both = tuple(name for name in shapes if name not in OF_VOLUMES)
    yield ("measure: and axes, Euler number, " + ("perimeter" if mask.ndim == 2 else "surface"), 6 * n,
           lambda: gpuccl.measure(labels, image, shapes), lambda: gpuccl.measure(host_labels, host_image, shapes),
           measure and (lambda: measure.regionprops_table(labels, image, properties=of_both)),
           lambda a, b: same({name: a[name] for name in b if name != "orientation"}, {name: b[name] for name in b if name != "orientation"}))
    yield ("measure: axes alone", 4 * n, lambda: gpuccl.measure(labels, None, ("axis_major_length",)), None, None, None)
    if mask.ndim == 2:
        yield ("measure: hulls, Feret diameters", 4 * n, lambda: gpuccl.measure(labels, None, HULLS),
               lambda: gpuccl.measure(host_labels, None, HULLS), None, None)
    yield ("measure: median, percentiles", 6 * n, lambda: gpuccl.measure(labels, image, RANKS),
           lambda: gpuccl.measure(host_labels, host_image, RANKS), None, None)
    yield ("clean: min_size", 2 * n, lambda: gpuccl.clean(mask, min_size=300), lambda: gpuccl.clean(host_mask, min_size=300),
           morphology and (lambda: morphology.remove_small_objects(mask, max_size=299, connectivity=mask.ndim)), equal)
    yield ("clean: largest", 2 * n, lambda: gpuccl.clean(mask, largest=1), lambda: gpuccl.clean(host_mask, largest=1),
           lambda: largest_of(mask, structure), lambda a, b: int(a.sum()) == int(b.sum()))
    yield ("clean: clear_border", 2 * n, lambda: gpuccl.clean(mask, clear_border=True), None, None, None)
    yield ("clean: fill_holes (rings)", 2 * n, lambda: gpuccl.clean(rings, fill_holes=True), None,
           lambda: ndimage.binary_fill_holes(rings), equal)

    def unique_pairs(a, b):
        keys = a.astype(numpy.int64) * (count + 1) + b
        found, counts = cupy.unique(keys[keys > 0], return_counts=True)
        return {"pairs": len(found), "pixels": counts.sum()}

    def our_pairs():
        table = gpuccl.match(labels, shifted, pairs=True)[1]
        return table

    yield ("match", 8 * n, our_pairs, lambda: gpuccl.match(host_labels, host_shifted),
           lambda: unique_pairs(labels, shifted), lambda a, b: None)
    yield ("contacts", 4 * n, lambda: gpuccl.contacts(dense), lambda: gpuccl.contacts(host_dense), None,
           None)
    expected, found = gpuccl.contacts(host_dense), gpuccl.contacts(dense)
    assert all(numpy.array_equal(expected[name], cupy.asnumpy(found[name])) for name in expected), "contacts differ"
    assert repr(gpuccl.match(labels, shifted)) == repr(gpuccl.match(host_labels, host_shifted)), "matches differ"
    shapes += RANKS + (HULLS if mask.ndim == 2 else ())
    table, ours = gpuccl.measure(host_labels, host_image, shapes), gpuccl.measure(labels, image, shapes)
    assert all(numpy.array_equal(table[name], cupy.asnumpy(ours[name])) for name in table), "measures differ"


def main():
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    one, two = cupy.zeros(1 << 29, numpy.uint8), cupy.zeros(1 << 29, numpy.uint8)
    per_ms = 2 * one.size / median_ms(lambda: cupy.copyto(two, one))
    del one, two
    print(f"{name}, copy {per_ms / 1e9:.2f} TB/s; gpuccl {gpuccl.__version__}, CuPy {cupy.__version__}\n")
    print("| image | work | bound | gpuccl | bounds | cuCIM or CuPy | factor | agree | gpuccl on CPU |")
    print("|---|---|--:|--:|--:|--:|--:|---|--:|")
    cases = {"8192x8192 discs": discs(cupy, (8192, 8192), 32), "8192x8192 noise .5/4": noise(cupy, (8192, 8192), 0.5, 4),
             "512^3 balls": discs(cupy, (512,) * 3, 16), "2048x2048 discs": discs(cupy, (2048, 2048), 32)}
    for image, mask in cases.items():
        for work, size, ours, on_cpu, theirs, agree in rows(mask):
            bound, took = size / per_ms, median_ms(ours)
            cells = ["", "", ""]
            if theirs:
                try:
                    other = median_ms(theirs)
                    cells = [f"{other:.2f}", f"{other / took:.0f}", str(agree(ours(), theirs()))]
                except Exception as problem:
                    cells = [f"{type(problem).__name__}: {problem}"[:60], "", ""]
            cpu = f"{median_ms(on_cpu):.1f}" if on_cpu else ""
            print(f"| {image} | {work} | {bound:.3f} | {took:.3f} | {took / bound:.1f} | {' | '.join(cells)} | {cpu} |", flush=True)
        cupy.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main()
