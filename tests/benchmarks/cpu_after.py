#!/usr/bin/env python3
"""Times measure, match and contacts of label images in host memory by numbers of threads and prints a Markdown table.

    cpu_after.py [--small] [THREADS...]    1 2 4 8 16 threads by default, as far as there are CPUs

Each number of threads has its own process, which may use as many CPUs. A time is the minimum of several calls, in
milliseconds. The bound is the time to read the arrays once, at the speed at which as many threads copy. Results of all
numbers of threads are compared.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
from label_images import discs, noise

BASIC = ("label", "area", "bbox", "centroid")
SAMPLES = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std")
SLOW_S = 1.5


def best_ms(action):
    times = []
    while len(times) < 20 and (len(times) < 3 or sum(times) < SLOW_S):
        begin = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3, result


def copy_bytes_per_ms(threads):
    one, two = numpy.ones(1 << 28, numpy.uint8), numpy.ones(1 << 28, numpy.uint8)
    pieces = [slice(i * one.size // threads, (i + 1) * one.size // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        ms, _ = best_ms(lambda: list(pool.map(lambda piece: numpy.copyto(two[piece], one[piece]), pieces)))
    return 2 * one.size / ms


def digest(result):
    if isinstance(result, dict):
        result = {name: value.tobytes().hex() if hasattr(value, "tobytes") else value for name, value in result.items()}
    return hashlib.sha256(repr(result).encode()).hexdigest()


def time_all(threads, folder):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    import gpuccl  # which starts its threads

    speed = copy_bytes_per_ms(threads)
    rows = {}
    for image in sorted(os.listdir(folder)):
        labels = numpy.load(os.path.join(folder, image))
        # Each element belongs to the nearest object along the rows, so that objects touch.
        dense, shifted = numpy.maximum(labels, numpy.roll(labels, 24, -1)), numpy.roll(labels, 5, -1)
        samples = numpy.random.default_rng(2).integers(0, 60000, labels.shape, dtype=numpy.uint16)
        real = samples.astype(numpy.float32)
        n = labels.size
        for work, size, action in (
                ("measure", 4 * n, lambda: gpuccl.measure(labels, None, BASIC)),
                ("intensities, uint16", 6 * n, lambda: gpuccl.measure(labels, samples, BASIC + SAMPLES)),
                ("intensities, float32", 8 * n, lambda: gpuccl.measure(labels, real, BASIC + SAMPLES)),
                ("match", 8 * n, lambda: gpuccl.match(labels, shifted)),
                ("contacts", 4 * n, lambda: gpuccl.contacts(dense))):
            ms, result = best_ms(action)
            rows[f"{image[:-4]} | {work}"] = {"ms": ms, "bound": size / speed, "digest": digest(result)}
    json.dump(rows, sys.stdout)


def main(words):
    if words[:1] == ["--time"]:
        return time_all(int(words[1]), words[2])
    import gpuccl

    side, depth = (2048, 128) if "--small" in words else (8192, 512)
    counts = [int(word) for word in words if word != "--small"] or [1, 2, 4, 8, 16]
    counts = [count for count in counts if count <= len(os.sched_getaffinity(0))]
    with tempfile.TemporaryDirectory() as folder:
        for name, mask in ((f"{side}x{side} discs", discs(numpy, (side, side), 32)),
                           (f"{side}x{side} noise .5/4", noise(numpy, (side, side), 0.5, 4)),
                           (f"{depth}^3 balls", discs(numpy, (depth,) * 3, 16))):
            numpy.save(os.path.join(folder, name.replace("/", " by ")), gpuccl.label(mask)[0])
        results = [json.loads(subprocess.run([sys.executable, __file__, "--time", str(count), folder], check=True,
                                             stdout=subprocess.PIPE).stdout) for count in counts]
    print("| image | work | " + " | ".join(f"{count} (bound)" for count in counts) + " |")
    print("|---|---|" + "--:|" * len(counts))
    for row in results[0]:
        assert len({result[row]["digest"] for result in results}) == 1, f"results of {row} depend on threads"
        times = (f"{result[row]['ms']:.1f} ({result[row]['bound']:.1f})" for result in results)
        print(f"| {row.replace(' by ', '/')} | " + " | ".join(times) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
