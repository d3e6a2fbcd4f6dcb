"""memory_promise.py GPUCCL: memory is a promise: no format and no mode takes more than --memory and 64 MiB.

The 64 MiB are the program, its libraries and the stacks of threads. What needs more is to be refused (71), before
it is taken. A table of the peaks is printed. Each format and each mode of the table runs once; with GPUCCL_LONG, each mode of
each format.
"""
import array
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

from image_files import npy_header

GPUCCL = sys.argv[1]
if b"__asan_init" in pathlib.Path(GPUCCL).read_bytes():
    print("skipped: sanitizers take memory of their own")
    sys.exit(77)
MIB, BESIDE = 1024, 64
SIZE = "320x320x160"

FORMATS = {"tiff": ".tif", "npy": ".npy", "nifti": ".nii", "nifti.gz": ".nii.gz", "nrrd": ".nrrd", "metaimage": ".mha", "mrc": ".mrc", "zarr": ".zarr"}
MODES = {
    "whole": (256, []),
    "slabs": (16, []),
    "connectivity 6": (16, ["-c", "6"]),
    "values": (64, ["--values"]),
    "measures": (128, ["--measure", "shape"]),
    "contacts": (256, ["-c", "6", "--contacts", "OUT.csv"]),
    "fill holes": (64, ["--fill-holes"]),
    "intensity": (128, ["--intensity", "SAMPLES"]),
    "preview": (16, ["--preview", "OUT.png"]),
    "view": (320, ["--view", "OUT.html"]),
}


def peak(words):
    """The exit code, and the most memory that it was in, in MiB."""
    process = os.posix_spawn(GPUCCL, [GPUCCL, *words], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, stream, "/dev/null", os.O_WRONLY, 0) for stream in (1, 2)])
    _, status, usage = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss / MIB


