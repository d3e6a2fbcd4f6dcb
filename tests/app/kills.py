"""kills.py GPUCCL [GPUCCL_MPI MPIRUN]: the program is killed at random moments, over and over.

Whatever it was doing, no output is half of one, no older file is lost, a report stands next to the files that it is
of, and the next run does the rest: one image, a batch, tasks, 'join --finish', label groups of a Zarr, MPI.
GPUCCL_KILLS: how many [50, with GPUCCL_LONG 2000]. GPUCCL_SEED: of the moments [1]. A failure prints the round.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

GPUCCL, MPI = sys.argv[1], sys.argv[2:4]
COUNT = int(os.environ.get("GPUCCL_KILLS") or (2000 if os.environ.get("GPUCCL_LONG") else 50))
SEED = int(os.environ.get("GPUCCL_SEED") or 1)
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
FIXED = ["--quiet", "--no-fsync", "--device", "cpu", "--threads", "2"]
ABSENT = None


def content(path):
    """A file, or a folder with all that is in it; of a report what does not depend on the run."""
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    if not path.exists():
        return ABSENT
    if path.suffix != ".json":
        return path.read_bytes()
    report = json.loads(path.read_bytes())  # a report is a whole one
    del report["timings_ms"], report["labeling"]["device"]
    for file in ("output", "stats", "contacts"):
        if report[file]:
            report[file] = report[file].keys()
    report["input"].pop("path")
    return report


def run(*words):
    done = subprocess.run([GPUCCL, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", (words, done.returncode, done.stderr)


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def copy(source, to):
    remove(to)
    shutil.copytree(source, to, symlinks=True) if source.is_dir() else shutil.copy2(source, to)


def clear_left(folder, number):
    """Only SIGKILL may leave temporary files, whose names contain the process."""
    left = list(folder.rglob(".gpuccl-*"))
    assert number == signal.SIGKILL or not left, (number, left)
    for path in left:
        remove(path)


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Killer:
    def __init__(self, rng):
        self.rng, self.kills, self.last = rng, 0, signal.SIGKILL

    def run(self, words, longest, ranks=False):
        """Whether the command came to its end; else it was killed."""
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        time.sleep(self.rng.random() * longest)
        self.last = self.rng.choice(SIGNALS)
        others = children(process.pid)
        try:
            os.kill(self.rng.choice([process.pid, *others]) if ranks else process.pid, self.last)
        except ProcessLookupError:
            pass
        out, err = process.communicate()
        if process.returncode == 0:
            return True
        assert ranks or process.returncode == -self.last, (words, process.returncode, self.last, out, err)
        while any(os.path.exists(f"/proc/{pid}") for pid in others):  # which learn of it a moment later
            time.sleep(0.01)
        self.kills += 1
        return False


class Outputs:
    """Files of one run, as an older run left them and as they are to be."""

    def __init__(self, paths):
        self.paths, self.old, self.right, self.kept = paths, {}, {}, {}

    def keep_as_old(self, store):
        store.mkdir(parents=True)
        for path in self.paths:
            self.old[path], self.kept[path] = content(path), store / path.name
            copy(path, self.kept[path])

    def keep_as_right(self):
        for path in self.paths:
            self.right[path] = content(path)
            assert self.right[path] != self.old[path], path

    def begin(self, with_old):
        for path in self.paths:
            copy(self.kept[path], path) if with_old else remove(path)

    def check(self, with_old, number):
        """The last path is the report."""
        now = {path: content(path) for path in self.paths}
        old = self.old if with_old else dict.fromkeys(self.paths, ABSENT)
        *files, report = self.paths
        for path in files:
            assert now[path] in (old[path], self.right[path]), (path, now[path] is ABSENT)
        if now[report] == self.right[report]:
            assert all(now[path] == self.right[path] for path in files)
        elif now[report] is not ABSENT or not with_old:
            assert now[report] == old[report], report
            assert now[report] is ABSENT or all(now[path] == old[path] for path in files)
        else:
            assert number == signal.SIGKILL, (report, "lost")

    def check_right(self):
        for path in self.paths:
            assert content(path) == self.right[path], path


def generate(path, size, seed):
    run("generate", "random", "--size", size, "--density", "0.4", "--granularity", "6", "--seed", seed, "-o", path, "--overwrite", "--no-fsync")


class OneImage:
    EXTENSION = None
    SIZE, CONNECTIVITY = "900x700", "4"  # by which there are contacts

    def __init__(self, folder, killer):
        self.killer, self.folder = killer, folder
        self.out = folder / "out"
        self.out.mkdir(parents=True)
        self.source = folder / "in.tif"
        image = self.out / ("labels" + self.EXTENSION)
        stats, contacts = self.out / "labels.csv", self.out / "contacts.csv"
        self.outputs = Outputs([image, stats, contacts, self.out / "labels.json"])
        self.words = ["label", self.source, "-o", image, "--stats", stats, "--contacts", contacts, "-c", self.CONNECTIVITY, "--overwrite", *FIXED]
        generate(self.source, self.SIZE, 1)
        run(*self.words)
        self.outputs.keep_as_old(folder / "old")
        generate(self.source, self.SIZE, 2)
        begin = time.monotonic()
        run(*self.words)
        self.longest = (time.monotonic() - begin) * 1.1
        self.outputs.keep_as_right()

    def start(self):
        return [GPUCCL, *self.words]

    def round(self):
        with_old = self.killer.rng.random() < 0.7
        self.outputs.begin(with_old)
        if not self.killer.run(self.start(), self.longest, isinstance(self, Mpi)):
            self.outputs.check(with_old, signal.SIGKILL if isinstance(self, Mpi) else self.killer.last)
            clear_left(self.folder, signal.SIGKILL if isinstance(self, Mpi) else self.killer.last)
            run(*self.words)
        self.outputs.check_right()


class Tiff(OneImage):
    EXTENSION = ".tiff"


class Zarr(OneImage):
    EXTENSION = ".zarr"


class Nifti(OneImage):
    EXTENSION = ".nii.gz"
    SIZE, CONNECTIVITY = "200x200x12", "6"


class Mpi(OneImage):
    EXTENSION = ".tiff"
    SIZE, CONNECTIVITY = "300x300x12", "6"

    def __init__(self, folder, killer):
        super().__init__(folder, killer)
        begin = time.monotonic()
        subprocess.run(self.start(), check=True)
        self.longest = (time.monotonic() - begin) * 1.1

    def start(self):
        words = [word for word in self.words if word not in ("--device", "cpu")]
        return [MPI[1], "--allow-run-as-root", "--oversubscribe", "-n", "2", MPI[0], *words]


class Batch:
    COUNT = 6

    def __init__(self, folder, killer):
        self.killer, self.folder, self.source, self.out = killer, folder, folder / "in", folder / "out"
        self.source.mkdir(parents=True)
        self.words = ["label", self.source, "-o", str(self.out) + "/", "--jobs", "2", *FIXED]
        self.outputs = [Outputs([self.out / f"{i}.tiff", self.out / f"{i}.json"]) for i in range(self.COUNT)]
        for seed in (1, 2):
            for i in range(self.COUNT):
                generate(self.source / f"{i}.png", "400x400", seed * 10 + i)
            begin = time.monotonic()
            run(*self.words, "--overwrite")
            self.longest = (time.monotonic() - begin) * 1.1
            for i, files in enumerate(self.outputs):
                files.keep_as_right() if seed == 2 else files.keep_as_old(folder / f"old{i}")

    def round(self):
        with_old = self.killer.rng.random() < 0.5
        more = ["--overwrite" if with_old else "--skip-existing"]
        for files in self.outputs:
            files.begin(with_old)
        if not self.killer.run([GPUCCL, *self.words, *more], self.longest):
            for files in self.outputs:
                files.check(with_old, self.killer.last)
            clear_left(self.folder, self.killer.last)
            run(*self.words, *more)
        for files in self.outputs:
            files.check_right()


class Tasks:
    """All steps of a run by tasks; one that was killed is started again."""
    PARTS = 3

    def __init__(self, folder, killer):
        self.killer, self.folder, self.parts = killer, folder, folder / "parts"
        out = folder / "out"
        out.mkdir(parents=True)
        source = folder / "in.tif"
        names = [out / name for name in ("labels.tiff", "labels.csv", "labels.json")]
        self.words = ["label", source, "-o", names[0], "--stats", names[1], "--fill-holes", "--overwrite", *FIXED]
        self.outputs = Outputs(names)
        for seed in (1, 2):
            generate(source, "300x250x8", seed)
            run(*self.words)
            self.outputs.keep_as_right() if seed == 2 else self.outputs.keep_as_old(folder / "old")
        self.outputs.begin(True)
        steps = self.steps()
        begin = time.monotonic()
        for step in steps[:-1]:
            run(*step)
        self.longest = (time.monotonic() - begin) / (len(steps) - 1) * 1.2
        copy(self.parts, folder / "written")

    def steps(self):
        each = [[*self.words, "--part", f"{part}/{self.PARTS}", "--parts-dir", self.parts] for part in range(1, self.PARTS + 1)]
        self.killer.rng.shuffle(each)
        join = ["join", self.parts, "--quiet"]
        return [*each, join, *each, join, *each, [*join, "--finish"]]  # holes, labels, outputs

    def do(self, steps):
        for step in steps:
            while not self.killer.run([GPUCCL, *step], self.longest):
                self.outputs.check(True, self.killer.last)
                clear_left(self.folder / "out", self.killer.last)
        clear_left(self.parts, signal.SIGKILL)
        self.outputs.check_right()
        assert sorted(path.name for path in self.parts.iterdir()) == ["finished", "run"]

    def round(self):
        remove(self.parts)
        self.outputs.begin(True)
        self.do(self.steps())


class Finish(Tasks):
    """The last step alone."""

    def round(self):
        copy(self.folder / "written", self.parts)
        self.outputs.begin(True)
        self.do(self.steps()[-1:])


class Groups:
    """Labels in the image they are of, whose metadata list them with others."""
    SIZE = (8, 120, 160)

    def __init__(self, folder, killer):
        self.killer, self.folder, self.store = killer, folder, folder / "v.zarr"
        folder.mkdir()
        self.words = [["label", self.store, "-o", self.store / "labels" / name, "--overwrite", *FIXED] for name in ("cells", "others")]
        self.versions = []
        for seed in (1, 2):
            self.write_image(random.Random(seed))
            if seed == 1:
                run(*self.words[1])
            begin = time.monotonic()
            run(*self.words[0])
            self.longest = (time.monotonic() - begin) * 1.1
            copy(self.store, folder / f"version{seed}")
            self.versions.append(content(self.store / "labels" / "cells"))
        self.others = content(self.store / "labels" / "others")
        assert self.versions[0] != self.versions[1]

    def write_image(self, rng):
        (self.store / "0").mkdir(parents=True, exist_ok=True)
        axes = [{"name": axis, "type": "space"} for axis in "zyx"]
        scale = [{"type": "scale", "scale": [1, 1, 1]}]
        image = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}]}
        array = {"zarr_format": 2, "shape": self.SIZE, "chunks": self.SIZE, "dtype": "|u1", "compressor": None, "fill_value": 0,
                 "order": "C", "filters": None, "dimension_separator": "/"}
        (self.store / ".zgroup").write_text('{"zarr_format": 2}')
        (self.store / ".zattrs").write_text(json.dumps(image))
        (self.store / "0" / ".zarray").write_text(json.dumps(array))
        chunk = self.store / "0" / "0" / "0" / "0"
        chunk.parent.mkdir(parents=True, exist_ok=True)
        depth, height, width = self.SIZE
        chunk.write_bytes(struct.pack(f"{depth * height * width}B", *(rng.random() < 0.4 for _ in range(depth * height * width))))

    def listed(self):
        return json.loads((self.store / "labels" / ".zattrs").read_bytes())["labels"]

    def round(self):
        copy(self.folder / "version1", self.store)
        copy(self.folder / "version2" / "0", self.store / "0")
        cells, with_old = self.store / "labels" / "cells", self.killer.rng.random() < 0.6
        if not with_old:
            remove(cells)
            (self.store / "labels" / ".zattrs").write_text('{"labels": ["others"]}')
        if not self.killer.run([GPUCCL, *self.words[0]], self.longest):
            now = content(cells) if cells.exists() else ABSENT
            assert now in (self.versions[0] if with_old else ABSENT, self.versions[1]), now and now.keys()
            assert "others" in self.listed() and content(self.store / "labels" / "others") == self.others
            assert now is not ABSENT or "cells" not in self.listed()
            clear_left(self.store, self.killer.last)
            run(*self.words[0])
        assert content(cells) == self.versions[1] and sorted(self.listed()) == ["cells", "others"]
        assert content(self.store / "labels" / "others") == self.others


def main():
    kinds = [Tiff, Zarr, Nifti, Batch, Tasks, Finish, Groups]
    if len(MPI) == 2 and subprocess.run([MPI[1], "--version"], capture_output=True, text=True).stdout.find("Open MPI") >= 0:
        kinds.append(Mpi)
    done = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, kind in enumerate(kinds):
            killer = Killer(random.Random(f"{SEED} {kind.__name__}"))
            case = kind(pathlib.Path(scratch) / kind.__name__, killer)
            wanted, rounds = COUNT // len(kinds) + (number < COUNT % len(kinds)), 0
            while killer.kills < wanted:
                rounds += 1
                assert rounds < 20 * wanted + 100, (kind.__name__, "comes to its end before it is killed")
                try:
                    case.round()
                except (AssertionError, ValueError):
                    print(f"{kind.__name__}, round {rounds}, seed {SEED}, signal {killer.last}", flush=True)
                    raise
            print(f"{kind.__name__}: {killer.kills} kills in {rounds} rounds", flush=True)
            done += killer.kills
    assert done >= COUNT, done
    print("killed at random moments:", done)


main()
