"""replay.py GPUCCL RECORD_CALLS: whenever the power goes, each output is the old one, the new one, or absent.

The calls of a run that change files are recorded. Then the disk is computed as a crash after each call may leave it,
and looked at: each output is old, absent or complete, and a report stands next to the files of its own run. Some of
these disks are made, and the command goes on from there.

What a crash may leave: data that was not synced is there, is missing, or is there in part. Names are given in order,
as journaling file systems have it. In the weak form each folder has its own order, until it is synced; files are then
old, absent or complete, too, and so are a report and files in its folder.

GPUCCL_LONG: more ways in which data is there in part. GPUCCL_SEED: of these [1].
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

GPUCCL, RECORDER = map(os.path.abspath, sys.argv[1:3])
if b"__asan_init" in pathlib.Path(GPUCCL).read_bytes():
    print("skipped: a preloaded library and sanitizers do not get along")
    sys.exit(77)
WAYS = 20 if os.environ.get("GPUCCL_LONG") else 3
RANDOM = random.Random(int(os.environ.get("GPUCCL_SEED") or 1))
FIXED = ["--quiet", "--device", "cpu", "--threads", "2"]


class Disk:
    """Contents of files, and names in folders, by inode: as calls change them, and as a crash may leave them."""

    def __init__(self, top):
        self.top, self.synced, self.pending, self.names = top, {}, {}, {}
        self.root = self.add_folder(top)
        self.log = {folder: [dict(names)] for folder, names in self.names.items()}  # since it was synced

    def add_folder(self, path):
        inode = str(os.stat(path).st_ino)
        self.names[inode] = {}
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                self.names[inode][entry.name] = self.add_folder(entry.path)
            else:
                self.names[inode][entry.name] = str(entry.inode())
                self.synced[str(entry.inode())] = pathlib.Path(entry.path).read_bytes()
        return inode

    def place(self, path):
        """The folder that a path is in, and the name there."""
        folder = self.root
        *folders, name = os.path.relpath(path, self.top).split("/")
        for each in folders:
            folder = self.names[folder][each]
        return folder, name

    def apply(self, line):
        call, *words = line.split("\t")
        changed = []
        if call == "create":
            self.synced[words[0]], self.pending[words[0]] = b"", []
            if words[1] != "-":
                changed = [self.give(words[1], words[0])]
        elif call == "write":
            self.pending.setdefault(words[0], []).append((int(words[1]), bytes.fromhex(words[2])))
        elif call == "truncate":
            self.pending.setdefault(words[0], []).append((int(words[1]), None))
        elif call == "sync":
            self.sync(words[0])
        elif call == "syncfs":
            for inode in [*self.pending, *self.names]:
                self.sync(inode)
        elif call == "link":
            changed = [self.give(words[1], words[0])]
        elif call == "mkdir":
            self.names[words[0]], self.log[words[0]] = {}, [{}]
            changed = [self.give(words[1], words[0])]
        elif call in ("unlink", "rmdir"):
            changed = [self.take(words[0])[0]]
        elif call == "rename":
            folder, target = self.take(words[0])
            changed = [folder, self.give(words[1], target)]
        elif call == "exchange":
            (_, first), (_, second) = self.take(words[0]), self.take(words[1])
            changed = [self.give(words[0], second), self.give(words[1], first)]
        else:
            raise ValueError(line)
        for folder in dict.fromkeys(changed):
            self.log[folder].append(dict(self.names[folder]))

    def sync(self, inode):
        if inode in self.names:
            self.log[inode] = [dict(self.names[inode])]
        else:
            self.synced[inode] = self.content(inode, self.pending.pop(inode, []))

    def give(self, path, target):
        folder, name = self.place(path)
        self.names[folder][name] = target
        return folder

    def take(self, path):
        folder, name = self.place(path)
        return folder, self.names[folder].pop(name)

    def content(self, inode, writes):
        data = bytearray(self.synced.get(inode, b""))
        for offset, piece in writes:
            if piece is None:
                data = data[:offset].ljust(offset, b"\0")
            else:
                data[len(data):] = bytes(max(0, offset - len(data)))
                data[offset:offset + len(piece)] = piece
        return bytes(data)

    def some_of(self, inode, way):
        """Data that may be left of data that was not synced."""
        writes = self.pending.get(inode, [])
        if way == "all":
            return self.content(inode, writes)
        if way == "none":
            return self.content(inode, [])
        chosen = []
        for offset, piece in writes:
            luck = RANDOM.random()
            if luck < 0.4:
                chosen.append((offset, piece))
            elif luck < 0.6 and piece:
                chosen.append((offset, piece[:RANDOM.randrange(len(piece))]))
        return self.content(inode, chosen)

    def after_crash(self, way, weak=False):
        """The files by path, of folders None."""
        names = {folder: RANDOM.choice(log) for folder, log in self.log.items()} if weak else self.names
        found, contents = {}, {}

        def look(folder, path):
            for name, target in names[folder].items():
                inner = os.path.join(path, name)
                if target in names:
                    found[inner] = None
                    look(target, inner)
                else:
                    if target not in contents:
                        contents[target] = self.some_of(target, way)
                    found[inner] = contents[target]
        look(self.root, self.top)
        return found


def plain(path, data):
    """Fields of a report that do not depend on the run."""
    if not path.endswith(".json") or os.path.basename(path).startswith((".", "zarr")):
        return data
    try:
        report = json.loads(data)
    except ValueError:
        return data  # half a report is none of the expected contents
    if "timings_ms" in report:
        del report["timings_ms"], report["labeling"]["device"]
    return report


def below(files, path):
    """A file, or all of a folder, or None."""
    if path not in files:
        return None
    if files[path] is not None:
        return plain(path, files[path])
    return {name[len(path):]: data for name, data in files.items() if name.startswith(path + "/") and data is not None}


def disk(top):
    found = {}
    for folder, names, files in os.walk(top):
        found.update({os.path.join(folder, name): None for name in names})
        found.update({os.path.join(folder, name): pathlib.Path(folder, name).read_bytes() for name in files})
    return found


def make(files, top, times):
    shutil.rmtree(top)
    os.mkdir(top)
    for path in sorted(files):
        if files[path] is None:
            os.mkdir(path)
        else:
            pathlib.Path(path).write_bytes(files[path])
            if (path, files[path]) in times:
                os.utime(path, ns=times[path, files[path]])


def run(*words, record=None, top=None):
    more = {"LD_PRELOAD": RECORDER, "GPUCCL_RECORD": record, "GPUCCL_BELOW": top} if record else {}
    done = subprocess.run([GPUCCL, *words], env={**os.environ, **more}, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr)


class Case:
    """A command that writes groups of files below `top`, each with its report last, over those of an older run or none.

    `rest`: commands that come after it. TOP is the folder, IN the input.
    """

    def __init__(self, name, scratch, groups, words, rest=(), prepare=None, with_old=False):
        self.name, self.top, self.input = name, os.path.join(scratch, name.replace(" ", "-")), OLD
        self.groups = [[self.placed(path) for path in group] for group in groups]
        self.steps = [words, *rest]
        os.mkdir(self.top)
        if prepare:
            prepare(self.top)
        if with_old:
            run(*self.filled(words))
        self.old, self.input = disk(self.top), NEW

    def placed(self, word):
        return word.replace("TOP", self.top)

    def filled(self, words):
        return [self.input if word == "IN" else self.placed(word) for word in words]

    def check(self, files, weak):
        for group in self.groups:
            for path in group:
                now = below(files, path)
                assert now in (below(self.old, path), below(self.right, path), None), f"{path} is neither old nor new"
            *others, report = group
            if weak:
                others = [path for path in others if os.path.dirname(path) == os.path.dirname(report)]
            now = below(files, report)
            for of_run in (self.old, self.right):
                if now is not None and now == below(of_run, report):
                    for path in others:
                        assert below(files, path) == below(of_run, path), f"{report} stands next to {path} of another run"

    def replay(self):
        log = self.top + ".log"
        before = Disk(self.top)
        run(*self.filled(self.steps[0]), record=log, top=self.top)
        calls = pathlib.Path(log).read_text().splitlines()
        after = disk(self.top)
        for words in self.steps[1:]:
            run(*self.filled(words))
        self.right = disk(self.top)
        times = {(path, data): (os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns) for path, data in self.right.items() if data is not None}
        for *_, report in self.groups:
            assert below(self.right, report) != below(self.old, report), "nothing was done"
        made = 0
        for count in range(len(calls) + 1):
            call = calls[count - 1] if count else ""
            if count:
                before.apply(call)
            try:
                for way in ["none", "all", *range(WAYS)]:
                    self.check(before.after_crash(way), False)
                    self.check(before.after_crash(way, weak=True), True)
                if count == len(calls) or not call.startswith(("write", "sync")):
                    make(before.after_crash("none"), self.top, times)
                    for words in self.steps:
                        run(*self.filled(words))
                    now = disk(self.top)
                    for path in sum(self.groups, []):
                        assert below(now, path) == below(self.right, path), f"{path} is not right when the command goes on"
                    made += 1
            except AssertionError:
                print(f"{self.name}: after call {count} of {len(calls)}: {call[:100]}", flush=True)
                raise
        assert before.after_crash("all") == after, "the record misses calls"
        print(f"{self.name}: {len(calls)} calls, {made} disks from which it went on", flush=True)
        return len(calls) + 1


def run_tasks(top, steps):
    """The first steps of a run in two parts; the last one would be to join what they have written."""
    words = ["label", NEW, "-o", top + "/out.tiff", "--stats", top + "/out.csv", "--overwrite", *FIXED]
    parts = [[*words, "--part", f"{part}/2", "--parts-dir", top + "/parts"] for part in (1, 2)]
    for each in [*parts, ["join", top + "/parts"], *parts][:steps]:
        run(*each)


def make_zarr(top):
    run("label", OLD, "-o", top + "/v.zarr", *FIXED)
    os.remove(top + "/v.json")


def make_folders(top):
    for name in ("labels", "tables", "reports"):
        os.mkdir(os.path.join(top, name))


def main():
    global OLD, NEW
    with tempfile.TemporaryDirectory() as scratch:
        scratch = os.path.realpath(scratch)
        OLD, NEW, pages = (os.path.join(scratch, name) for name in ("old.tif", "new.tif", "pages"))
        for path, seed in ((OLD, "1"), (NEW, "2")):
            run("generate", "random", "--size", "60x40x6", "--density", "0.3", "--seed", seed, "-o", path)
        os.mkdir(pages)
        for seed in "123":
            run("generate", "random", "--size", "50x40", "--seed", seed, "-o", f"{pages}/{seed}.png")
        label = ["label", "IN", *FIXED, "--overwrite"]
        cases = []
        for extension in ("tiff", "nii.gz", "npy", "zarr"):
            files = [f"TOP/out.{extension}", "TOP/out.csv", "TOP/contacts.csv", "TOP/preview.png", "TOP/out.json"]
            words = [*label, "-o", files[0], "--stats", files[1], "--contacts", files[2], "-c", "6", "--preview", files[3]]
            cases.append(Case(extension, scratch, [files], words))
            cases.append(Case(f"{extension} over old files", scratch, [files], words, with_old=True))
        files = ["TOP/labels/out.tiff", "TOP/tables/out.csv", "TOP/reports/out.json"]
        words = [*label, "-o", files[0], "--stats", files[1], "--json", files[2]]
        cases.append(Case("three folders", scratch, [files], words, prepare=make_folders, with_old=True))
        words = ["label", pages, "-o", "TOP/out/", *FIXED, "--jobs", "2", "--skip-existing"]
        cases.append(Case("batch", scratch, [[f"TOP/out/{page}.tiff", f"TOP/out/{page}.json"] for page in "123"], words))
        group = [*label, "-o", "TOP/v.zarr/labels/cells", "--json", "TOP/cells.json"]
        cases.append(Case("labels in a Zarr", scratch, [["TOP/v.zarr/labels/cells", "TOP/cells.json"]], group, prepare=make_zarr, with_old=True))
        files = ["TOP/out.tiff", "TOP/out.csv", "TOP/out.json"]
        finish = ["join", "TOP/parts", "--finish", "--quiet"]
        cases.append(Case("joining tasks", scratch, [files], finish, prepare=lambda top: run_tasks(top, 5)))
        part = ["label", "IN", "-o", files[0], "--stats", files[1], "--overwrite", *FIXED, "--part", "2/2", "--parts-dir", "TOP/parts"]
        cases.append(Case("a task", scratch, [files], part, [finish], lambda top: run_tasks(top, 4)))
        points = sum(case.replay() for case in cases)
        print(f"crashed at {points} points, in {2 * (WAYS + 2)} ways each")


main()
