"""tasks.py GPUCCL: tasks that fail, and the files of one process to the last byte after the failures.

Tasks are run twice; files of parts are missing, damaged, crafted or of another run; a disk
is full; an input is replaced. tests/app/kills.py kills tasks. tests/golden labels by tasks with every format and option. GPUCCL_LONG: more of all.
"""
import copy
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

GPUCCL = sys.argv[1]
LONG = bool(os.environ.get("GPUCCL_LONG"))
ENDS = (".csv", "-contacts.csv", ".json")


def start(words, limit=None):
    prepare = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.Popen([GPUCCL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare)


def run(*words, code=0, said="", limit=None):
    """Runs to the end, which is to be exit code `code`, with one line that has `said` if that is not 0."""
    process = start(words, limit)
    out, err = (text.decode() for text in process.communicate())
    line = re.fullmatch(r"gpuccl: [^\n]+\n", err) if code else err == ""
    assert process.returncode == code and line and said in err and out == "", (words, process.returncode, code, said, err)
    return err


def generate(path, size, density, seed):
    run("generate", "random", "--size", "x".join(map(str, size)), "--density", density, "--seed", seed, "-o", path)


def generate_values(path, size, rng):
    """A .npy of blocks of a few values, which touch each other."""
    shape = tuple(reversed(size))
    depth, height, width = (1,) * (3 - len(shape)) + shape
    blocks = [[[rng.randrange(6) for _ in range(width // 5 + 1)] for _ in range(height // 3 + 1)] for _ in range(depth // 2 + 1)]
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode()
                     + bytes(blocks[z // 2][y // 3][x // 5] for z in range(depth) for y in range(height) for x in range(width)))


def generate_samples(path, size, rng):
    """A .npy of samples of any kind, those of real numbers with some that are none."""
    kind, pack = rng.choice([("|u1", "B"), ("<i2", "h"), ("<u4", "I"), ("<u8", "Q"), ("<f4", "f")])
    bits = 8 * struct.calcsize("<" + pack)
    def sample():
        if pack == "f":
            return rng.choice([float("nan"), rng.random() * 10 ** rng.randint(0, 9), rng.random()])
        return rng.getrandbits(bits) - (1 << bits - 1 if pack == "h" else 0)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(reversed(size))}, }}".ljust(117) + "\n"
    count = math.prod(size)
    few = [sample() for _ in range(min(count, 1000))]
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode()
                     + struct.pack(f"<{count}{pack}", *(few[i % 997 * 31 % len(few)] for i in range(count))))


def comparable(path):
    """A report without what another run has otherwise: times, devices, names of outputs."""
    report = json.loads(path.read_bytes())
    del report["timings_ms"], report["labeling"]["device"]
    for file in ("output", "stats", "contacts"):
        if report[file]:
            del report[file]["path"]
    return report


def contents(path):
    """Contents of a file, or of all files of a folder with its folders."""
    if not path.is_dir():
        return path.read_bytes()
    return {str(entry.relative_to(path)): entry.read_bytes() if entry.is_file() else None for entry in path.rglob("*")}


class Case:
    """One run of tasks, compared with the files of one process."""

    def __init__(self, folder, source, parts, options, extension=".tiff"):
        self.folder, self.parts = folder, parts
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "out").mkdir(parents=True)
        self.image = folder / "out" / ("labels" + extension)
        self.outputs = [self.image, *(self.image.with_name(name) for name in ("labels.csv", "contacts.csv", "labels.json"))]
        self.dir = folder / "parts"
        fixed = ["--device", "cpu", "--threads", "2", "--no-fsync", *options]
        self.command = ["label", source, "-o", self.image, "--stats", self.outputs[1], "--contacts", self.outputs[2], *fixed]
        whole = folder / "whole"
        run("label", source, "-o", str(whole) + extension, "--stats", str(whole) + ".csv", "--contacts", str(whole) + "-contacts.csv",
            "--quiet", *fixed)
        self.whole = [pathlib.Path(str(whole) + end) for end in (extension, *ENDS)]

    def task(self, part):
        return [*self.command, "--quiet", "--part", f"{part}/{self.parts}", "--parts-dir", self.dir]

    def join(self, *more):
        return ["join", self.dir, "--quiet", *more]

    def each(self, random_order=None):
        order = list(range(1, self.parts + 1))
        if random_order:
            random_order.shuffle(order)
        for part in order:
            run(*self.task(part))

    def check(self):
        for ours, right in zip(self.outputs[:-1], self.whole):
            assert contents(ours) == contents(right), ours
        assert comparable(self.outputs[-1]) == comparable(self.whole[-1])
        assert sorted(path.name for path in self.dir.iterdir()) == ["finished", "run"]
        assert sorted((self.folder / "out").iterdir()) == sorted(self.outputs)

    def check_untouched(self):
        assert list((self.folder / "out").iterdir()) == []


def same_part_at_once(scratch, rounds):
    """Processes that do the same at once, such as a task that was started twice."""
    source = scratch / "in.tif"
    for seed in range(rounds):
        generate(source, (300, 200, 6), 0.4, seed)
        case = Case(scratch / "case", source, 2, ["--fill-holes", "--measure", "border"])

        def at_once(*commands):
            for process in [start(words) for words in commands for _ in range(3)]:
                err = process.communicate()[1]
                assert process.returncode == 0 and err == b"", (seed, commands, err)

        for _ in range(3):
            at_once(case.task(1), case.task(2))
            at_once(case.join())
        at_once(case.task(1), case.task(2))
        assert not list(case.dir.glob(".gpuccl-*"))
        case.check_untouched()
        run(*case.join("--finish"))
        case.check()


def damaged(path, how, rng):
    content = bytearray(path.read_bytes())
    if how == "missing":
        return path.unlink()
    if how == "empty":
        content.clear()
    elif how == "cut":
        del content[rng.randrange(len(content)):]
    elif how == "longer":
        content += b"more"
    elif how == "flipped":
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def follow(case, words, depth=0):
    """Runs `words`, and first what their messages ask for."""
    process = start(words)
    err = process.communicate()[1].decode()
    if process.returncode == 0:
        return
    assert process.returncode in (65, 66) and err.count("\n") == 1 and depth < 30, (words, process.returncode, err)
    case.check_untouched()
    if "run every --part again, then gpuccl join" in err:
        remedies = [*map(case.task, range(1, case.parts + 1)), case.join()]
    elif "run gpuccl join" in err:
        remedies = [case.join()]
    else:
        remedies = [case.task(part) for part in re.findall(rf"(\d+)/{case.parts}", err.partition("run again: --part ")[2])]
    assert remedies, err
    for remedy in remedies:
        follow(case, remedy, depth + 1)
    follow(case, words, depth + 1)


def mended(scratch, share):
    """After each step a file is missing, damaged or of another run: messages name a remedy, and it repairs the run."""
    rng = random.Random(2)
    source, samples, kept = scratch / "in.tif", scratch / "samples.npy", scratch / "kept"
    generate_samples(samples, (60, 50), rng)
    generate(source, (60, 50), 0.4, 2)
    foreign = Case(scratch / "foreign", source, 3, [])
    foreign.each()
    runs = [((60, 50), ["-c", "4"]),
            ((60, 50), ["-c", "4", "--measure", "all", "--intensity", samples, "--keep", "area > 2 and holes < 3"]),
            ((60, 50, 6), ["-c", "26", "--fill-holes", "50", "--min-size", "3", "--measure", "border"]),
            ((60, 50, 6), ["-c", "26", "--measure", "topology", "--keep", "cavities > 0 or tunnels > 0"])]
    hows = ["missing", "empty", "cut", "longer", "flipped", "foreign"]
    count = 0
    for size, options in runs:
        generate(source, size, 0.6, 1)
        case = Case(scratch / "case", source, 3, options)
        finished = False
        while not finished:
            for step in (lambda: case.each(rng), lambda: run(*case.join())):
                step()
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(case.dir, kept)
                for name in sorted(file.name for file in kept.iterdir() if file.name != "run"):
                    if rng.random() > share:
                        continue
                    how = hows[count % len(hows)]
                    count += 1
                    if how == "foreign":
                        (case.dir / name).write_bytes((foreign.dir / "labels-1-of-3").read_bytes())
                    else:
                        damaged(case.dir / name, how, rng)
                    follow(case, case.join("--finish"))
                    case.check()
                    for file in case.outputs:
                        file.unlink()
                    shutil.rmtree(case.dir)
                    shutil.copytree(kept, case.dir)
                finished = start(case.join("--finish")).wait() == 0
                if finished:
                    break
        case.check()
    assert count > 20 * share
    print("files lost:", count)


def refused(scratch):
    source = scratch / "in.tif"
    generate(source, (80, 60, 7), 0.3, 1)
    case = Case(scratch / "case", source, 3, ["--min-size", "2"])
    run(*case.join(), code=66, said="parts/run: is missing")
    case.dir.mkdir()
    (case.dir / "run").write_text("")
    run(*case.task(1))
    run(*case.join(), code=66, said="labels-2-of-3: is missing; run again: --part 2/3, 3/3")
    run(*case.join("--finish"), code=66, said="joined: is missing")
    # Options that differ between tasks.
    for more in (["--largest", "4"], ["--json", scratch / "other.json"], ["-c", "6"], ["--overwrite"], ["--algo", "flood-fill"]):
        run(*case.task(2), *more, code=64, said="contains parts of another command")
    run(*[word if word != "2/3" else "2/4" for word in case.task(2)], code=64, said="is for 3 parts, not 4")
    case.each()
    run(*case.join())
    run(*case.join())
    run(*case.join("--finish"), code=66, said="stretch-1-of-3: is missing; run again: --part 1/3, 2/3, 3/3")
    # Samples of another size, and samples that replace the measured ones.
    generate(scratch / "samples.tif", (80, 60, 6), 0.3, 1)
    measured = Case(scratch / "measured", source, 2, ["--intensity", source])
    samples = [[word if word != source or i < 2 else scratch / "samples.tif" for i, word in enumerate(measured.task(part))] for part in (1, 2)]
    run(*samples[0], code=65, said="samples.tif: has 80x60x6")
    generate(scratch / "samples.tif", (80, 60, 7), 0.3, 2)
    for words in samples:
        run(*words)
    run(*measured.join())
    run(*samples[0])
    os.utime(scratch / "samples.tif", (1, 1))
    run(*samples[1], code=65, said="samples.tif, which has changed")
    for words in (measured.join(), measured.join("--finish")):
        run(*words, code=65, said="samples.tif: has changed")
    (scratch / "samples.tif").unlink()
    for words in (samples[1], measured.join(), measured.join("--finish")):
        run(*words, code=66, said="samples.tif: no such file")
    measured.check_untouched()
    # Another input, of the same size and age.
    shutil.copy2(source, scratch / "other.tif")
    (scratch / "other.tif").rename(source)
    run(*case.task(1), code=65, said="in.tif, which has changed")
    for words in (case.join(), case.join("--finish")):
        run(*words, code=65, said="in.tif: has changed")
    run(*[word if word != source else scratch / "missing.tif" for word in case.task(1)], code=66)
    case.check_untouched()

    for words in (["--part", "1/3"], ["--parts-dir", "d"]):
        run("label", source, "-o", "out.tif", *words, code=64)
    for part in ("0/3", "4/3", "3", "1/0", "a/b", "1/2/3", "-1/3", "1/70000"):
        run("label", source, "-o", "out.tif", f"--part={part}", "--parts-dir", "d", code=64, said="is not a part")
    together = ["--part", "1/3", "--parts-dir", scratch / "d"]
    for words in (["--measure", "intensity"], ["--preview", "p.png"],
                  ["--intensity", "-"], ["--recursive"], ["--stats", "-"], ["--contacts", "-"], ["--values", "--delta", "1", "--keep-values"], ["more.tif"], ["--json", "/dev/stdout"]):
        run("label", source, "-o", "out.tif", *together, *words, code=64)
    for image in ("out.jpg", "out/"):
        run("label", source, "-o", image, *together, code=64)
    for image in ("out/", scratch):
        run("label", source, "-o", image, *together, code=64, said="parts label one input; give -o a file name")
    for listed in (source, scratch / "list.txt"):
        run("label", f"@{listed}", "-o", "out.tif", *together, code=64, said="is a list of inputs")
    run("label", "/dev/stdin", "-o", "out.tif", *together, code=64, said="/dev/stdin cannot be read in parts")
    run("label", source, "-o", "out.tif", "--intensity", "/dev/fd/0", *together, code=64, said="/dev/fd/0 cannot be read in parts")
    run("join", "-", code=64, said="DIR: is a folder")
    run("label", source, "-o", source, *together, code=64)
    run("label", source, "-o", scratch / "no/out.tif", *together, code=73)
    assert not (scratch / "d").exists()
    mine = scratch / "mine"
    mine.mkdir()
    for name in ("labels-old.tiff", "run"):
        (mine / name).write_text("mine")
        run("label", source, "-o", scratch / "out.tif", "--part", "1/1", "--parts-dir", mine, code=73 if name != "run" else 65)
        assert (mine / name).read_text() == "mine"
        (mine / name).unlink()
    run("label", source, "-o", mine / "out.tif", "--part", "1/1", "--parts-dir", mine, code=64, said="is inside")
    (scratch / "d").write_text("a file")
    run("label", source, "-o", scratch / "out.tif", *together, code=73)

    # The labels do not fit; old files stay.
    generate(source, (200, 200), 0.1, 1)
    case = Case(scratch / "case", source, 2, [])
    case.command += ["--label-type", "u8"]
    case.image.write_bytes(b"old")
    case.each()
    run(*case.join(), code=65, said="u8")
    assert case.image.read_bytes() == b"old"


def full_disk(scratch):
    source = scratch / "in.tif"
    generate(source, (400, 300, 6), 0.3, 1)
    case = Case(scratch / "case", source, 2, ["--compress", "none"])
    run(*case.task(1), code=74, limit=20000, said="labels-1-of-2")
    case.each()
    run(*case.join(), code=74, limit=2000, said="numbers-1-of-2")
    run(*case.join("--finish"), code=66)
    run(*case.join())
    run(*case.task(2), code=74, limit=100000, said="stretch-2-of-2")
    case.each()
    for file in case.outputs:
        file.write_text("")
    old = case.image.read_bytes()
    run(*case.join("--finish"), code=74, limit=1000000, said="labels.tiff")
    assert case.image.read_bytes() == old
    run(*case.join("--finish"))
    case.check()


def finished(scratch):
    """A folder that is done says so as long as its outputs are there, and replaces nothing that it must not."""
    source = scratch / "in.tif"
    generate(source, (80, 60), 0.3, 1)
    case = Case(scratch / "case", source, 2, ["--no-clobber"])

    def all_steps():
        case.each()
        run(*case.join())
        case.each()

    all_steps()
    case.image.write_text("of somebody else")
    run(*case.join("--finish"), code=73, said="exists")
    case.image.unlink()
    (case.dir / ".gpuccl-left").write_text("by a task that was killed")
    run(*case.join("--finish"))
    case.check()
    was = (case.dir / "run").read_bytes()
    damaged(case.dir / "run", "cut", random.Random(1))
    run(*case.task(1), code=65, said="remove the folder")
    (case.dir / "run").write_bytes(was)
    case.outputs[1].unlink()
    for words in (case.task(1), case.join(), case.join("--finish")):
        run(*words, code=65, said="outputs have changed")
    # A run without a label image, with other words for the same folder.
    shutil.rmtree(case.dir)
    case = Case(scratch / "case", source, 2, [])
    case.command = ["label", source, "--stats", case.outputs[1], "--device", "cpu"]
    all_steps()
    run(*case.join("--finish"))
    assert case.outputs[1].read_bytes() == case.whole[1].read_bytes() and not case.image.exists()


def links(scratch):
    """Names of outputs become links to what must stay, before the last step."""
    rng = random.Random(6)
    source, samples = scratch / "in.npy", scratch / "samples.npy"
    generate_values(source, (40, 30), rng)
    generate_samples(samples, (40, 30), rng)
    for more in ([], ["--overwrite"]):
        case = Case(scratch / "case", source, 2, ["--intensity", samples, *more], ".npy")
        for _ in range(2):
            case.each()
            run(*case.join())
        case.each()
        image, table = case.outputs[:2]
        kept = {path: path.read_bytes() for path in (source, samples, *case.dir.iterdir())}
        for output, target, said in (
                (image, source, "output and input are the same file"), (table, samples, "output and input are the same file"),
                (table, image, "is the name of two outputs"), (image, case.dir / "labels-1-of-2", "is inside the folder of parts"),
                (image, case.dir / "new", "is inside the folder of parts"), (table, "/dev/null", "cannot be an output")):
            output.symlink_to(target)
            run(*case.join("--finish"), code=64, said=said)
            run(*case.task(1), code=64, said=said)
            output.unlink()
            case.check_untouched()
            assert kept == {path: path.read_bytes() for path in (source, samples, *case.dir.iterdir())}
        table.write_text("a,table\n")
        if not more:
            run(*case.join("--finish"), code=73, said="is not an earlier version of this table")
            table.unlink()
        run(*case.join("--finish"))
        case.check()


def written_by_others(scratch):
    """Files that somebody else could have written are not trusted, and links are not written to."""
    source, thesis = scratch / "in.tif", scratch / "thesis"
    generate(source, (60, 40), 0.4, 1)
    thesis.write_text("years of work")
    case = Case(scratch / "case", source, 1, [])

    def cannot(words, name, said="symbolic link"):
        (case.dir / name).unlink(missing_ok=True)
        (case.dir / name).symlink_to("../../thesis")
        run(*words, code=73, said=said)
        assert thesis.read_text() == "years of work"
        (case.dir / name).unlink()

    case.dir.mkdir()
    cannot(case.task(1), "labels-1-of-1")
    (case.dir / "run").unlink()
    (case.dir / "run").symlink_to("../../nothing")
    run(*case.task(1), code=73, said="symbolic link")
    (case.dir / "run").unlink()
    case.each()
    # A link, and a folder, replace labels: neither is read.
    labels = (case.dir / "labels-1-of-1").read_bytes()
    for make, code, said in (
            (lambda path: path.symlink_to("../../thesis"), 66, "is a symbolic link, which must be removed"),
            (lambda path: path.symlink_to("run"), 66, "is a symbolic link, which must be removed"),
            (lambda path: path.symlink_to("nothing"), 66, "is a symbolic link, which must be removed"),
            (os.mkfifo, 65, "is not a file and must be removed"),
            (pathlib.Path.mkdir, 65, "is not a file and must be removed")):
        path = case.dir / "labels-1-of-1"
        path.unlink()
        make(path)
        run(*case.join(), code=code, said=f"labels-1-of-1: {said}; run again: --part 1/1")
        run(*case.task(1), code=73, said="labels-1-of-1")
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        path.write_bytes(labels)
        assert thesis.read_text() == "years of work"
    cannot(case.join(), "numbers-1-of-1")
    (case.dir / "joined").symlink_to("../../thesis")  # it is replaced, and what it leads to is not
    run(*case.join())
    assert thesis.read_text() == "years of work" and not (case.dir / "joined").is_symlink()
    cannot(case.task(1), "stretch-1-of-1")
    case.each()
    cannot(case.join("--finish"), "finished")
    os.mkfifo(case.dir / "finished")
    run(*case.join("--finish"), code=73, said="not a regular file")
    (case.dir / "finished").unlink()
    # The folder says which files are written: only its user may have.
    umask = os.umask(0)
    try:
        shutil.rmtree(case.dir)
        case.each()
        for mode in (0o777, 0o775, 0o757, 0o755):
            case.dir.chmod(mode)
            process = start(["join", case.dir])
            said = process.communicate()[1].decode()
            warned = said == f"gpuccl: warning: {case.dir}: other users can write to this folder; use chmod go-w\n"
            assert process.returncode == 0 and (warned if mode != 0o755 else not said), (oct(mode), said)
        case.each()
    finally:
        os.umask(umask)
    for file in case.dir.iterdir():
        assert file.stat().st_mode & 0o022 == 0, file
    for name in ("run", "stretch-1-of-1"):
        for mode in (0o664, 0o646):
            (case.dir / name).chmod(mode)
            said = run(*case.join("--finish"), code=66, said="can be written to by other users")
            assert said.endswith("use chmod go-w\n" if name == "run" else "run again: --part 1/1\n"), said
            assert (case.dir / name).stat().st_mode & 0o777 == mode
        (case.dir / name).chmod(0o644)
        if os.geteuid() == 0:
            os.chown(case.dir / name, 12345, -1)
            run(*case.join("--finish"), code=66, said="is of another user (uid 12345)")
            os.chown(case.dir / name, 0, -1)
    case.check_untouched()
    run(*case.join("--finish"))
    case.check()
    (case.dir / "run").unlink()
    os.mkfifo(case.dir / "run")
    run(*case.task(1), code=65, said="is damaged")
    volume = scratch / "volume.tif"
    generate(volume, (60, 40, 3), 0.4, 1)
    run("label", volume, "-o", scratch / "o.png", "--part", "1/2", "--parts-dir", scratch / "of-png", code=65, said="PNG can hold only one slice")


class Sections:
    """A file of a part, with the checksums of what it is made to hold."""

    def __init__(self, path):
        self.path, content = path, path.read_bytes()
        self.tag, (count, _, self.magic) = content[-56:-24], struct.unpack("<3Q", content[-24:])
        table = content[len(content) - 56 - 24 * count:-56]
        self.bytes = [content[begin:begin + size] for begin, size, _ in struct.iter_unpack("<3Q", table)]

    def of(self, parts):
        other = copy.copy(self)
        other.bytes = parts
        return other

    def write(self):
        begin, table = 0, b""
        for part in self.bytes:
            table += struct.pack("<3Q", begin, len(part), zlib.crc32(part))
            begin += len(part)
        self.path.write_bytes(b"".join(self.bytes) + table + self.tag
                              + struct.pack("<3Q", len(self.bytes), zlib.crc32(table + self.tag), self.magic))


def crafted(scratch, rounds):
    """Files with right checksums and any content: an answer or a word about them, never a crash, nothing by halves."""
    rng = random.Random(9)

    def large(part, word):
        at = rng.randrange(max(1, len(part) // word)) * word
        return part[:at] + rng.choice([b"\xff" * word, (1 << 8 * word - 2).to_bytes(word, "little"), (1000 % (1 << 8 * word)).to_bytes(word, "little")]) + part[at + word:]

    changes = [lambda part: b"", lambda part: part[:len(part) // 16 * 8], lambda part: part[8:], lambda part: part + part[-8:], lambda part: part * 3,
               lambda part: large(part, 1), lambda part: large(part, 4), lambda part: large(part, 8), lambda part: bytes(len(part)),
               lambda part: b"\xff" * len(part)]
    volume, values, samples = scratch / "in.tif", scratch / "values.npy", scratch / "samples.npy"
    generate(volume, (30, 20, 9), 0.4, 1)
    generate_values(values, (30, 20, 9), rng)
    generate_samples(samples, (30, 20, 9), rng)
    kinds = [("in.tif", ["--measure", "moments_central-2-0-0,feret_diameter_max,cavities", "--intensity", samples], ".tiff"),
             ("in.tif", ["--periodic", "x,y,z"], ".npy"), ("in.tif", ["--fill-holes", "-c", "6"], ".tiff"),
             ("values.npy", ["--values"], ".tiff"), ("values.npy", ["--values", "--keep-values"], ".npy")]
    crashes = []
    for name, options, extension in kinds:
        case = Case(scratch / "case", scratch / name, 2, options, extension)
        steps = [case.task(1), case.task(2), case.join()] * 2 + [case.task(1), case.task(2), case.join(), case.task(1), case.task(2), case.join("--finish")]
        kept = scratch / "kept"
        for step, words in enumerate(steps):
            files = sorted(case.dir.iterdir()) if case.dir.exists() else []
            shutil.rmtree(kept, ignore_errors=True)
            if files:
                shutil.copytree(case.dir, kept)
            for _ in range(rounds if files else 0):
                file = Sections(rng.choice(files))
                section, change = rng.randrange(len(file.bytes)), rng.randrange(len(changes))
                file.bytes[section] = changes[change](file.bytes[section])
                file.write()
                process = start(words)
                err = process.communicate()[1].decode()
                if process.returncode not in (0, 64, 65, 66, 71, 73) or err.count("\n") > 1:
                    crashes.append((name, options, step, file.path.name, section, change, process.returncode, err[:200]))
                shutil.rmtree(case.dir)
                shutil.copytree(kept, case.dir)
                for output in case.outputs:
                    output.unlink(missing_ok=True)
            if step + 1 < len(steps):
                run(*words)
    assert not crashes, "\n".join(map(str, crashes))
    run_file = Sections(case.dir / "run")
    for part in (b"gpuccl\0" + run_file.bytes[0].split(b"\0")[1] + b"\0label\0--help", run_file.bytes[0] + b"\0another"):
        run_file.of([part, run_file.bytes[1]]).write()
        run(*case.join("--finish"), code=65, said="is damaged")
    for parts in (b"0", b"-3", b"70000"):
        run_file.of([run_file.bytes[0], parts + b"\0" + run_file.bytes[1].split(b"\0", 1)[1]]).write()
        run(*case.join("--finish"), code=65, said="is damaged")


def stacks(scratch):
    slices = scratch / "slices"
    slices.mkdir()
    for i in range(5):
        generate(slices / f"{i}.png", (70, 50), 0.3, i)
    case = Case(scratch / "case", slices, 3, ["--stack", "-c", "18", "--threshold", "otsu"])
    case.each()
    before = os.stat(slices / "3.png").st_mtime_ns
    os.utime(slices / "3.png", (2**32, 2**32))
    run(*case.join(), code=65, said="changed")
    # The new file has the same size and is older than the one it replaces.
    os.utime(slices / "3.png", (2, 2))
    shutil.rmtree(case.dir)
    case.each()
    os.utime(slices / "3.png", (1, 1))
    run(*case.join(), code=65, said="changed")
    os.utime(slices / "3.png", ns=(before, before))
    shutil.rmtree(case.dir)
    case.each()
    run(*case.join())
    case.each()
    run(*case.join("--finish"))
    case.check()


with tempfile.TemporaryDirectory() as folder:
    tests = [(same_part_at_once, (20 if LONG else 2,)), (mended, (1 if LONG else 0.15,)), (refused, ()), (full_disk, ()), (finished, ()), (links, ()), (written_by_others, ()),
             (crafted, (200 if LONG else 12,)), (stacks, ())]
    for test, arguments in tests:
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        scratch = pathlib.Path(folder) / test.__name__
        scratch.mkdir()
        begin = time.monotonic()
        test(scratch, *arguments)
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
