"""Checks that no option is accepted and ignored, and that every remedy of a message works.

usage: options_used.py GPUCCL

Each option in the help of label, measure, match and view has an entry in OPTIONS. Its value must change the outputs
or be refused, for options that select what is read in every format.
"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import image_files
import numpy

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Options that change speed, messages or what happens after a failure, but no output.
NO_OUTPUT = {"--help", "--threads", "--progress", "--quiet", "--jobs", "--memory", "--device", "--gpus", "--time-phases",
             "--no-sandbox", "--no-fsync", "--algo", "--follow", "--keep-going", "--fail-fast", "--overwrite",
             "--no-clobber", "--skip-existing", "--parts-dir"}
# Options that only concern images of one kind, and leave others as they are.
OF_KIND = {"--foreground": ["white.tif"], "--palette": ["palette.bmp"], "--series": None}

# For each command: option, its value, further words. "{}" stands for the input, "{o}" for the folder of outputs.
READING = [("--channel", "1"), ("--channel", "DAPI"), ("--frame", "1"), ("--frame", "all"), ("--series", "1"),
           ("--page", "1"), ("--page", "0..1")]
LIMITS = [("--max-pixels", "10"), ("--max-dim", "5"), ("--max-pages", "1"), ("--formats", "mgh")]
LABEL_READING = READING + LIMITS + [
    ("--stack", None), ("--spacing", "2,3"), ("--connectivity", "4"), ("--per-slice", None),
    ("--palette", "luma"), ("--foreground", "raw")]
SELECTION = [("--min-size", "3"), ("--max-size", "3"), ("--largest", "1"), ("--keep", "area > 3"),
             ("--clear-border", None), ("--seeds", "{seeds}")]
MEASURES = [("--measure", "perimeter"), ("--intensity", "{}"), ("--intensity-channel", "1", "--intensity", "{}"),
            ("--intensity-frame", "1", "--intensity", "{}"), ("--intensity-series", "1", "--intensity", "{}"),
            ("--intensity-page", "1", "--intensity", "{}"), ("--intensity-name", "*_x", "--intensity", "{folder}")]
OUTPUTS = [("--output", "{o}/y.npy"), ("--json", "{o}/x.json"), ("--stats", "{o}/x.csv"),
           ("--preview", "{o}/x.png"), ("--outlines", "{o}/x.geojson"), ("--report", "{o}/x.jsonl"),
           ("--summary", "{o}/x.csv"), ("--json-dir", "{o}/d"), ("--stats-dir", "{o}/d"), ("--preview-dir", "{o}/d"),
           ("--outlines-dir", "{o}/d"), ("--recursive", None), ("--dry-run", None), ("--format", "npy"), ("--part", "1/2"),
           ("--digits", "2", "--measure", "perimeter"), ("--no-components", None, "--json", "{o}/x.json")]
FILES = [("--compress", "none", "-o", "{o}/x.tif"), ("--bigtiff", "yes", "-o", "{o}/x.tif"),
         ("--compress-level", "1", "-o", "{o}/x.zarr"), ("--chunks", "4", "-o", "{o}/x.zarr"),
         ("--pyramid", None, "-o", "{o}/x.zarr"),
         ("--zarr-format", "3", "-o", "{o}/x.zarr"), ("--shards", None, "-o", "{o}/x.zarr"), ("--label-type", "u32", "-o", "{o}/x.npy")]
OPTIONS = {
    "label": LABEL_READING + SELECTION + MEASURES + OUTPUTS + FILES + [
        ("--invert", None), ("--threshold", "2"), ("--value", "2"), ("--values", None), ("--delta", "1", "--values"),
        ("--periodic", "x"), ("--fill-holes", None), ("--order", "size"), ("--per-value", None),
        ("--keep-values", None), ("--split-values", None), ("--contacts", "{o}/x.csv"), ("--view", "{o}/x.html"),
        ("--contacts-dir", "{o}/d"), ("--round", None, "--values")],
    "measure": [row for row in LABEL_READING if row[0] != "--foreground" and row[0] != "--per-slice"]
    + SELECTION + MEASURES + OUTPUTS + FILES + [("--order", "size"), ("--relabel", None), ("--round", None)],
    "match": READING + [("--threshold", "0.9"), ("--label", None), ("--per-value", None), ("--connectivity", "4"), ("--round", None),
                        ("--classes", "2", "--per-value"), ("--empty", "1"), ("--prediction-name", "*_x"), ("--recursive", None), ("--track", "{}"), ("--output", "{o}/y"),
                        ("--csv", "{o}/x.csv"), ("--json", "{o}/x.json"), ("--summary", "{o}/x.csv"), ("--min-size", "3"),
                        ("--distances", None), ("--regions", None), ("--tolerance", "1", "--distances"),
                        ("--spacing", "2,3", "--distances")],
    "view": [row for row in READING if row[1] != "all"] + [("--image", "{}"), ("--round", None), ("--stats", "{stats}"),
                                                           ("--report", "{report}"), ("--spacing", "2,3,1,mm"),
                                                           ("--size", "100k"), ("--output", "{o}/y.html")],
}

IMAGE = numpy.zeros((11, 12), "u1")
IMAGE[0, 0:2] = 1
IMAGE[1, 2] = 1
IMAGE[2:5, 5:9] = 2
IMAGE[3, 6] = 0
IMAGE[3, 9:11] = 3
IMAGE[7:9, 2:4] = 4
IMAGE[7, 4] = 5
IMAGE[5:7, 0] = IMAGE[5:7, 11] = 2


class Program:
    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def run(self, words):
        run = subprocess.run([self.path, *words], capture_output=True, cwd=self.folder, timeout=120)
        return run.returncode, run.stdout, run.stderr.decode("utf-8", "replace")

    def outputs(self, command, words, values):
        """The exit code, messages, and all outputs of a command."""
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        code, text, errors = self.run([command, *(word.format(values["input"], o="out", **values) for word in words)])
        found = {"": text}
        for parent, _, names in os.walk(out):
            for name in names:
                path = os.path.join(parent, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, out)] = comparable(name, file.read())
        return code, errors, found


def comparable(name, content):
    """Content without what no option for reading changes by itself: times and the command."""
    if not name.endswith(".json"):
        return content
    try:
        report = json.loads(content)
    except ValueError:
        return content
    for member in ("options", "timing", "timings", "threads", "command", "output", "outputs"):
        report.pop(member, None)
    return re.sub(r'"[a-z_]*_ms": [0-9.e+-]+', "", json.dumps(report, sort_keys=True))


def mgh(image):
    height, width = image.shape
    return struct.pack(">7ih", 1, width, height, 1, 1, 0, 0, 0).ljust(284, b"\0") + image.tobytes()


def bmp(image):
    height, width = image.shape
    row = (width + 3) // 4 * 4
    palette = b"".join(bytes([0, 0, 9 if 0 < i < 5 else 0, 0]) for i in range(256))
    head = struct.pack("<2sIHHI", b"BM", 54 + 1024 + row * height, 0, 0, 54 + 1024)
    info = struct.pack("<IiiHHIIiiII", 40, width, -height, 1, 8, 0, row * height, 0, 0, 256, 0)
    return head + info + palette + b"".join(bytes(line).ljust(row, b"\0") for line in image)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


def make_inputs(program):
    """One file per format, all of the same image."""
    folder = program.folder
    base = os.path.join(folder, "base.npy")
    numpy.save(base, IMAGE)
    inputs = ["base.npy"]
    for extension in ("tif", "ome.tif", "png", "nii", "nii.gz", "nrrd", "mha", "zarr"):
        name = "image." + extension
        code, _, errors = program.run(["measure", base, "-o", os.path.join(folder, name), "--spacing", "1,1,1", "--quiet"])
        assert code == 0, errors
        inputs.append(name)
    for name, content in (("palette.bmp", bmp(IMAGE)), ("image.mgh", mgh(IMAGE)), ("white.tif", tiff([255 - IMAGE], photometric=0)),
                          ("image.pgm", b"P5 12 11 255\n" + IMAGE.tobytes())):
        write(os.path.join(folder, name), content)
        inputs.append(name)
    for path in ("golden/gray.jpg", "io/hdf5/contiguous.h5"):
        shutil.copy(os.path.join(TESTS, path), folder)
        inputs.append(os.path.basename(path))
    return inputs


def options_in_help(program, command):
    text = program.run([command, "--help"])[1].decode()
    return {name for line in re.findall(r"^  (-[^ ]*)", text, re.MULTILINE)
            for name in line.split(",")[:1 if line.startswith("--") else 2] if name.startswith("--")}


BASES = {"label": ["{}", "-o", "{o}/base.npy", "--stats", "{o}/base.csv"],
         "measure": ["{}", "-o", "{o}/base.npy", "--stats", "{o}/base.csv"],
         "match": ["{}", "{same}", "--csv", "{o}/base.csv", "--json", "{o}/base.json"],
         "view": ["{}", "-o", "{o}/base.html"]}


def words_of(command, row):
    option, value, *more = row
    base = list(BASES[command])
    if option in ("--image", "--intensity") or command == "view" and option in dict(READING):
        more = more or (["--image", "{}"] if command == "view" and option != "--image" else [])
    if "-o" in more:
        base = base[:1]
    if option == "--track":
        base = base[2:]
    return base + more, base + more + [option] + ([] if value is None else [value])


def check_options(program, inputs):
    failures = []
    seeds = os.path.join(program.folder, "seeds.npy")
    mask = numpy.zeros_like(IMAGE)
    mask[8, 3] = 1
    numpy.save(seeds, mask)
    os.makedirs(os.path.join(program.folder, "empty"))
    numpy.save(os.path.join(program.folder, "halves.npy"), IMAGE * 1.5)
    numpy.save(os.path.join(program.folder, "zeros.npy"), IMAGE * 0)
    numpy.save(os.path.join(program.folder, "noise.npy"), numpy.random.default_rng(1).random((900, 900)) < 0.5)
    program.run(["label", "noise.npy", "--quiet", "-o", "noise_labels.npy"])
    program.run(["label", "base.npy", "--stats", "table.csv", "--json", "report.json", "-o", "labels.npy"])
    for command, rows in OPTIONS.items():
        missing = options_in_help(program, command) - NO_OUTPUT - {row[0] for row in rows}
        if missing:
            failures.append(f"{command}: no entry for {sorted(missing)}")
        for row in rows:
            option = row[0]
            of_reading = row in LABEL_READING
            known = [name for name in OF_KIND.get(option) or inputs if name in inputs] if of_reading else ["image.tif"]
            known = {"--size": ["noise_labels.npy"], "--round": ["halves.npy"], "--empty": ["zeros.npy"]}.get(option, known)
            for name in known:
                values = {"input": name, "seeds": "seeds.npy", "folder": "empty", "stats": "table.csv",
                          "report": "report.json", "same": name}
                without, words = words_of(command, row)
                plain = program.outputs(command, without, values)
                given = program.outputs(command, words, values)
                if given[0] == 0 and plain[0] == 0 and plain[2] == given[2]:
                    failures.append(f"gpuccl {command} {' '.join(words)} of {name}: accepted and ignored")
                if given[0] not in (0, 1, 64, 65, 66, 69, 71, 73, 74):
                    failures.append(f"gpuccl {command} {' '.join(words)} of {name}: exit code {given[0]}")
    return failures


# Wrong for some inputs or for all.
WRONG = [["--channel", "9"], ["--channel", "none"], ["--frame", "9"], ["--series", "9"], ["--page", "99"], ["--stack"],
         ["--page", "4..2"], ["--device", "cuda"], ["--max-pixels", "10"], ["--formats", "mgh"], ["--min-size", "3um3"],
         ["--measure", "volume_physical", "--spacing", "1,1"], ["--keep", "sphericity > 1"], ["-c", "26", "--per-slice"],
         ["--intensity", "{wide}"], ["--intensity", "{}", "--intensity-channel", "7"], ["--seeds", "{wide}"], ["--seeds", "none.png"],
         ["--values", "--fill-holes", "--keep-values"], ["--memory", "1K"], ["--periodic", "z"], ["--compress", "zstd", "-o", "{o}/x.png"],
         ["-o", "none/x.npy"], ["--threshold", "300", "--frame", "all"]]


def check_dry_runs(program, inputs):
    """A run that fails before the first pixel is read has the same exit code with --dry-run."""
    numpy.save(os.path.join(program.folder, "wide.npy"), numpy.ones((11, 99), "u1"))
    write(os.path.join(program.folder, "cut.tif"), b"II*\0")
    os.makedirs(os.path.join(program.folder, "folder"))
    shutil.copy(os.path.join(TESTS, "io/hdf5/several.h5"), program.folder)
    wrong = [(name, words) for name in inputs for words in WRONG]
    wrong += [(name, words) for name in ("cut.tif", "several.h5", "several.h5:/none", "none.tif", "contiguous.h5:/none") for words in ([], ["--per-slice"])]
    wrong += [("folder", ["--stack"]), ("image.zarr/none", []), ("folder", ["-o", "out/"]), ("report.json", [])]
    failures, refused = [], 0
    for name, words in wrong:
        values = {"input": name, "wide": "wide.npy"}
        base = ["{}"] if "-o" in words else ["{}", "-o", "{o}/x.npy"]
        code = program.outputs("label", base + words, values)[0]
        dry, errors, found = program.outputs("label", base + words + ["--dry-run"], values)
        refused += code != 0
        if dry != code or len(found) > 1:
            failures.append(f"gpuccl label {name} {' '.join(words)}: exit code {code}, but {dry} with --dry-run, {errors}")
    assert refused > 150, refused
    return failures


def remedies(message):
    """Lists of words that a message names: alternatives, each of options to be given together."""
    command = re.search(r"'gpuccl ([^']*)'", message)
    tail = message.split("; ", 1)[1] if "; " in message else ""
    found = []
    if re.search(r"--channel.* select what to read", tail):
        chosen = re.match(r"[^;]*?select what to read", tail).group(0)
        found.append([word for option in re.findall(r"--[a-z]+", chosen) for word in (option, "1")])
        tail = tail[len(chosen):]
    for option, value in re.findall(r"(--[a-z-]+)(?: (N(?![a-z])|[0-9.]+|all|T|V|otsu))?", tail):
        found.append([option] + ([] if not value else ["1" if value in ("N", "T", "V") else value]))
    return found + ([command.group(1).split()] if command else [])


def follow(program, command, words, depth=0):
    """Returns why no remedy of the message helps, or none."""
    shutil.rmtree(os.path.join(program.folder, "out"), ignore_errors=True)
    os.makedirs(os.path.join(program.folder, "out"))
    code, _, errors = program.run([command, *words])
    if code == 0:
        return []
    if depth > 3:
        return [f"gpuccl {command} {' '.join(words)}: {errors.strip()}"]
    message = errors.splitlines()[0]
    options = [way for way in remedies(message) if way and way[0].startswith("--")]
    failures = []
    for way in options:
        if way[0] in words:
            failures.append(f"gpuccl {command} {' '.join(words)}: names {way[0]}, which is given: {message}")
            continue
        failures += follow(program, command, words + way, depth + 1)
    if not options and depth > 0:
        failures.append(f"gpuccl {command} {' '.join(words)}: refused after the remedy of another message: {message}")
    return failures


def tiff(pages, description="", **more):
    return image_files.tiff([(page.shape[1], page.shape[0], page.tobytes()) for page in pages], [description], **more)


def check_remedies(program):
    folder = program.folder
    pages = [numpy.roll(IMAGE, i, 1) for i in range(6)]
    image = "<Image><Pixels DimensionOrder='XYZCT' SizeX='12' SizeY='11' {}/></Image>"
    described = {
        "ij_channels.tif": "ImageJ=1.53t\nimages=6\nchannels=6\n",
        "ij_frames.tif": "ImageJ=1.53t\nimages=6\nframes=6\n",
        "ij_hyper.tif": "ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\n",
        "ij_volumes.tif": "ImageJ=1.53t\nimages=6\nslices=3\nframes=2\n",
        "shaped.tif": '{"shape": [2, 3, 11, 12], "axes": "TCYX"}',
        "unnamed.tif": '{"shape": [2, 3, 11, 12]}',
        "images.ome.tif": "<OME>" + image.format("SizeZ='3'") * 2 + "</OME>",
        "scattered.ome.tif": "<OME><Image><Pixels SizeZ='6'><TiffData IFD='3' FirstZ='0'/><TiffData IFD='0' "
                             "FirstZ='3'/></Pixels></Image></OME>",
        "scanimage.tif": "state.configPath='x'",
    }
    for name, text in described.items():
        write(os.path.join(folder, name), tiff(pages, text))
    write(os.path.join(folder, "composite.tif"),
          tiff([numpy.stack([IMAGE, IMAGE], -1)], "ImageJ=1.53t\nchannels=2\nmode=composite\n", channels=2))
    write(os.path.join(folder, "sizes.tif"), tiff([pages[0], pages[1][:5].copy()]))
    head = b"NRRD0004\ntype: uint8\ndimension: 4\nencoding: raw\n"
    samples = numpy.stack([IMAGE] * 4).tobytes()
    write(os.path.join(folder, "list.nrrd"), head + b"sizes: 2 12 11 2\nkinds: list domain domain domain\n\n" + samples)
    write(os.path.join(folder, "frames.nrrd"), head + b"sizes: 12 11 2 2\n\n" + samples)
    write(os.path.join(folder, "channels.mha"),
          b"ObjectType = Image\nNDims = 2\nDimSize = 12 11\nElementType = MET_UCHAR\nElementNumberOfChannels = 4\n"
          b"ElementDataFile = LOCAL\n" + samples)
    for name, axes in (("time", ["time", "lat", "lon"]), ("channel", ["c", "y", "x"])):
        store = os.path.join(folder, name + ".zarr")
        os.makedirs(os.path.join(store, "c/0/0"))
        write(os.path.join(store, "zarr.json"), json.dumps({
            "zarr_format": 3, "node_type": "array", "shape": [6, 11, 12], "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6, 11, 12]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": 0,
            "codecs": [{"name": "bytes"}], "dimension_names": axes}).encode())
        write(os.path.join(store, "c/0/0/0"), numpy.stack(pages).tobytes())
    names = [*described, "composite.tif", "sizes.tif", "list.nrrd", "frames.nrrd", "channels.mha", "time.zarr",
             "channel.zarr"]
    failures = []
    tried = 0
    for name in names:
        for command, words in (("label", ["--stats", "out/x.csv"]), ("measure", ["--stats", "out/x.csv"]),
                               ("match", [name]), ("view", ["-o", "out/x.html", "--image", name])):
            first = "base.npy" if command == "view" else name
            code, _, errors = program.run([command, first, *words])
            if code == 0 and name not in ("unnamed.tif",):
                if command != "view":
                    failures.append(f"gpuccl {command} {name}: read without a choice")
                continue
            if not remedies(errors.splitlines()[0]):
                failures.append(f"gpuccl {command} {name}: no remedy: {errors.strip()}")
            tried += 1
            if command == "view":
                failures += [f"{errors.strip()}: view has no {option}" for option in ("--per-slice",) if option in errors]
                continue  # its labels have another size than most images
            failures += follow(program, command, [first, *words])
    assert tried > 40, tried
    return failures


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Program(os.path.abspath(sys.argv[1]), folder)
        inputs = make_inputs(program)
        failures = check_options(program, inputs) + check_dry_runs(program, inputs) + check_remedies(program)
    for line in failures:
        print(line)
    return 1 if failures else 0


sys.exit(main())