# Blobs are of 8x8 pixels. Images of which something else than the elements takes the memory: rows, components, contacts, holes.
ODD = [
    ("narrow dots", "dots 1x1000000", 16, []), ("narrow dots", "dots 1x1000000", 64, []),
    ("one long strip that fits", "strip 1x10000000", 24, []),
    ("three columns", "dots 3x1000000", 64, []),
    ("narrow dots, values", "dots 1x1000000", 64, ["--values"]),
    ("2D noise, contacts", "noise 3000x3000", 64, ["-c", "4", "--contacts", "OUT.csv"]),
    ("2D noise, contacts that fit", "noise 3000x3000", 400, ["-c", "4", "--contacts", "OUT.csv"]),
    ("blobs in slabs, contacts that fit", "blobs 20000x10000", 256, ["-c", "4", "--contacts", "OUT.csv"]),
    ("outlines of a comb in COCO", "comb 8000x8000", 16, ["--outlines", "OUT.json", "--json", "OUT.report.json"]),
    ("outlines of a checkerboard", "checker 3000x3000", 200, ["-c", "8", "--outlines", "OUT.geojson"]),
    ("outlines of blobs that fit", "blobs 1000x1000", 200, ["--outlines", "OUT.geojson"]),
    ("a small page to look at that fits", "blobs 1000x1000", 64, ["--view", "OUT.html"]),
    ("3D noise, contacts", "noise 140x140x140", 64, ["-c", "6", "--contacts", "OUT.csv"]),
    ("inscribed radius that fits", "comb 8000x8000", 16, ["--measure", "inscribed_radius", "--stats", "OUT.csv"]),
    ("2D noise, holes", "noise 3000x3000", 16, ["--fill-holes"]),
    ("3D noise, holes", "noise 140x140x140", 16, ["-c", "26", "--fill-holes"]),
    ("values that all differ", "distinct 1000x1000", 48, ["--values"]), ("values that all differ", "distinct 1000x1000", 96, ["--values"]),
    ("values that all differ and that fit", "distinct 1000x1000", 200, ["--values", "--json", "OUT.report.json"]),
    ("values that all differ, in slabs", "distinct 160x160x160", 64, ["--values", "-c", "6"]),
    ("values that all differ, in slabs", "distinct 160x160x160", 96, ["--values"]),
    ("values that all differ, in slabs", "distinct 160x160x160", 300, ["--values"]),
    ("values that nearly all differ, in slabs", "far 160x160x160", 96, ["--values", "--delta", "1"]),
    ("values that nearly all differ, in slabs", "far 160x160x160", 200, ["--values", "--delta", "1"]),
    ("values that nearly all differ, in slabs that fit", "far 160x160x160", 400, ["--values", "--delta", "1"]),
    ("objects in slabs", "distinct 160x160x160", 96, ["measure"]),
    ("few values in slabs", "few 160x160x160", 64, ["--values", "-c", "6"]),
    ("few values in slabs that fit", "few 160x160x160", 64, ["--values", "-c", "26"]),
    ("contacts of labels", "distinct 160x160x160", 64, ["contacts"]),
    ("contacts of few labels that fit", "few 160x160x160", 64, ["contacts"]),
    ("contacts in an image that fit", "distinct 1000x1000", 700, ["contacts"]),
    ("contacts of many runs", "columns 3000x3000x2", 100, ["-c", "6", "--contacts", "OUT.csv"]),
    ("contacts of many runs that fit", "columns 3000x3000x2", 200, ["-c", "6", "--contacts", "OUT.csv"]),
    ("contacts in slices that fit", "columns 3000x3000x2", 20, ["-c", "4", "--per-slice", "--contacts", "OUT.csv"]),
    ("components in another order", "noise 4000x4000", 180, ["-c", "4", "--order", "size", "--stats", "OUT.stats.csv"]),
    ("components in another order that fit", "noise 4000x4000", 400, ["-c", "4", "--order", "size", "--stats", "OUT.stats.csv"]),
    ("preview of wide rows that fits", "strip 400000x40", 16, ["--preview", "OUT.png"]),
    ("page of labels that all differ", "distinct 160x160x160", 96, ["view"]),
    ("page of few labels that fits", "few 160x160x160", 320, ["view"]),
    ("page of an image in slabs that fits", "noise 3000x3000", 256, ["view"]),
    ("labels that all differ, compared", "distinct 160x160x160", 32, ["compare"]),
    ("labels that all differ, compared, that fit", "distinct 1000x1000", 600, ["compare"]),
    ("few labels, compared, that fit", "few 160x160x160", 16, ["compare"]),
    ("objects", "distinct 1000x1000", 48, ["measure"]), ("objects", "distinct 1000x1000", 96, ["measure"]),
    ("objects that fit", "distinct 1000x1000", 200, ["measure"]),
    ("one object in many runs that fits", "noise 3000x3000", 300, ["measure"]),
    ("matching labels that all differ", "distinct 160x160x160", 96, ["match"]),
    ("matching few labels that fits", "few 160x160x160", 64, ["match"]),
    ("matching noise, distances", "noise 3000x3000", 64, ["match", "--label", "--distances"]),
    ("matching noise, regions", "noise 3000x3000", 64, ["match", "--label", "--regions"]),
    ("matching blobs, distances and regions, that fits", "blobs 4000x4000", 256, ["match", "--label", "--distances", "--regions"]),
    ("matching a comb, distances", "comb 8000x8000", 256, ["match", "--label", "--distances"]),
    ("matching classes that all differ", "distinct 1000x1000", 96, ["match", "--per-value"]),
]

# Each format is matched with itself in some of these modes.
MODES_OF_MATCH = {"values": (64, []), "label": (24, ["--label"]), "small": (24, ["--label", "--min-size", "20"]), "distances": (192, ["--label", "--distances", "--tolerance", "2"]),
                  "regions": (160, ["--label", "--min-size", "20", "--regions"])}

# Shapes whose worst axis differs: each mode runs with some of them, and each shape in some modes.
SHAPES = {"dots 20000000x1": 256, "dots 1x20000000": 64, "dots 2x3x900000": 64, "pairs 10000000x1": 256, "pairs 1x10000000": 256, "few 300x300x20": 64}
MODES_OF_SHAPES = {"label": [], "measures": ["--measure", "all"], "values": ["--values"], "holes": ["--fill-holes"],
                   "measures of values": ["--values", "--measure", "all"], "contacts": ["-c", "4", "--contacts", "OUT.csv"]}
for row, (shape, most) in enumerate(SHAPES.items()):
    for column, (mode, more) in enumerate(MODES_OF_SHAPES.items()):
        if mode == "contacts" and shape.count("x") > 1:
            more = ["-c", "6", *more[2:]]
        if (row + column) % 3 == 0 or "GPUCCL_LONG" in os.environ:
            ODD.append((mode, shape, most, more))


