#!/usr/bin/env python3
"""Speed of each format compared with raw TIFF: `gpuccl label` as a whole process, from and to files of the same samples, and
prints a Markdown table. The best of several runs, the formats in turns, without fsync, on the CPU.

The input is a volume of blobs in bytes of 0 and 1, uncompressed as TIFF; labels are 16-bit, and the raw TIFF that they are
compared with is uncompressed as well. Needs numpy, tifffile, nibabel and zarr; a format whose module is not there is left
out, and a line says so.
"""
import argparse
import importlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"without {name}, its formats are left out", file=sys.stderr)
        return None


np, tifffile, nibabel, zarr = (optional(name) for name in ("numpy", "tifffile", "nibabel", "zarr"))


def write_inputs(blobs, folder):
    """Samples in every format, raw TIFF first."""
    samples = (tifffile.imread(blobs) != 0).astype(np.uint8)
    inputs = [folder / "raw.tif", folder / "raw.npy"]
    tifffile.imwrite(inputs[0], samples, photometric="minisblack")
    np.save(inputs[1], samples)
    if nibabel:
        image = nibabel.Nifti1Image(samples.T, np.eye(4))
        inputs += [folder / "raw.nii", folder / "gzip.nii.gz"]
        for path in inputs[-2:]:
            nibabel.save(image, path)
    if zarr:
        from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec
        codecs = {"raw": None, "gzip": GzipCodec(), "zstd": ZstdCodec(), "blosc": BloscCodec(cname="lz4")}
        for name, codec in codecs.items():
            inputs.append(folder / f"{name}.zarr")
            chunks = tuple(min(side, 128) for side in samples.shape)
            array = zarr.create_array(inputs[-1], shape=samples.shape, chunks=chunks, dtype="u1", compressors=codec)
            array[:] = samples
    return inputs


def seconds(program, source, target, options):
    shutil.rmtree(target, ignore_errors=True)
    begin = time.perf_counter()
    subprocess.run([program, "label", source, "-o", target, "--device", "cpu", "--quiet", "--no-fsync", "--label-type",
                    "u16", *options], check=True)
    return time.perf_counter() - begin


def compare(program, title, cases, rounds):
    """Cases are (name, input, output, options); the first is what the others are compared with."""
    best = {}
    for _ in range(rounds):
        for name, source, target, options in cases:
            best[name] = min(best.get(name, float("inf")), seconds(program, source, target, options))
    reference = best[cases[0][0]]
    print(f"\n| {title} | ms | speed of raw TIFF |\n|---|--:|--:|")
    for name, took in best.items():
        print(f"| {name} | {took * 1e3:.0f} | {100 * reference / took:.0f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuccl", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="512x512x512")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", help="passed on: labels by slabs")
    parser.add_argument("--folder", help="for the files, several times the size of the volume [that of tempfile]")
    arguments = parser.parse_args()
    if not np or not tifffile:
        return 77
    options = ["--memory", arguments.memory] if arguments.memory else []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        blobs = folder / "blobs.tif"
        subprocess.run([arguments.gpuccl, "generate", "blobs", "--size", arguments.size, "-o", blobs], check=True)
        inputs = write_inputs(blobs, folder)
        compare(arguments.gpuccl, f"{arguments.size} bytes to a label TIFF",
                [(path.name, path, folder / "labels.tif", options) for path in inputs], arguments.rounds)
        outputs = [("uncompressed TIFF", "labels.tif", ["--compress", "none"]), ("npy", "labels.npy", []),
                   ("nii", "labels.nii", []), ("TIFF, Deflate", "deflate.tif", []), ("nii.gz", "labels.nii.gz", []),
                   ("Zarr", "labels.zarr", [])]
        compare(arguments.gpuccl, f"bits of {arguments.size} to labels of 16 bits",
                [(name, blobs, folder / file, options + more) for name, file, more in outputs], arguments.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
