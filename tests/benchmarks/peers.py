#!/usr/bin/env python3
"""Compares gpuccl with OpenCV, scikit-image, SimpleITK and cc3d on this machine and prints a Markdown table.

Every row is measured in this run: the same image in bytes, labels of 32 bits, the same number of threads, the best of
several repetitions of either side, taken in turns. A peer that cannot be imported is left out, and the table says so.
Before a library that labels is timed, its labels are compared with those of gpuccl: the partition is correct if each
component has one label and no two components share one.
"""
import argparse
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from partition import verdict

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 3  # turns of either side
SLOW_MS = 20000  # who takes so long has one


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


cv2, np, cc3d, tifffile, skimage, itk = (
    optional(n) for n in ("cv2", "numpy", "cc3d", "tifffile", "skimage", "SimpleITK"))


def best_ms(action, repetitions):
    best = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        action()
        best = min(best, (time.perf_counter() - begin) * 1e3)
    return best


class Engine:
    """The CPU engine in its own process, by tests/benchmarks/cpu_timing."""

    def __init__(self, program):
        self.program = program

    def run(self, case, connectivity, threads, repetitions, dump=None):
        kind, size, density, granularity = case
        command = [self.program, "labels", kind, "x".join(map(str, size)), density, granularity, connectivity, threads, repetitions]
        if dump:
            command.append(dump)
        return json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)


