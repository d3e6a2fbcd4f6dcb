"""run.py [--update] [--only=REGEX] GPUCCL [GPUCCL_MPI MPIRUN]: runs the commands of commands.tsv and compares their outputs.

Each row of the table is a promise: a command, the modes that give the same files, the modes that refuse it, and hashes
of the files. Random commands follow, whose modes are compared with each other. GPUCCL_LONG: more of these, and tasks
and MPI for every row. --only: rows whose names match, and nothing random. --update writes the table again; read
git diff before you commit it.
"""
import concurrent.futures
import gzip
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.dirname(__file__))
import inputs  # noqa: E402

UPDATE = "--update" in sys.argv
ONLY = next((word[7:] for word in sys.argv if word.startswith("--only=")), None)
GPUCCL, *MPI = [os.path.abspath(word) for word in sys.argv[1:] if not word.startswith("--")]
LONG = bool(os.environ.get("GPUCCL_LONG"))
TABLE = pathlib.Path(__file__).with_name("commands.tsv")
ALGORITHMS = ("flood-fill", "sauf", "hcs2-aremsp", "pred", "drag", "ep", "fb")
MODES = ("threads", "slabs", "batch", "tasks", "mpi", "algorithms")
OUTPUTS = {"--stats": "--stats-dir", "--contacts": "--contacts-dir", "--json": "--json-dir", "--preview": "--preview-dir",
           "--outlines": "--outlines-dir"}
ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
ENVIRONMENT.pop("GPUCCL_LONG", None)


class Different(Exception):
    pass


def execute(words, folder):
    """The exit code, standard output and standard error."""
    done = subprocess.run([str(word) for word in words], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    return done.returncode, done.stdout, done.stderr.decode()


# --- What is compared -------------------------------------------------------------------------------------------------

# Fields of a report and of a line of --report that differ from run to run, or with a library's compression, or are
# compared separately.
VARIABLE = {"timings_ms", "device", "gpuccl", "bytes", "state", "seconds"}


def plain_report(value, inside=""):
    if isinstance(value, dict):
        return {key: plain_report(item, key) for key, item in value.items()
                if key not in VARIABLE and not (key == "version" and "gpuccl_match" in value) and not (key == "path" and inside in ("output", "preview", "stats", "contacts", "outlines"))}
    return [plain_report(item, inside) for item in value] if isinstance(value, list) else value


def plain_png(data):
    """Every chunk but those of pixels, and the pixels without compression."""
    chunks, pixels, at = b"", b"", 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8: at + 8 + size]
        pixels, chunks = (pixels + content, chunks) if kind == b"IDAT" else (pixels, chunks + kind + content)
        at += size + 12
    return chunks + zlib.decompress(pixels)


def plain_tiff(data):
    """The tags of every page and its strips, without Deflate."""
    order = "<" if data[:2] == b"II" else ">"
    big = struct.unpack_from(order + "H", data, 2)[0] == 43
    offset = struct.unpack_from(order + ("Q" if big else "I"), data, 8 if big else 4)[0]
    word, count_of, entry_bytes = ("Q", "Q", 20) if big else ("I", "H", 12)
    kinds = {1: "B", 2: "B", 3: "H", 4: "I", 5: "II", 11: "f", 12: "d", 16: "Q"}
    plain = []
    while offset:
        entries = struct.unpack_from(order + count_of, data, offset)[0]
        offset += struct.calcsize(count_of)
        tags = {}
        for i in range(entries):
            tag, kind, count = struct.unpack_from(order + "HH" + word, data, offset + entry_bytes * i)
            layout = order + kinds[kind] * count
            at = offset + entry_bytes * i + 4 + struct.calcsize(word)
            if struct.calcsize(layout) > struct.calcsize(word):
                at = struct.unpack_from(order + word, data, at)[0]
            tags[tag] = struct.unpack_from(layout, data, at)
        offset = struct.unpack_from(order + word, data, offset + entry_bytes * entries)[0]
        strips = [data[at: at + size] for at, size in zip(tags.pop(273), tags.pop(279))]
        plain.append(repr(sorted(tags.items())).encode())
        if tags.get(259) in ((8,), (32946,)):
            strips = [zlib.decompress(strip) for strip in strips]
        plain += strips if tags.get(259) != (50000,) else []  # Zstandard is not in Python: a row of its own reads it
    return b"".join(plain)


