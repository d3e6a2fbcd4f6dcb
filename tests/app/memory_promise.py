"""memory_promise.py GPUCCL: memory is a promise: no format and no mode takes more than --memory and 64 MiB.

The 64 MiB are the program, its libraries and the stacks of threads. What needs more is to be refused (71), before
it is taken. A table of the peaks is printed.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

GPUCCL = sys.argv[1]
if b"__asan_init" in pathlib.Path(GPUCCL).read_bytes():
    print("skipped: sanitizers take memory of their own")
    sys.exit(77)
MIB, BESIDE = 1024, 64
SIZE = "320x320x160"

FORMATS = {"tiff": ".tif", "npy": ".npy", "nifti": ".nii", "nifti.gz": ".nii.gz", "nrrd": ".nrrd", "metaimage": ".mha", "zarr": ".zarr"}
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
}


def peak(words):
    """The exit code, and the most memory that it was in, in MiB."""
    process = os.posix_spawn(GPUCCL, [GPUCCL, *words], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss / MIB


with tempfile.TemporaryDirectory() as scratch:
    source = os.path.join(scratch, "source.tif")
    subprocess.run([GPUCCL, "generate", "random", "--size", SIZE, "--density", "0.12", "--granularity", "2", "-o", source], check=True)
    for name, extension in FORMATS.items():
        subprocess.run([GPUCCL, "label", source, "-o", os.path.join(scratch, name + extension), "--label-type", "u32", "--quiet", "--no-fsync"], check=True)
    samples = os.path.join(scratch, "npy.npy")
    failed = []
    print(f"{'':15}" + "".join(f"{mode:>16}" for mode in MODES) + f"{'batch':>16}")
    for name, extension in FORMATS.items():
        path, line = os.path.join(scratch, name + extension), f"{name:15}"
        runs = {mode: (most, [path, "-o", os.path.join(scratch, "OUT.tif"), *more]) for mode, (most, more) in MODES.items()}
        runs["batch"] = (64, [path, source, "-o", os.path.join(scratch, "out/"), "--jobs", "2"])
        for mode, (most, words) in runs.items():
            words = [word.replace("OUT.", os.path.join(scratch, "OUT.")) if word.startswith("OUT.") else samples if word == "SAMPLES" else word for word in words]
            code, mib = peak(["label", *words, "--memory", f"{most}M", "--overwrite", "--quiet", "--no-fsync", "--device", "cpu"])
            line += f"{f'{mib:.0f} of {most} ({code})':>16}"
            if code not in (0, 71) or mib > most + BESIDE:
                failed.append((name, mode, most, round(mib), code))
        print(line, flush=True)
    assert not failed, failed
