"""linear.py GPUCCL [TEST...]: work that grows in proportion to what a file has much of.

Each test runs with n/4, n and 4n of something and counts instructions with callgrind. From n to 4n a program adds four times
as much work as from n/4 to n, and sixteen times if its work is quadratic. Found: frames, tracks, attributes and overlaps.
"""
import gzip
import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import image_files

GPUCCL = sys.argv[1]
MOST = 5  # times


def instructions(folder, words):
    """The instructions of one thread."""
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/calls", GPUCCL, *map(str, words)],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (words, done.stderr[-2000:])
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def tiff(description, pages, side=8):
    """Pages, of which the first has the description."""
    return image_files.tiff([(side, side, bytes([1, 0, 1, 0]) * (side * side // 4))] * pages, [description])


def npy(path, rows):
    image_files.npy(path, (len(rows), len(rows[0])), b"".join(struct.pack(f"<{len(row)}H", *row) for row in rows), "<u2")


def imagej(folder, axis, count):
    (folder / "in.tif").write_bytes(tiff(f"ImageJ=1.53\nimages={count}\n{axis}={count}\n", count))


def frames(folder, n):
    imagej(folder, "frames", n)
    return "label", "in.tif", "--frame", "all", "--json-dir", "out"


def ome_frames(folder, n):
    planes = "".join(f'<TiffData IFD="{i}" FirstT="{i}" PlaneCount="1"/>' for i in range(n))
    (folder / "in.tif").write_bytes(tiff(f'<OME><Image><Pixels DimensionOrder="XYCZT" SizeT="{n}">{planes}</Pixels></Image></OME>', n))
    return "label", "in.tif", "--frame", "all", "--summary", "out.csv"


def channels(folder, n):
    imagej(folder, "channels", n)
    return "label", "in.tif", "--channel", "0", "--intensity", "in.tif", "--intensity-channel", "all", "--json", "out.json"


def hidden_frames(folder, n):
    content = tiff(f"ImageJ=1.53\nimages={n}\nframes={n}\n", 1)
    (folder / "in.tif").write_bytes(content + bytes(64 * n))
    return "label", "in.tif", "--frame", "all", "--json-dir", "out"


def tracks(folder, n):
    imagej(folder, "frames", n)
    return "match", "--track", "in.tif", "--csv", "out.csv"


def pages(folder, n):
    (folder / "in.tif").write_bytes(tiff("", n))
    return "label", "in.tif", "--per-slice", "--stats", "out.csv"


def zarr(folder, shape, chunks, attributes, compressor=None):
    store = folder / "in.zarr"
    image_files.zarr(store / "0", shape, chunks, compressor=compressor, fill_value=1)
    (store / ".zgroup").write_text('{"zarr_format":2}')
    (store / ".zattrs").write_text(json.dumps({"multiscales": [{"version": "0.4", "axes": ["y", "x"], "datasets": [{"path": "0"}]}],
                                               **attributes}))
    return store


def attributes(folder, n):
    zarr(folder, [8, 8], [8, 8], {f"attribute{i}": i for i in range(n)})
    (folder / "in.zarr/labels").mkdir()
    shutil.copy(folder / "in.zarr/.zattrs", folder / "in.zarr/labels/.zattrs")
    return "label", "in.zarr", "-o", "in.zarr/labels/cells"


def chunks(folder, n):
    zarr(folder, [n * 32, 32], [32, 32], {})
    return "label", "in.zarr", "--json", "out.json"


def noise(bytes):
    return random.Random(0).randbytes(bytes)


def frames_in_chunk(folder, n):
    axes = {"multiscales": [{"version": "0.4", "axes": ["t", "y", "x"], "datasets": [{"path": "0"}]}]}
    store = zarr(folder, [n, 64, 64], [n, 64, 64], axes, {"id": "zlib", "level": 1})
    (store / "0/0.0.0").write_bytes(zlib.compress(noise(n * 64 * 64), 1))
    return "label", "in.zarr", "--frame", "all", "--summary", "out.csv"


def gzip_frames(folder, n):
    header = f"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 64 64 1 {n}\nencoding: gzip\n\n"
    (folder / "in.nrrd").write_bytes(header.encode() + gzip.compress(noise(n * 64 * 64), 1))
    return "label", "in.nrrd", "--frame", "all", "--summary", "out.csv"


def overlaps(folder, n):
    side = int(n ** 0.5)
    npy(folder / "a.npy", [[x // 2 + 1 for x in range(2 * side)] for _ in range(2 * side)])
    npy(folder / "b.npy", [[y // 2 + 1 for _ in range(2 * side)] for y in range(2 * side)])
    return "match", "a.npy", "b.npy", "--csv", "out.csv"


def labels(folder, n):
    npy(folder / "in.npy", [[(8 * y + x + 1) * (x % 2) for x in range(16)] for y in range(n // 8)])
    return "measure", "in.npy", "--stats", "out.csv", "--json", "out.json"


def columns(folder, n):
    npy(folder / "in.npy", [[1, 0], [0, 0]])
    component = {"label": 1, "area": 1, "bbox": [0, 0, 1, 1], "centroid": [0, 0], **{f"m{i}": i for i in range(n)}}
    report = {"gpuccl": "1", "input": {"path": "in.npy", "foreground_rule": "", "geometry": None}, "options": "", "hints": [], "intensity": None,
              "labeling": {"algorithm": "runs", "device": {"name": "cpu"}, "connectivity": 8}, "components": [component]}
    (folder / "in.json").write_text(json.dumps(report))
    return "view", "in.npy", "--report", "in.json", "-o", "out.html"


def names(folder, n):
    (folder / "in").mkdir()
    for i in range(n):
        (folder / f"in/{i}.tif").write_bytes(tiff("", 1))
    return ("label", *(f"in/{i}.tif" for i in range(n)), "--json-dir", "out", "--quiet")


# libtiff counts the directories of each file that it opens anew, which takes few instructions.
SIZES = {frames: 64, ome_frames: 64, frames_in_chunk: 64, gzip_frames: 64, channels: 64, hidden_frames: 64, tracks: 64, pages: 256, attributes: 4096, chunks: 256, overlaps: 1600, labels: 4096,
         columns: 64, names: 64}

if shutil.which("valgrind") is None:
    print("skipped: no valgrind")
    sys.exit(0)
for test, size in SIZES.items():
    if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
        continue
    counts = [float("inf")] * 3
    for attempt in range(3):  # threads that wait for each other add instructions now and then
        for i, n in enumerate((size // 4, size, 4 * size)):
            with tempfile.TemporaryDirectory() as scratch:
                words = test(pathlib.Path(scratch), n)
                counts[i] = min(counts[i], instructions(pathlib.Path(scratch), words))
        ratio = (counts[2] - counts[1]) / (counts[1] - counts[0])
        print(f"{test.__name__}: {counts[0]} {counts[1]} {counts[2]}, {ratio:.1f} times", flush=True)
        if ratio < MOST:
            break
    assert ratio < MOST, test.__name__