def make_odd(kind, size, path):
    """Dots are every second element, pairs are two values by turns."""
    if kind in ("noise", "blobs"):
        granularity = {"noise": "1", "blobs": "8"}[kind]
        subprocess.run([GPUCCL, "generate", "random", "--size", size, "--density", "0.4", "--granularity", granularity, "-o", path], check=True)
        return
    width, height, *depth = map(int, size.split("x"))
    if kind == "strip":  # all rows are one strip with Deflate
        samples = zlib.compress(bytes(width * height // 2) + b"\1" * (width * height // 2))
        tags = {256: width, 257: height, 258: 8, 259: 8, 262: 1, 273: 122, 277: 1, 278: height, 279: len(samples)}
        with open(path, "wb") as file:
            file.write(struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items()) + bytes(4) + samples)
        return
    if kind in ("distinct", "far", "few"):
        step, noise = 3 if kind == "far" else 1, random.Random(1)
        with open(path, "wb") as file:
            file.write(npy_header((*depth, height, width), "<u4"))
            for row in range(height * math.prod(depth)):
                values = (1 + row * width + x for x in range(width))
                if kind == "few":
                    values = (byte % 8 for byte in noise.randbytes(width))
                file.write(array.array("I", (step * value for value in values)).tobytes())
        return
    if kind in ("comb", "checker", "columns"):
        rows = {"comb": [b"\1" * width, b"\1" + b"\0" * (width - 1)], "columns": [b"\1\0" * (width // 2)] * 2,
                "checker": [b"\1\0" * (width // 2), b"\0\1" * (width // 2)]}[kind]
        with open(path, "wb") as file:  # in pieces: a child begins with the memory of this process
            file.write(npy_header((*depth, height, width)))
            for _ in range(height * math.prod(depth) // 2):
                file.writelines(rows)
        return
    with open(path, "wb") as file:
        file.write(npy_header((*depth, height, width)))
        for _ in range(100):
            file.write((b"\1\2" if kind == "pairs" else b"\1\0") * (width * height * math.prod(depth) // 200))


# Commands for label images, with the words that follow the image.
OF_LABELS = {
    "measure": ["--stats", "OUT.csv", "--overwrite", "--quiet", "--no-fsync"],
    "contacts": ["-o", "OUT.contacts.csv", "--overwrite", "--no-fsync"],
    "compare": ["IMAGE", "--quiet"],
    "match": ["IMAGE", "--csv", "OUT.pairs.csv", "--summary", "OUT.cases.csv", "--no-fsync"],
    "view": ["-o", "OUT.html", "--no-fsync"],
}

with tempfile.TemporaryDirectory() as scratch:
    source = os.path.join(scratch, "source.tif")
    subprocess.run([GPUCCL, "generate", "random", "--size", SIZE, "--density", "0.12", "--granularity", "2", "-o", source], check=True)
    for name, extension in FORMATS.items():
        labels = ["--label-type", "u16", "--largest", "60000"] if extension == ".mrc" else ["--label-type", "u32"]
        subprocess.run([GPUCCL, "label", source, "-o", os.path.join(scratch, name + extension), *labels, "--quiet", "--no-fsync"], check=True)
    samples = os.path.join(scratch, "npy.npy")
    failed = []
    print(f"{'':15}" + "".join(f"{mode:>16}" for mode in MODES) + f"{'batch':>16}")
    for place, (name, extension) in enumerate(FORMATS.items()):
        path, line = os.path.join(scratch, name + extension), f"{name:15}"
        runs = {mode: (most, [path, "-o", os.path.join(scratch, "OUT.tif"), *more]) for mode, (most, more) in MODES.items()}
        runs["batch"] = (64, [path, source, "-o", os.path.join(scratch, "out/"), "--jobs", "2"])
        for column, (mode, (most, words)) in enumerate(runs.items()):
            if column % len(FORMATS) != place and "GPUCCL_LONG" not in os.environ:
                line += f"{'':16}"
                continue
            words = [word.replace("OUT.", os.path.join(scratch, "OUT.")) if word.startswith("OUT.") else samples if word == "SAMPLES" else word for word in words]
            code, mib = peak(["label", *words, "--memory", f"{most}M", "--overwrite", "--quiet", "--no-fsync", "--device", "cpu"])
            line += f"{f'{mib:.0f} of {most} ({code})':>16}"
            if code not in (0, 71) or mib > most + BESIDE:
                failed.append((name, mode, most, round(mib), code))
        print(line, flush=True)
    for place, (name, extension) in enumerate(FORMATS.items()):
        for column, (mode, (most, more)) in enumerate(MODES_OF_MATCH.items()):
            if (place + column) % 3 and "GPUCCL_LONG" not in os.environ:
                continue
            path = os.path.join(scratch, name + extension)
            code, mib = peak(["match", path, path, *more, "--summary", os.path.join(scratch, "OUT.cases.csv"), "--memory", f"{most}M", "--no-fsync"])
            print(f"{f'match, {mode}, {name}':44}{mib:.0f} of {most} ({code})", flush=True)
            if code or mib > most + BESIDE:
                failed.append((name, "match", mode, most, round(mib), code))
    for name, image, most, more in ODD:
        kind, size = image.split()
        path = os.path.join(scratch, image.replace(" ", "-") + (".tif" if kind in ("noise", "blobs", "strip") else ".npy"))
        if not os.path.exists(path):
            make_odd(kind, size, path)
        command, *words = [*more, *OF_LABELS[more[0]]] if more and more[0] in OF_LABELS else ["label", *more, "-o", "OUT.tif", "--overwrite", "--quiet", "--no-fsync", "--device", "cpu"]
        words = [path if word == "IMAGE" else word.replace("OUT.", os.path.join(scratch, "OUT.")) if word.startswith("OUT.") else word for word in words]
        code, mib = peak([command, path, *words, "--memory", f"{most}M"])
        print(f"{name + ' of ' + size:44}{mib:.0f} of {most} ({code})", flush=True)
        if code not in (0, 71) or mib > most + BESIDE or (code and "fit" in name):
            failed.append((name, size, most, round(mib), code))
    # A report with the rows of many classes for each pair.
    folder = os.path.join(scratch, "pairs")
    os.mkdir(folder)
    make_odd("distinct", "60x60", os.path.join(folder, "0.npy"))
    for i in range(1, 60):
        os.link(os.path.join(folder, "0.npy"), os.path.join(folder, f"{i}.npy"))
    for most, fits in ((100, False), (600, True)):
        code, mib = peak(["match", folder, folder, "--per-value", "--json", os.path.join(scratch, "OUT.json"), "--overwrite", "--memory", f"{most}M", "--no-fsync"])
        print(f"{'match, reports of 60 pairs with 3,600 classes':44}{mib:.0f} of {most} ({code})", flush=True)
        if code != (0 if fits else 71) or mib > most + BESIDE:
            failed.append(("match", "reports", most, round(mib), code))
    # Rows of many small pairs, each of which needs little.
    small = os.path.join(scratch, "small")
    os.mkdir(small)
    with open(os.path.join(small, "0.npy"), "wb") as file:
        numbers = bytes(1 + i % 60 for i in range(100))
        head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (10, 10), }"
        file.write(b"\x93NUMPY\1\0" + (118).to_bytes(2, "little") + head.ljust(117) + b"\n" + numbers)
    for i in range(1, 2500):
        os.link(os.path.join(small, "0.npy"), os.path.join(small, f"{i}.npy"))
    code, mib = peak(["match", small, small, "--per-value", "--json", os.path.join(scratch, "OUT.json"), "--overwrite", "--memory", "32M", "--no-fsync"])
    print(f"{'match, reports of 2,500 pairs with 60 classes':44}{mib:.0f} of 32 ({code})", flush=True)
    if code != 71 or mib > 32 + BESIDE:
        failed.append(("match", "rows", 32, round(mib), code))
    # Tasks: each run of a part, and joining.
    noise = os.path.join(scratch, "noise-3000x3000.tif")
    for most, fits in ((32, False), (400, True)):
        parts, table = os.path.join(scratch, f"parts{most}"), os.path.join(scratch, "tasks.csv")
        task = [["label", noise, "--contacts", table, "-c", "4", "--memory", f"{most}M", "--overwrite", "--no-fsync", "--device", "cpu",
                 "--part", f"{part}/2", "--parts-dir", parts] for part in (1, 2)]
        runs = [*task, ["join", parts], *task, ["join", parts, "--finish"]]
        peaks = [peak(words) for words in runs]
        print(f"contacts of tasks in {most}: " + ", ".join(f"{mib:.0f} ({code})" for code, mib in peaks), flush=True)
        for words, (code, mib) in zip(runs, peaks):
            if code not in ((0,) if fits else (0, 66, 71)) or words[0] == "label" and mib > most + BESIDE:
                failed.append(("tasks", most, round(mib), code))
        if not fits and 71 not in [code for code, _ in peaks]:
            failed.append(("tasks", most, "nothing refused"))
    assert not failed, failed