def plain(path, data):
    """Contents of a file, independent of the library that compressed it."""
    name = str(path)
    if name.endswith((".json", ".jsonl")):
        lines = [data] if name.endswith(".json") else data.splitlines()
        return b"\n".join(json.dumps(plain_report(json.loads(line)), sort_keys=True).encode() for line in lines)
    if data[:2] in (b"II", b"MM"):
        return plain_tiff(data)
    if data[:4] == b"\x89PNG":
        return plain_png(data)
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    head = data.find(b"\n\n") + 2  # of NRRD
    if data[:4] == b"NRRD" and b"encoding: gzip" in data[:head]:
        return data[:head] + gzip.decompress(data[head:])
    if b"CompressedData = True" in data[:1000]:
        head = data.index(b"ElementDataFile = LOCAL\n") + 24
        return re.sub(rb"CompressedDataSize = \d+\n", b"", data[:head]) + zlib.decompress(data[head:])
    if "/c/" in name and data[:1] == b"\x78":
        return zlib.decompress(data)
    return data


def short(data):
    return hashlib.sha256(data).hexdigest()[:10]


def hashes(folder, names):
    """By name: what each file says, and its bytes where these are more than that. `names`: files and folders, by output."""
    found = {}
    for name, place in names.items():
        files = sorted(path for path in (folder / place).rglob("*") if path.is_file()) if (folder / place).is_dir() else [folder / place]
        says, raw = hashlib.sha256(), hashlib.sha256()
        for path in files:
            inner = str(path.relative_to(folder / place)).encode()
            data = path.read_bytes()
            said = plain(path, data)
            for digest, content in ((says, said), (raw, said if path.suffix in (".json", ".jsonl") else data)):
                digest.update(inner + b"\0" + content)
        found[name] = says.hexdigest()[:10] + ("" if says.digest() == raw.digest() else "~" + raw.hexdigest()[:10])
    return found


# --- Modes ------------------------------------------------------------------------------------------------------------


class Refused(Exception):
    """Message of a mode that refuses to label."""


def refusal(code, err):
    lines = [line for line in err.splitlines() if line.startswith("gpuccl: ") and not line.startswith("gpuccl: warning: ")]
    return f"{code} {lines[-1][8:] if lines else err.strip()[-200:]}"


def need_success(done):
    if done[0]:
        raise Refused(refusal(done[0], done[2]))


