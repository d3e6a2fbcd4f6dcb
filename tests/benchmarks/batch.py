#!/usr/bin/env python3
"""Compares one process for many document pages with a process for each.

Prints a Markdown table; every row is measured in this run, on the same files, best of several turns. One process a
file is measured on the first files only and scaled, and the table says so.
"""
import argparse
import concurrent.futures
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT = 860, 1216  # a page of a megapixel


def make_pages(gpuccl, folder, count):
    def make(seed):
        path = folder / f"page{seed:05}.png"
        subprocess.run([gpuccl, "generate", "page", "--size", f"{WIDTH}x{HEIGHT}", "--seed", str(seed), "-o", path], check=True)
        return path

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(make, range(1, count + 1)))


def timed(action, out):
    """Seconds, and seconds of processors used, by what `action` starts; writes into a folder that is new."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    os.sync()  # what earlier turns wrote is not paid for in this one
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    action()
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shell_loop(pages, command, parallel):
    """The loop of a shell, or as many at once as there are processors."""
    script = f'printf "%s\\n" "$@" | xargs -P {parallel} -I{{}} sh -c \'f={{}}; n=$(basename "$f" .png); {command}\''
    subprocess.run(["sh", "-c", script, "sh", *map(str, pages)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpuccl", required=True)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--subset", type=int, default=40, help="pages for one Python process each")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    gpuccl = str(pathlib.Path(arguments.gpuccl).resolve())
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    cores = len(os.sched_getaffinity(0))

    with tempfile.TemporaryDirectory(prefix="gpuccl-batch-") as scratch:
        scratch = pathlib.Path(scratch)
        pages = make_pages(gpuccl, scratch, arguments.pages)
        out = scratch / "out"
        best = {}

        def measure(name, count, action):
            wall, used = timed(action, out)
            scale = arguments.pages / count
            print(f"  {name}: {wall:.2f} s for {count} pages, {used:.2f} s of processors", file=sys.stderr)
            if name not in best or wall * scale < best[name][0]:
                best[name] = (wall * scale, used * scale, count)

        for _ in range(arguments.turns):
            for sync in (True, False):
                flag, suffix = ([], "") if sync else (["--no-fsync"], ", --no-fsync")
                measure("batch" + suffix, len(pages), lambda: subprocess.run(
                    [gpuccl, "label", scratch, "-o", f"{out}/", "--quiet", *flag], check=True))
            some = pages[: arguments.subset * 5]
            label = f'"{gpuccl}" label "$f" -o "{out}/$n.tiff" --quiet'
            script = f'"{sys.executable}" "{HERE}/opencv_label.py" "$f" "{out}/$n.tif" "{out}/$n.json"'
            few = pages[: arguments.subset]
            for parallel in sorted({1, cores}):
                suffix = "" if parallel == 1 else f", {parallel} at once"
                measure("gpuccl once a file" + suffix, len(some), lambda: shell_loop(some, label, parallel))
                measure("OpenCV and Python once a file" + suffix, len(few), lambda: shell_loop(few, script, parallel))

    print(f"{arguments.pages} pages of {WIDTH}x{HEIGHT}, 1-bit PNG to Deflate TIFF and JSON, {cores} cores, best of "
          f"{arguments.turns} turns.\n")
    print("| What | Seconds | Processor seconds | Measured on | Against the batch | Against the batch, --no-fsync |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (wall, used, count) in best.items():
        against = [f"{wall / best[batch][0]:.2f}x" for batch in ("batch", "batch, --no-fsync")]
        print(f"| {name} | {wall:.1f} | {used:.1f} | {count} | {against[0]} | {against[1]} |")


if __name__ == "__main__":
    main()