class Reference:
    """Labels by the program; none without it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def verdict(self, labels, image, connectivity, values=False):
        """Whether labels of a library are right, as a cell of the table."""
        if not self.program:
            return "not compared"
        path, out = f"{self.folder}/given.npy", f"{self.folder}/expected.npy"
        np.save(path, image)
        subprocess.run([self.program, "label", path, "-o", out, "-c", str(connectivity), "--device", "cpu", "--quiet",
                        "--label-type", "u32"] + ["--values"] * values, check=True)
        return verdict(np.asarray(labels).reshape(image.shape), np.load(out).reshape(image.shape))


def case_name(case):
    kind, size, density, granularity = case
    name = f"{kind} {'x'.join(map(str, size))}"
    if kind == "random":
        name += f", density {density}, granularity {granularity}"
    return name


def load(engine, case, connectivity, folder):
    path = os.path.join(folder, "image.raw")
    engine.run(case, connectivity, 1, 1, path)
    return np.fromfile(path, np.uint8).reshape(tuple(reversed(case[1])))


def compare_with_opencv(engine, reference, folder, thread_counts):
    page = ("page", (4853, 3387), 0.5, 1)
    noise = [("random", (2048, 2048), d, g) for g in (1, 4, 16) for d in (0.1, 0.5, 0.9)]
    for case in [page] + noise:
        image = load(engine, case, 8, folder)
        labels = np.empty(image.shape, np.int32)
        right = reference.verdict(cv2.connectedComponentsWithStats(image, connectivity=8)[1], image, 8)
        for threads in thread_counts:
            cv2.setNumThreads(threads)
            theirs = ours = float("inf")
            for _ in range(ROUNDS):
                found = engine.run(case, 8, threads, 5)
                ours = min(ours, sum(found[f"{step}_ms"] for step in ("pack", "label", "statistics", "render")))
                theirs = min(theirs, best_ms(
                    lambda: cv2.connectedComponentsWithStats(image, labels=labels, connectivity=8), 5))
            yield f"{case_name(case)}: labels and statistics", threads, "OpenCV WithStats", theirs, ours, "", right


def compare_with_cc3d(engine, reference, folder, thread_counts, sides):
    for side in sides:
        size = (side, side, side)
        for case in [("blobs", size, 0.5, 1), ("random", size, 0.5, 4), ("random", size, 0.1, 1), ("random", size, 0.5, 1)]:
            volume = load(engine, case, 26, folder).astype(bool)
            right = reference.verdict(cc3d.connected_components(volume, connectivity=26, binary_image=True),
                                      volume.view(np.uint8), 26)
            theirs = float("inf")
            ours = {threads: float("inf") for threads in thread_counts}
            for _ in range(ROUNDS):
                theirs = min(theirs, best_ms(
                    lambda: cc3d.connected_components(volume, connectivity=26, binary_image=True), 1))
                for threads in thread_counts:
                    found = engine.run(case, 26, threads, 2)
                    ours[threads] = min(ours[threads], sum(found[f"{step}_ms"] for step in ("pack", "label", "render")))
            for threads in thread_counts:
                note = f"{volume.size / theirs / 1e3:.0f} against {volume.size / ours[threads] / 1e3:.0f} Mvx/s"
                if threads > 1:
                    note += f"; {ours[1] / ours[threads]:.2f}x one thread; cc3d has one"
                yield f"{case_name(case)}: labels, 26-connectivity", threads, "cc3d, binary", theirs, ours[threads], note, right


def image_of_values(kind, side):
    """Cubes of labels as of neurons or of classes as of a segmentation, bent, in blocks of 4 elements."""
    small = side // 4
    place = np.meshgrid(*[np.arange(small, dtype=np.float32)] * 3, indexing="ij", sparse=True)
    if kind == "objects":
        bends = (np.sin(place[1] / 9) * 3 + np.sin(place[2] / 6) * 2, np.sin(place[0] / 8) * 2 + np.sin(place[2] / 5) * 2,
                 np.sin(place[0] / 7) * 3 + np.sin(place[1] / 5))
        a, b, c = [((place[i] + bends[i]) * 12.6 // small).astype(np.int32) + 3 for i in range(3)]
        values = np.broadcast_to((a * 24 + b) * 24 + c + 1, (small,) * 3).astype(np.uint32)
        gaps = np.zeros(values.shape, bool)
        gaps[1:] = values[1:] != values[:-1]
        values[gaps] = 0
    else:
        waves = (np.sin(place[0] / 5 + place[1] / 7) + np.sin(place[1] / 6 - place[2] / 4)
                 + np.sin(place[2] / 7 + place[0] / 9)) * 1.5
        values = np.clip(np.rint(waves), 0, 4).astype(np.uint8)
    for axis in range(3):
        values = np.repeat(values, 4, axis=axis)
    if kind != "objects":  # what a network gets wrong
        noise = np.random.default_rng(3).integers(0, values.size, values.size // 100)
        values.reshape(-1)[noise] = 1 + noise % 4
    return values


def compare_with_cc3d_of_values(program, reference, folder, thread_counts, side):
    """The labels of equal values."""
    path = os.path.join(folder, "values.raw")
    for kind, name in (("objects", "u32 objects that touch"), ("classes", "u8 classes with noise")):
        values = image_of_values(kind, side)
        values.tofile(path)
        for connectivity in (26, 6):
            right = reference.verdict(cc3d.connected_components(values, connectivity=connectivity), values, connectivity,
                                      values=True)
            theirs = float("inf")
            ours = {threads: float("inf") for threads in thread_counts}
            for _ in range(ROUNDS):
                theirs = min(theirs, best_ms(lambda: cc3d.connected_components(values, connectivity=connectivity), 1))
                for threads in thread_counts:
                    command = [program, "values", path, f"{side}x{side}x{side}", f"u{values.itemsize * 8}", connectivity, threads, 2]
                    found = json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)
                    ours[threads] = min(ours[threads], sum(found[f"{step}_ms"] for step in ("runs", "label", "render")))
            for threads in thread_counts:
                yield (f"{name}, {side}x{side}x{side}: labels of equal values, {connectivity}-connectivity", threads, "cc3d",
                       theirs, ours[threads], f"{found['components']} components", right)


# Runs a command and prints its wall time and peak memory. A process of its own, because the peak memory of a child
# is at least what its parent had in use.
LAUNCHER = """
import os, subprocess, sys, time
begin = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print((time.perf_counter() - begin) * 1e3, usage.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def process(command):
    """Wall milliseconds and peak memory in MB of a process."""
    launched = subprocess.run([sys.executable, "-c", LAUNCHER, *map(str, command)], check=True, capture_output=True, text=True)
    milliseconds, megabytes = launched.stdout.split()
    return float(milliseconds), float(megabytes)


def compare_processes(gpuccl, script, source, folder, threads):
    theirs = ours = (float("inf"), 0)
    for _ in range(ROUNDS):
        theirs = min(theirs, process([sys.executable, HERE / script, source, f"{folder}/their.tif", f"{folder}/their.json"]))
        ours = min(ours, process([gpuccl, "label", source, "-o", f"{folder}/our.tif", "--device", "cpu", "--quiet",
                                  "--threads", threads]))
    note = f"peak memory {theirs[1]:.0f} against {ours[1]:.0f} MB"
    return theirs[0], ours[0], note


def compare_whole_programs(gpuccl, engine, folder, threads):
    if cv2 and tifffile:
        page = load(engine, ("page", (4853, 3387), 0.5, 1), 8, folder) * 255
        path = f"{folder}/page.png"
        cv2.imwrite(path, page, [cv2.IMWRITE_PNG_BILEVEL, 1])
        yield ("4853x3387 1-bit PNG to Deflate TIFF and JSON, whole process", threads,
               "OpenCV and tifffile, with Python's start",
               *compare_processes(gpuccl, "opencv_label.py", path, folder, threads))
    if skimage and tifffile:
        volume = load(engine, ("blobs", (1024, 768, 165), 0.5, 1), 26, folder) * 255
        path = f"{folder}/volume.tif"
        tifffile.imwrite(path, volume, photometric="minisblack")
        yield ("1024x768x165 8-bit TIFF to Deflate TIFF and JSON, whole process", threads,
               "scikit-image and tifffile, with Python's start",
               *compare_processes(gpuccl, "skimage_label.py", path, folder, threads))


SHAPE = ("extent", "equivalent_diameter_area", "moments_central", "inertia_tensor", "inertia_tensor_eigvals",
         "axis_major_length", "axis_minor_length")
SHAPE_OF_IMAGES = SHAPE + ("orientation", "eccentricity", "perimeter", "perimeter_crofton", "feret_diameter_max")
INTENSITY = ("intensity_min", "intensity_max", "intensity_mean", "centroid_weighted")


def peers_of_measures(labels, samples, threads):
    """Programs that measure given labels: the group of gpuccl's that is the same, who does it, and how."""
    if skimage:
        regionprops_table = importlib.import_module("skimage.measure").regionprops_table
        shape = SHAPE_OF_IMAGES if labels.ndim == 2 else SHAPE
        for group, properties, image in (("shape", shape, None), ("topology", ("euler_number",), None),
                                         ("intensity", INTENSITY, samples)):
            yield (group, "scikit-image regionprops_table",
                   lambda properties=properties, image=image: regionprops_table(labels, image, ("label",) + properties))
    if itk:
        itk.ProcessObject.SetGlobalDefaultNumberOfThreads(threads)
        given, gray = itk.GetImageFromArray(labels), itk.GetImageFromArray(samples)
        shapes, intensities = itk.LabelShapeStatisticsImageFilter(), itk.LabelIntensityStatisticsImageFilter()
        shapes.ComputePerimeterOn()
        intensities.ComputePerimeterOff()
        yield "shape", "SimpleITK LabelShapeStatistics", lambda: shapes.Execute(given)
        yield "intensity", "SimpleITK LabelIntensityStatistics", lambda: intensities.Execute(given, gray)
    if cc3d:
        yield "basic", "cc3d.statistics", lambda: cc3d.statistics(labels.view(np.uint32))


def compare_measures(gpuccl, engine, folder, threads, side):
    """Labels and measures on our side, reading of samples included, measures of given labels on theirs."""
    page = ("page", (4853, 3387), 0.5, 1)
    for case, connectivity in ((page, 8), (("blobs", (side,) * 3, 0.5, 1), 26)):
        image = load(engine, case, connectivity, folder)
        samples = np.random.default_rng(5).integers(0, 256, image.shape, np.uint8)
        for name, array in (("measured", image), ("samples", samples)):
            np.save(f"{folder}/{name}.npy", array)

        def ours(group, *more):
            command = [gpuccl, "label", f"{folder}/measured.npy", "--json", "-", "--device", "cpu", "--quiet", "--threads",
                       str(threads), "-c", str(connectivity), "--measure", group, *more]
            if group == "intensity":
                command += ["--intensity", f"{folder}/samples.npy"]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        components = ours("basic", "-o", f"{folder}/labels.npy")["labeling"]["components"]
        labels = np.load(f"{folder}/labels.npy").astype(np.int32).reshape(image.shape)
        for group, peer, measure in peers_of_measures(labels, samples, threads):
            best = our_best = float("inf")
            for turn in range(ROUNDS):
                times = ours(group)["timings_ms"]
                our_best = min(our_best, times["label"] + times["statistics"])
                if turn == 0 or best < SLOW_MS:
                    best = min(best, best_ms(measure, 1))
            yield (f"{case_name(case)}: {group}", threads, peer, best, our_best,
                   f"{components} components; labels are counted on our side only")


def compare_with_basic(program, threads, side):
    """Labels and basic statistics alone, and with all measures of shape and topology."""
    for kind, size, granularity, connectivity in (("random", (16 * side,) * 2, 8, 8), ("random", (side,) * 3, 4, 26)):
        case = (kind, size, 0.5, granularity)
        for measures in ("shape", "topology", "shape,topology"):
            command = [program, "measures", kind, "x".join(map(str, size)), 0.5, granularity, connectivity, threads, ROUNDS,
                       measures]
            times = json.loads(
                subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)
            alone = times["label_ms"]
            yield (f"{case_name(case)}: {measures}", threads, "labels and basic statistics alone", alone,
                   alone + times["background_ms"] + times["measure_ms"] + times["derive_ms"],
                   f"{times['components']} components")


def processor():
    with open("/proc/cpuinfo") as info:
        return next((line.split(": ", 1)[1].strip() for line in info if line.startswith("model name")), "unknown")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpuccl", help="the program; without it whole processes are not compared")
    parser.add_argument("--cpu-timing", help="default: tests/benchmarks/cpu_timing of the same build")
    parser.add_argument("--quick", action="store_true", help="no 512x512x512 volumes")
    arguments = parser.parse_args()
    timing = arguments.cpu_timing
    if not timing:
        if not arguments.gpuccl:
            parser.error("--gpuccl or --cpu-timing is needed")
        timing = pathlib.Path(arguments.gpuccl).resolve().parent.parent / "tests/benchmarks/cpu_timing"
    if not np:
        sys.exit("peers.py: numpy is needed")

    engine = Engine(timing)
    cores = len(os.sched_getaffinity(0))
    thread_counts = sorted({1, cores})
    rows = []

    def collect(found):
        for row in found:
            rows.append((row + ("",))[:7])
            print(f"  {row[0]}, {row[1]} threads: {row[3]:.1f} against {row[4]:.1f} ms {' '.join(row[6:])}", file=sys.stderr)

    collect(compare_with_basic(timing, cores, 256 if arguments.quick else 512))
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(arguments.gpuccl, folder)
        if cv2:
            collect(compare_with_opencv(engine, reference, folder, thread_counts))
        if cc3d:
            collect(compare_with_cc3d(engine, reference, folder, thread_counts, (256,) if arguments.quick else (256, 512)))
            collect(compare_with_cc3d_of_values(timing, reference, folder, thread_counts, 256 if arguments.quick else 512))
        if arguments.gpuccl and os.path.exists(arguments.gpuccl):
            collect(compare_whole_programs(arguments.gpuccl, engine, folder, cores))
            collect(compare_measures(arguments.gpuccl, engine, folder, cores, 256 if arguments.quick else 512))

    peers = [f"{name} {getattr(module, '__version__', '')}".strip() if module else f"{name} missing"
             for name, module in (("OpenCV", cv2), ("scikit-image", skimage), ("tifffile", tifffile), ("cc3d", cc3d),
                                  ("SimpleITK", itk))]
    print(f"{processor()}, {cores} cores; {', '.join(peers)}. Times in milliseconds, best of {ROUNDS} turns.\n")
    print("| What | Threads | Peer | Partition correct | Peer ms | gpuccl ms | Ratio | |")
    print("|---|--:|---|---|--:|--:|--:|---|")
    for what, threads, peer, theirs, ours, note, right in rows:
        print(f"| {what} | {threads} | {peer} | {right} | {theirs:.1f} | {ours:.1f} | {theirs / ours:.1f}x | {note} |")


if __name__ == "__main__":
    main()