class Row:
    """A command of the table in one folder per mode."""

    def __init__(self, words, folder):
        self.words, self.folder = words, folder
        self.image = words[words.index("-o") + 1] if "-o" in words else None
        self.outputs = {option: words[words.index(option) + 1] for option in OUTPUTS if option in words}

    def place(self, mode):
        place = self.folder / mode
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "in").symlink_to(IN)
        return place

    def names(self):
        return {**({"labels": self.image} if self.image else {}), **{option[2:]: name for option, name in self.outputs.items()}}

    def found(self, place):
        return hashes(place, self.names())

    def whole(self):
        place = self.place("whole")
        done = execute([GPUCCL, *self.words, "--threads", "1"], place)
        need_success(done)
        found = self.found(place)
        if done[2]:
            found["said"] = short(done[2].encode())
        return found

    def threads(self):
        place = self.place("threads")
        need_success(execute([GPUCCL, *self.words, "--threads", "4", "--quiet"], place))
        return self.found(place)

    def algorithms(self):
        for name in ALGORITHMS:
            place = self.place("algorithm")
            done = execute([GPUCCL, *self.words, "--algo", name, "--quiet"], place)
            if done[0] == 64 and "connectivity" in done[2]:
                continue
            need_success(done)
            report = self.outputs.get("--json")
            if report:
                data = json.loads((place / report).read_bytes())
                if data["labeling"]["algorithm"] != name:
                    raise Different(f"--algo {name} labeled by {data['labeling']['algorithm']}")
                data["labeling"]["algorithm"] = "runs"
                (place / report).write_text(json.dumps(data))
            yield name, self.found(place)

    def slabs(self):
        """In as many slabs as the program needs to say how little it can do with."""
        place, memory = self.place("slabs"), 1000
        for _ in range(12):
            code, _, err = execute([GPUCCL, *self.words, "--memory", str(memory), "--progress"], place)
            need = re.search(r"needs (?:[a-z]+ )*([\d.]+) (bytes|KiB|MiB)", err)
            if code == 0:
                if "labeling in" not in err:
                    raise Refused("0 needs no slabs")
                return self.found(place)
            if code not in (71, 65, 64) or "memory" not in err:
                break
            factor = {"bytes": 1, "KiB": 1024, "MiB": 2**20}
            memory = max(int((float(need[1]) + 0.1) * factor[need[2]]) if need else 0, memory * 5 // 4) if "1M or more" not in err else 2**20
        raise Refused(refusal(code, err))

    def batch(self):
        place = self.place("batch")
        words, folders, i = [], {}, 0
        source = pathlib.PurePath(self.words[1])
        while i < len(self.words):
            word = self.words[i]
            if word == "-o":
                extension = "".join(pathlib.PurePath(self.image).suffixes)
                extension = {".tif": ".tiff"}.get(extension, extension)
                words += ["-o", "out/", "--format", extension[1:]]
                folders["labels"] = "out/"
                i += 2
            elif word == "--outlines" and self.outputs[word].endswith(".json"):
                raise Refused("0 outlines of a batch are GeoJSON")
            elif word in OUTPUTS:
                words += [OUTPUTS[word], word[2:]]
                folders[word[2:]] = word[2:]
                i += 2
            elif word in ("--intensity", "--seeds"):  # folders of images of the same names, called as they are
                named = [pathlib.PurePath(name) for name in self.words[i + 1].split(",")]
                for image in named:
                    (place / image.stem).mkdir(exist_ok=True)
                    (place / image.stem / source.name).symlink_to(place / image)
                words += [word, ",".join(image.stem for image in named)]
                i += 2
            else:
                words.append(word)
                i += 1
        if self.image is None:
            words += ["--report", "lines.jsonl"]
        need_success(execute([GPUCCL, *words, "--quiet"], place))
        made = {}
        for name, folder in folders.items():
            files = list((place / folder).iterdir())
            files = [path for path in files if (path.suffix == ".json") == (name == "json")] if folder == "out/" else files
            if len(files) != 1:
                raise Different(f"{folder} has {len(files)} files")
            target = self.names()[name]
            files[0].rename(place / target)
            made[name] = target
            if name == "json":
                self.rename_intensity(place / target)
        return hashes(place, made)

    def rename_intensity(self, report):
        """The names of samples and seeds, which a batch has in folders."""
        for option in {"--intensity", "--seeds"} & set(self.words):
            data = json.loads(report.read_bytes())
            given = self.words[self.words.index(option) + 1]
            entries = data[option[2:]]
            for entry in entries if isinstance(entries, list) else [entries]:
                stem = pathlib.PurePath(entry["path"]).parent.name
                entry["path"] = next(name for name in given.split(",") if pathlib.PurePath(name).stem == stem)
            data["options"] = re.sub(option + r" \S+", option + " " + given, data["options"])
            report.write_text(json.dumps(data))

    def tasks(self, parts=2):
        place = self.place("tasks")
        finish = None
        for _ in range(6):
            for part in range(1, parts + 1):
                need_success(execute([GPUCCL, *self.words, "--part", f"{part}/{parts}", "--parts-dir", "parts", "--quiet"], place))
            if finish is not None:
                finish = execute([GPUCCL, "join", "parts", "--finish", "--quiet"], place)
                if finish[0] == 0:
                    return self.found(place)
            need_success(execute([GPUCCL, "join", "parts", "--quiet"], place))
            finish = finish or ()
        raise Refused(refusal(finish[0], finish[2]))

    def mpi(self, ranks):
        place = self.place("mpi")
        program, mpirun = MPI
        with tempfile.TemporaryDirectory() as session:  # the common one is removed by another that ends
            done = execute([mpirun, "--mca", "orte_tmpdir_base", session, "--oversubscribe", "--bind-to", "none", "-n", ranks, program,
                            *self.words, "--quiet", "--threads", "1"], place)
        need_success(done)
        return self.found(place)


def same_as(whole, found, mode):
    whole = {name: value for name, value in whole.items() if name != "said"}
    if found != whole:
        differ = [name for name in whole if found.get(name) != whole[name]]
        raise Different(f"{mode} differs in {', '.join(differ) or 'files'}")


def run_modes(row, whole, wanted, ranks):
    """The modes that give the same files, and by mode what the others say."""
    same, refused = [], {}
    for mode in wanted:
        try:
            if mode == "algorithms":
                for name, found in row.algorithms():
                    same_as(whole, found, name)
            elif mode == "mpi":
                for count in ranks:
                    same_as(whole, row.mpi(count), f"mpi {count}")
            else:
                same_as(whole, getattr(row, mode)(), mode)
            same.append(mode)
        except Refused as why:
            refused[mode] = str(why)
    return same, refused


# --- The table --------------------------------------------------------------------------------------------------------


def mapping(text):
    return dict(part.split("=", 1) for part in text.split(" ")) if text not in ("", "-") else {}


class Promise:
    def __init__(self, line):
        fields = line.split("\t") + [""] * 5
        self.name, self.command, same, refused, self.result = fields[:5]
        self.same = same.split()
        self.refused = {}
        for part in filter(None, refused.split(" | ")):
            modes, said = part.split(": ", 1)
            self.refused.update({mode: said for mode in modes.split()})

    def line(self):
        by_line = {}
        for mode in MODES:
            if mode in self.refused:
                by_line.setdefault(self.refused[mode], []).append(mode)
        refused = " | ".join(" ".join(modes) + ": " + said for said, modes in by_line.items())
        return "\t".join([self.name, self.command, " ".join(mode for mode in ("-", *MODES) if mode in self.same), refused, self.result])

    def has_modes(self):
        return self.same != ["-"]


def run_once(words, folder):
    """Any command: the exit code, what it prints, and the files that it makes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "in").symlink_to(IN)
    for step in words:
        code, out, err = execute([GPUCCL, *step], folder)
        if code:
            break
    names = {path.name: path.name for path in sorted(folder.iterdir()) if path.name != "in"}
    result = hashes(folder, names)
    if out:
        data = plain("lines.jsonl", out) if out.startswith(b'{"input"') else out
        result["stdout"] = short(data)
    if code:
        result = {"exit": refusal(code, err), **result}
    elif err:
        result["said"] = short(err.encode())
    return result


def result_text(result):
    exit_line = result.pop("exit", None)
    text = " ".join(f"{name}={value}" for name, value in result.items())
    return " ".join(filter(None, [text, exit_line and "exit=" + exit_line.strip()])) or "-"


def without_raw(text):
    return re.sub(r"~[0-9a-f]{10}", "", text)


def check(index, promise, folder):
    """The promise as it is today, and what is broken of it."""
    problems = []
    now = Promise("\t".join([promise.name, promise.command, "" if promise.has_modes() else "-"]))
    steps = [shlex.split(step) for step in promise.command.split(" && ")]
    try:
        whole = None
        if promise.has_modes():
            words = steps[0]
            if "--json" not in words:
                words += ["--json", "report.json"]
            if "--stats" not in words:
                words += ["--stats", "stats.csv"]
            row = Row(words, folder)
            try:
                whole = row.whole()
            except Refused as why:
                now.result = "exit=" + str(why)
        if whole is not None:
            now.result = result_text(dict(whole))
            known = {*promise.same, *promise.refused}
            wanted = [mode for mode in MODES if mode in known or UPDATE and mode != "algorithms"]
            ranks = (1, 2, 3, 4) if LONG else (index % 4 + 1,)
            if not MPI or not LONG and "mpi" not in known:  # a process of MPI takes as long as forty others
                wanted = [mode for mode in wanted if mode != "mpi"]
            elif LONG and "mpi" not in wanted:
                wanted.append("mpi")
            if not LONG and not UPDATE and ONLY is None and index % 2:
                wanted = [mode for mode in wanted if mode != "tasks"]  # half of the processes
            same, refused = run_modes(row, whole, wanted, ranks)
            skipped = [mode for mode in known if mode not in wanted]
            now.same = same + [mode for mode in skipped if mode in promise.same]
            now.refused = {**refused, **{mode: promise.refused[mode] for mode in skipped if mode in promise.refused}}
        elif not now.result:
            now.result = result_text(run_once(steps, folder))
    except (Different, subprocess.TimeoutExpired, OSError, ValueError, KeyError, zlib.error, struct.error) as why:
        problems.append(f"{type(why).__name__}: {why}")
    shutil.rmtree(folder, ignore_errors=True)
    return now, problems


def compare(promise, now, exact):
    problems = []
    for mode in MODES:
        was, is_now = (("the same files" if mode in each.same else "refused: " + each.refused[mode] if mode in each.refused else "")
                       for each in (promise, now))
        if was and was != is_now:
            problems.append(f"{mode}: promised: {was}; now: {is_now}")
    was, is_now = (text if exact else without_raw(text) for text in (promise.result, now.result))
    if was != is_now:
        problems.append(f"promised: {was}\n      now: {is_now}")
    return problems


def check_table(scratch, pool):
    lines = TABLE.read_text().splitlines()
    promises = {i: Promise(line) for i, line in enumerate(lines) if line and not line.startswith("#")}
    names = [promise.name for promise in promises.values()]
    if ONLY is not None:
        promises = {i: promise for i, promise in promises.items() if i == min(promises) or re.search(ONLY, promise.name)}
    broken = [f"two rows are named {name}" for name in {name for name in names if names.count(name) > 1}]
    running = {i: pool.submit(check, i, promise, scratch / str(i)) for i, promise in promises.items()}
    exact = True  # the first row is of compressed noise: other libraries, other bytes
    for count, (i, promise) in enumerate(promises.items()):
        now, problems = running[i].result()
        if count == 0 and not UPDATE:
            exact = now.result == promise.result
        if not problems and not UPDATE:
            problems = compare(promise, now, exact)
        broken += [f"{promise.name}: {problem}\n      gpuccl {promise.command}" for problem in problems]
        lines[i] = now.line()
    if UPDATE:
        TABLE.write_text("\n".join(lines) + "\n")
    print(f"{len(promises)} rows, {'bytes' if exact else 'contents, for another library compresses here,'} compared")
    return broken


# --- Random commands --------------------------------------------------------------------------------------------------


def random_command(rng, folder):
    """A small image of any kind in `folder`, and options for it."""
    def pick(*values):
        return values[int(rng.random() * len(values))]

    def maybe(share, *words):
        return list(words) if rng.random() < share else []

    depth = pick(1, 1, 2, 5, 9)
    shape = [depth, 1 + int(rng.random() * 40), 1 + int(rng.random() * 60)][0 if depth > 1 else 1:]
    by_values = rng.random() < 0.35
    periodic = min(shape) > 1 and rng.random() < 0.2
    name = inputs.random_image(folder, shape, rng, by_values)
    words = ["label", "in/" + name]
    words += ["-o", "labels." + pick("tiff", "tiff", "tiff", "npy", "npy", "png", "nii", "nrrd", "mha", "nii.gz", "zarr")]
    per_slice = depth > 1 and rng.random() < 0.15
    connectivity = pick(6, 18, 26) if depth > 1 and not per_slice else pick(4, 8)
    words += maybe(1 if per_slice else 0, "--per-slice") + ["-c", str(connectivity)]
    words += maybe(0.3, "--min-size", str(int(rng.random() * 9))) + maybe(0.15, "--max-size", str(10 + int(rng.random() * 80)))
    words += maybe(0.3, "--largest", str(int(rng.random() * 12))) + maybe(0.15, "--clear-border")
    words += maybe(0.15, "--spacing", pick("0.5,0.5,2,um", "2,3", "0.1,0.2,0.3"))
    if by_values:
        words += ["--values"]
        words += maybe(0.3, "--delta", pick("0", "1", "2")) if not periodic else []
        words += maybe(0.3, "--per-value") if "--largest" in words and "--delta" not in words else []
        words += maybe(0.3, "--keep-values") if "--delta" not in words else []
    else:
        words += pick([], [], ["--threshold", "0"], ["--threshold", "otsu"], ["--value", "1..2"], ["--invert"])
        words += pick([], [], ["--fill-holes"], ["--fill-holes", "5"]) if not periodic else []
    if "--keep-values" not in words:
        words += maybe(0.3, "--order", "size") + maybe(0.2, "--label-type", "u32" if "labels.png" not in words else "u16")
    if periodic:
        words += ["--periodic", pick("x", "y", "x,y", *(["z", "x,y,z"] if depth > 1 and not per_slice else []))]
    words += maybe(0.4, "--contacts", "contacts.csv") + maybe(0.3, "--preview", "preview.png")
    words += maybe(0.5 if depth == 1 else 0, "--outlines", pick("outlines.geojson", "outlines.json"))
    words += maybe(0.3, "--measure", pick("shape", "topology", "border", "shape,border", "all", "extent,euler_number"))
    words += maybe(0.3, "--keep", pick("area > 3", "border_sides < 2 and extent > 0.3", "area < 50 or extent > 0.6"))
    if rng.random() < 0.3:
        words += ["--intensity", "in/" + inputs.random_samples(folder, shape, rng)]
    return words + ["--stats", "stats.csv", "--json", "report.json", "--no-fsync"]


def check_random(seed, scratch):
    folder = scratch / f"random{seed}"
    (folder / "in").mkdir(parents=True)
    words = random_command(random.Random(seed), folder / "in")
    row = Row(words, folder)
    row.place = lambda mode: place_of(folder, mode)
    kind, problem = "refused", ""
    try:
        whole = row.whole()
        kind = "labeled"
        modes = ["threads", "slabs", "batch", "tasks"] + (["mpi"] if MPI and (LONG or seed % 10 == 0) else [])
        same, refused = run_modes(row, whole, modes, (seed // 10 % 4 + 1,))
        for mode, said in refused.items():
            if mode == "threads" or not said.startswith(("64 ", "71 ", "0 needs no slabs")) and mode == "slabs" or mode == "tasks" and not said.startswith("64 "):
                problem = f"{mode}: {said}"
        kind = " ".join(same)
    except Refused as why:
        if not str(why).startswith(("64 ", "65 ")):
            problem = str(why)
    except (Different, subprocess.TimeoutExpired, OSError, ValueError) as why:
        problem = f"{type(why).__name__}: {why}"
    shutil.rmtree(folder, ignore_errors=True)
    return kind, problem and f"random {seed}: {problem}\n      gpuccl {shlex.join(words)}"


def place_of(folder, mode):
    place = folder / mode
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "in").symlink_to(folder / "in")
    return place


def check_random_ones(scratch, pool, count):
    found = list(pool.map(lambda seed: check_random(seed, scratch), range(count)))
    kinds = [kind for kind, _ in found]
    for mode in ("threads", "slabs", "batch", "tasks"):
        print(f"{mode}: {sum(mode in kind.split() for kind in kinds)} of {count} random commands the same", flush=True)
    if kinds.count("refused") * 3 > count:
        return [f"{kinds.count('refused')} of {count} random commands are refused: they prove nothing"]
    return [problem for _, problem in found if problem]


with tempfile.TemporaryDirectory() as temporary:
    SCRATCH = pathlib.Path(temporary)
    IN = SCRATCH / "in"
    begin = time.monotonic()
    inputs.make_all(IN, GPUCCL)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as workers:
        wrong = check_table(SCRATCH, workers)
        print(f"table: {time.monotonic() - begin:.1f} s", flush=True)
        if ONLY is None:
            wrong += check_random_ones(SCRATCH, workers, 4096 if LONG else 60)
    print(f"all: {time.monotonic() - begin:.1f} s")
for line in wrong:
    print("BROKEN  " + line)
sys.exit(bool(wrong))
