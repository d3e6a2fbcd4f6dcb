"""large.py GPUCCL [long FOLDER]: images larger than --memory have the right number of components, within that memory.

The long form has images of more than 2^31 and 2^32 elements, whose outputs are the same at once. It takes minutes, 12 GB of
memory, and a few GB of disk in FOLDER.
"""
import filecmp
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from image_files import npy_header

GPUCCL, BESIDE = sys.argv[1], 64  # MiB in addition to --memory: the program, its libraries, the stacks of threads
PLAIN = b"__asan_init" not in pathlib.Path(GPUCCL).read_bytes()  # sanitizers take memory of their own
LONG = len(sys.argv) > 2
CELL = 64  # each has a box of half its size

# The size, --memory in MiB, options. A folder of slices where there is --stack.
SHORT = [
    ("1024x1024x513", 8, []),
    ("512x512x129", 3, ["-c", "6", "--order", "size"]),
    ("300x200x99", 1, ["-c", "18", "--stack"]),
    ("6000x4097", 2, []),
    ("3000x2001", 2, ["-c", "4", "--algo", "flood-fill"]),
]
MANY = [
    ("2048x2048x513", 64, []),
    ("2048x2048x513", 256, ["-c", "6", "--stack"]),
    ("65536x65537", 128, []),
    ("65536x65537", 1024, ["-c", "4", "--algo", "flood-fill"]),
]


def write(path, width, height, slices):
    """An array of numpy with boxes; zeros are not written."""
    shape = (len(slices), height, width) if len(slices) > 1 else (height, width)
    row = (b"\1" * (CELL // 2) + bytes(CELL // 2)) * math.ceil(width / CELL)
    with open(path, "wb") as file:
        file.write(npy_header(shape))
        begin = file.tell()
        for at, z in enumerate(slices):
            for y in range(0, height if z % CELL < CELL // 2 else 0, CELL):
                file.seek(begin + (at * height + y) * width)
                file.write(row[:width] * min(CELL // 2, height - y))
        file.truncate(begin + len(slices) * height * width)


def label(source, output, memory, options):
    """The most memory that it was in, in MiB."""
    words = [GPUCCL, "label", source, "-o", f"{output}.tiff", "--stats", f"{output}.csv", "--label-type", "u32", "--no-fsync", "--quiet",
             "--device", "cpu", "--memory", memory, *options]
    _, status, usage = os.wait4(os.posix_spawn(GPUCCL, words, os.environ), 0)
    assert status == 0, words
    return usage.ru_maxrss / 1024


for size, memory, options in MANY if LONG else SHORT:
    width, height, depth = map(int, (size + "x1").split("x")[:3])
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if LONG else None) as scratch:
        source, slabs, once = (f"{scratch}/{name}" for name in ("in.npy", "slabs", "once"))
        if "--stack" in options:
            source = f"{scratch}/in"
            os.mkdir(source)
            for z in range(depth):
                write(f"{source}/{z}.npy", width, height, [z])
        else:
            write(source, width, height, range(depth))
        mib = label(source, slabs, f"{memory}M", options)
        print(f"{size} {' '.join(options)}: {mib:.0f} of {memory} MiB", flush=True)
        assert mib <= memory + BESIDE or not PLAIN, mib
        with open(f"{slabs}.csv", "rb") as table:
            assert sum(1 for _ in table) - 1 == math.prod(math.ceil(side / CELL) for side in (width, height, depth)), size
        with open(f"{slabs}.tiff", "rb") as file:
            assert (file.read(4)[2] == 43) == (4 * width * height * depth > 1 << 32), "not the right kind of TIFF"
        if LONG:
            label(source, once, "1T", options)
            assert all(filecmp.cmp(slabs + kind, once + kind, shallow=False) for kind in (".tiff", ".csv")), size
            subprocess.run([GPUCCL, "compare", f"{slabs}.tiff", f"{once}.tiff"], check=True)
