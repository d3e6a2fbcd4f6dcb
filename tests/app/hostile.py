"""hostile.py GPUCCL [TEST...]: inputs that somebody made to do harm, and surroundings that do some.

Each was found by an attack, and did harm before. Time and memory are bounds, several times what is taken now.
"""
import gzip
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import image_files
from image_files import npy, png, zarr

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

GPUCCL = sys.argv[1]
# Builds with sanitizers have other limits of memory and time.
PLAIN = b"__asan_init" not in pathlib.Path(GPUCCL).read_bytes()
HAS_HDF5 = h5py is not None and "HDF5" in subprocess.run(
    [GPUCCL, "info"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("reads")[1].split("\n")[0]
KIB_BESIDE = 64 << 10  # in addition to --memory: the program, its libraries, the stacks of threads


def run(*words, code=0, said="", seconds=30, memory=None, **more):
    """Runs to the end, which is to be exit code `code`, with one line that has `said` if that is not 0."""
    before, begin = os.environ.copy(), time.monotonic()
    process = subprocess.Popen([GPUCCL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    out, err = process.communicate(timeout=600)
    err = err.decode()
    took = time.monotonic() - begin
    assert process.returncode == code and said in err, (words, process.returncode, code, said, err)
    assert not code or err.count("\n") == 1, err
    assert took < seconds or not PLAIN, (words, took)
    return out.decode(), err


def peak_kib(*words):
    """The exit code, and the most memory that it was in."""
    process = os.posix_spawn(GPUCCL, [GPUCCL, *map(str, words)], os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss


def ome_group(path):
    """A group with one image, which can have labels."""
    path.mkdir()
    zarr(path / "0", [2, 2], [2, 2], [("0.0", b"\1" * 4)])
    (path / ".zgroup").write_text('{"zarr_format":2}')
    (path / ".zattrs").write_text('{"multiscales":[{"version":"0.4","axes":["y","x"],"datasets":[{"path":"0"}]}]}')
    (path / "labels").mkdir()
    return path


def names_in_brackets(folder):
    """Found: '[x]' was read as 'x', with exit 0."""
    for name, count in (("[x]", 1), ("x", 2), ("[a,b]", 3), ("a", 2), ("b", 2)):
        (folder / name).mkdir()
        png(folder / name / "in.png", [[255, 0] * count])
    for name, count in (("[x]", 1), ("[a,b]", 3)):
        run("label", name, "-o", f"o{count}/", cwd=folder)
        report = json.loads((folder / f"o{count}" / "in.json").read_text())
        assert report["input"]["path"] == f"{name}/in.png" and report["labeling"]["components"] == count, report
    png(folder / "[c].png", [[255]])
    out, _ = run("label", "[c].png", "--json", "-", cwd=folder)
    assert json.loads(out)["input"]["path"] == "[c].png"
    run("compare", "[x]/in.png", "[y]", cwd=folder, code=66, said="[y]: no such file")
    run("label", "in.png", "--threshold", "[1,2]", code=64, said="'[1,2]' is not a number, LOW:HIGH or otsu")
    run("label", "in.png", "--quiet=[1]", code=64, said="takes no value")


def hdf5_time(folder):
    """Found: quadratic in chunks; a valid sparse file 'damaged' after 20 s."""
    many, sparse = folder / "many.h5", folder / "sparse.h5"
    with h5py.File(many, "w") as file:
        file.create_dataset("a", data=numpy.ones((40000, 8, 8), "u1"), chunks=(1, 8, 8))
    with h5py.File(sparse, "w") as file:
        file.create_dataset("a", (167000, 8, 8), "u1", chunks=(1, 8, 8))[17000:17010] = 1
    out, _ = run("label", many, "--json", "-", "--quiet", seconds=6)
    assert json.loads(out)["labeling"]["components"] == 1
    out, _ = run("label", sparse, "--json", "-", "--quiet", seconds=15)
    assert json.loads(out)["components"][0]["area"] == 640
    tiny = folder / "tiny.h5"
    with h5py.File(tiny, "w") as file:
        file.create_dataset("a", ((1 << 31) - 1, 8), "u1", chunks=(1, 1))
    run("label", tiny, "--json", "-", code=65, said="larger chunks", seconds=6)


def zarr_names(folder):
    """Found: a NUL in the path of a dataset led to the store next to it."""
    zarr(folder / "out.zarr", [2, 2], [2, 2], [("0.0", b"\1" * 4)])
    store = folder / "in.zarr"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format":2}')
    for path in ("..\\u0000/out.zarr", "../out.zarr", "x/..\\u0000/../out.zarr"):
        (store / ".zattrs").write_text('{"multiscales":[{"version":"0.4","axes":["y","x"],"datasets":[{"path":"%s"}]}]}' % path)
        run("label", store, "--json", "-", code=65)
    own = ome_group(folder / "own.zarr")
    for name in ("zarr.json", ".zattrs", ".zgroup"):
        run("label", own, "-o", own / "labels" / name, code=64, said="cannot be called")


def zipped_plate(folder):
    """A plate in a zip has the results of the folder, also as --intensity; an image without its well's metadata fails alone."""
    plate = folder / "plate.zarr"
    plate.mkdir()
    for place, text in (("", '{"plate":{"wells":[{"path":"A/1"},{"path":"B/12"}]}}'), ("A/1", '{"well":{"images":[{"path":"0"}]}}'),
                        ("B/12", '{"well":{"images":[{"path":"0"},{"path":"1"}]}}')):
        (plate / place).mkdir(parents=True, exist_ok=True)
        (plate / place / ".zattrs").write_text(text)
    for at, place in enumerate(("A/1/0", "B/12/0", "B/12/1")):
        zarr(plate / place, [4, 4], [4, 4], [("0.0", bytes([1 + at, 0, 0, 3] * 4))])
        (plate / place / ".zattrs").write_text("{}")

    def pack(name, *, without=()):
        with zipfile.ZipFile(folder / name, "w") as archive:
            for path in sorted(plate.rglob("*")):
                if path.is_file() and str(path.relative_to(plate)) not in without:
                    archive.write(path, path.relative_to(plate))
        return str(folder / name)

    def rows(plate):
        table = run("label", plate, "--intensity", plate, "--measure", "intensity_max", "--stats", "-", "--quiet", "--overwrite",
                    "-o", f"{folder}/wells/")[0]
        return table.replace(plate, "").replace("\n:/", "\n/")

    zipped = pack("plate.ozx")
    assert rows(zipped) == rows(str(plate)) and "\n/B/12/1,2," in rows(zipped), rows(zipped)
    assert sorted(path.name for path in (folder / "wells").glob("*.tiff")) == ["plate-A1-0.tiff", "plate-B12-0.tiff", "plate-B12-1.tiff"]
    one = [run("label", image, "--stats", "-")[0] for image in (f"{plate}/B/12/1", f"{zipped}:/B/12/1")]
    assert one[0] == one[1]
    run("label", zipped, "--stats", folder / "one.csv", code=65, said="plate.ozx:/A/1/0; 'gpuccl label' and 'gpuccl measure' read all")
    out = f"{folder}/some/"
    code, err = label_all(pack("lacks.ozx", without=["B/12/.zattrs"]), out)
    assert code == 66 and "lacks.ozx:/B/12: is a well without a list of images" in err, err
    assert (folder / "some/lacks-A1-0.tiff").exists()
    assert label_all(zipped, out, "--formats", "png")[0] == 65


def label_all(*words):
    ended = subprocess.run([GPUCCL, "label", words[0], "-o", *words[1:]], capture_output=True, text=True)
    return ended.returncode, ended.stderr


def damaged_zip(folder):
    """Stores in a zip: of Zip64, with a comment, with another file before them, and damaged in every byte of the directory."""
    store = ome_group(folder / "in.zarr")
    names = [path for path in sorted(store.rglob("*")) if path.is_file()]

    def pack(name, compression=zipfile.ZIP_STORED, comment=b"", root="", zip64=False):
        with zipfile.ZipFile(folder / name, "w", compression) as archive:
            for path in names:
                with archive.open(root + str(path.relative_to(store)), "w", force_zip64=zip64) as file:
                    file.write(path.read_bytes())
            archive.comment = comment
        return folder / name

    good = pack("good.ozx")
    run("label", good, "--json", "-")
    run("label", pack("comment.ozx", comment=b'{"ome":{"version":"0.5"}}PK\5\6' + bytes(60)), "--json", "-")
    run("label", pack("zip64.ozx", zip64=True), "--json", "-")
    run("label", pack("deep.ozx", root="in.zarr/"), "--json", "-", code=65, said="deep.ozx:/in.zarr\n")
    run("label", str(folder / "deep.ozx") + ":/in.zarr", "--json", "-")
    run("label", pack("deflate.ozx", zipfile.ZIP_DEFLATED), "--json", "-", code=65, said="zip -r -0")
    with zipfile.ZipFile(folder / "other.ozx", "w") as archive:
        archive.writestr("a.txt", "no image")
    run("label", folder / "other.ozx", "--json", "-", code=65, said="contains no Zarr; unpack it")
    with zipfile.ZipFile(folder / "most.ozx", "w") as archive:  # as many files as fit without Zip64
        for path in names:
            archive.write(path, path.relative_to(store))
        for i in range(65535 - len(names)):
            archive.writestr(str(i), "")
    assert b"PK\6\6" not in (folder / "most.ozx").read_bytes()
    run("label", folder / "most.ozx", "--json", "-")
    data = good.read_bytes()
    for what, said in ((b"\1" * 4, "'0/0.0' has a wrong checksum"), (b'"version":"0.4"', "'.zattrs' has a wrong checksum")):
        at = data.index(what) + len(what) - 2
        (folder / "changed.ozx").write_bytes(data[:at] + b"\3" + data[at + 1:])
        run("label", folder / "changed.ozx", "--json", "-", code=65, said=said)
    end = data.rindex(b"PK\5\6")
    begin = int.from_bytes(data[end + 16:end + 20], "little")
    # The directory and its end as Zip64 has them, for archives of more than 4 GiB.
    large = data[:end] + b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, len(names), len(names), end - begin, begin)
    large += b"PK\6\7" + struct.pack("<IQI", 0, end, 1) + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    (folder / "large.ozx").write_bytes(large)
    run("label", folder / "large.ozx", "--json", "-")
    for cut in range(0, len(data) - begin, 7):
        (folder / "cut.ozx").write_bytes(data[: len(data) - 1 - cut])
        run("label", folder / "cut.ozx", "--json", "-", code=65, said="damaged or truncated")
    for whole in (data, large):
        for at in range(begin, len(whole), 5):
            (folder / "flipped.ozx").write_bytes(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            ended = subprocess.run([GPUCCL, "label", folder / "flipped.ozx", "--json", folder / "flipped.json", "--overwrite"], capture_output=True, timeout=30)
            assert ended.returncode in (0, 65, 71) and ended.stderr.count(b"\n") <= 2, (at, ended)


def json_time(folder):
    """Found: quadratic in what JSON holds, an hour for 16 MiB."""
    store = folder / "in.zarr"
    store.mkdir()
    (store / "zarr.json").write_text('{"zarr_format":3,"node_type":"array","x":[' + ",".join(["{}"] * 400000) + "]}")
    run("label", store, "--json", "-", code=65, seconds=5)
    deep = '{"zarr_format":2,"x":' + "[" * 100000 + "]" * 100000 + "}"
    (store / "zarr.json").unlink()
    (store / ".zarray").write_text(deep)
    run("label", store, "--json", "-", code=65, said="nested too deep")
    (ome_group(folder / "image.zarr") / "labels/.zattrs").write_text('{"x":[' + ",".join(["{}"] * 400000) + "]}")
    run("label", folder / "image.zarr", "-o", folder / "image.zarr/labels/cells", seconds=5)
    text = '{"shape": [2, 2], "x": [' + ",".join(["{}"] * 300000) + "]}\0"
    tags = [(256, 4, 1, 2), (257, 4, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (270, 2, len(text), 200), (273, 4, 1, 8),
            (277, 3, 1, 1), (278, 4, 1, 2), (279, 4, 1, 4), (305, 2, 12, 180)]
    tiff = b"II*\0" + struct.pack("<I", 12) + b"\1\0\0\1" + struct.pack("<H", len(tags))
    tiff += b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    (folder / "in.tif").write_bytes(tiff.ljust(180, b"\0") + b"tifffile.py\0".ljust(20, b"\0") + text.encode())
    run("label", folder / "in.tif", "--json", folder / "tiff.json", seconds=5)


def tiny_chunks(folder):
    """Found: chunks that are not there take time and memory without bound."""
    zarr(folder / "square.zarr", [4096, 4096], [1, 1])
    zarr(folder / "row.zarr", [1, 50000000], [1, 1])
    zarr(folder / "thin.zarr", [4, 1024, 512], [1, 1, 1])
    zarr(folder / "fits.zarr", [1, 1000000], [1, 1])
    for name in ("square", "row", "thin"):
        run("label", folder / f"{name}.zarr", "--json", "-", code=65, said="larger chunks", seconds=5)
    code, kib = peak_kib("label", folder / "fits.zarr", "--json", folder / "fits.json", "--memory", "48M")
    assert code == 71 and kib < 48 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)


def few_descriptors(folder):
    """Found: sharded Zarrs want more descriptors than there are."""
    store = folder / "in.zarr"
    store.mkdir()
    count = 80
    codecs = [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [1, 1], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "index_location": "end"}}]
    (store / "zarr.json").write_text(json.dumps({
        "zarr_format": 3, "node_type": "array", "shape": [count, count], "data_type": "uint8", "fill_value": 0, "codecs": codecs,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [count, 1]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}}, "attributes": {}}))
    for x in range(count):
        index = b"".join(struct.pack("<QQ", y, 1) for y in range(count))
        (store / f"c.0.{x}").write_bytes(b"\1" * count + index)
    out, _ = run("label", store, "--json", "-", "--quiet", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    assert json.loads(out)["labeling"]["components"] == 1
    stores = [folder / f"{i}.zarr" for i in range(4)]
    for link in stores:
        link.symlink_to(store)
    run("label", *stores, "-o", folder / "out/", "--jobs", "4", "--quiet",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096)))


def detached(folder):
    """Found: links and NULs in the names of detached samples led out of the folder."""
    secret, inner = folder / "secret", folder / "in"
    inner.mkdir()
    secret.write_bytes(b"\1\0\1\0")
    (inner / "link.raw").symlink_to(secret)
    (inner / "there.raw").write_bytes(b"\1\0\1\0")
    (inner / "beside.raw").symlink_to("there.raw")
    (inner / "up").symlink_to("..")

    def headers(name):
        nrrd = b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 1\nencoding: raw\ndata file: " + name + b"\n\n"
        meta = b"ObjectType = Image\nNDims = 2\nDimSize = 4 1\nElementType = MET_UCHAR\nElementDataFile = " + name + b"\n"
        (inner / "in.nhdr").write_bytes(nrrd)
        (inner / "in.mhd").write_bytes(meta)
        return inner / "in.nhdr", inner / "in.mhd"

    for name in (b"link.raw", b"../secret", b"up/secret", bytes(secret), b"..\0x/secret", b"link.raw\0.raw"):
        for header in headers(name):
            run("label", header, "--json", "-", code=65)
    for name in (b"link.raw", b"../secret", b"up/secret", bytes(secret)):
        for header in headers(name):
            out, _ = run("label", header, "--json", "-", "--follow", "--quiet")
            assert json.loads(out)["labeling"]["components"] == 2
    for name in (b"there.raw", b"beside.raw"):
        for header in headers(name):
            run("label", header, "--json", folder / "beside.json", "--quiet")
    pair = struct.pack("<i36xHHHHHHHH", 348, *[2, 4, 1, 1, 1, 1, 1, 1]).ljust(70, b"\0")
    pair = (pair + struct.pack("<HH", 2, 8)).ljust(108, b"\0") + struct.pack("<f", 0)
    (inner / "pair.hdr").write_bytes(pair.ljust(344, b"\0") + b"ni1\0")
    (inner / "pair.img").symlink_to(secret)
    run("label", inner / "pair.hdr", "--json", "-", code=65, said="--follow")
    stack = folder / "stack"
    stack.mkdir()
    png(stack / "1.png", [[255]])
    (stack / "files.txt").symlink_to(secret)
    secret.write_text("the first line of a secret\n")
    _, err = run("label", stack, "--stack", "--json", "-", code=65, said="symbolic link")
    assert "secret" not in err.replace(str(folder), ""), err
    (stack / "files.txt").unlink()
    png(folder / "outside.png", [[255]])
    (stack / "files.txt").write_text("../outside.png\n")
    run("label", stack, "--stack", "--json", "-", code=65, said="--follow")
    run("label", stack, "--stack", "--json", folder / "stack.json", "--follow", "--quiet")


def formats(folder):
    """The contents of a file match its extension, or another allowed format."""
    npy(folder / "in.png", (2, 2), b"\1\0\0\1")
    run("label", folder / "in.png", "--json", "-", code=65, said="contains .npy, but its name is that of PNG; rename it, or set GPUCCL_FORMATS=any")
    for allowed in ("any", "npy", "png,npy"):
        run("label", folder / "in.png", "--json", folder / "out.json", "--formats", allowed)
        run("label", folder / "in.png", "--json", folder / "out.json", env={**os.environ, "GPUCCL_FORMATS": allowed})
    for more in ({"env": {**os.environ, "GPUCCL_FORMATS": "png,tiff"}}, {}):
        words = [] if more else ["--formats", "png,tiff"]
        run("label", folder / "in.png", "--json", "-", *words, code=65, said="allows only png, tiff", **more)
    run("label", folder / "in.png", "--json", "-", "--formats", "png,gif", code=64, said="'gif' is not a format")
    run("label", folder / "in.png", "--json", "-", code=64, said="GPUCCL_FORMATS", env={**os.environ, "GPUCCL_FORMATS": "tif"})
    zarr(folder / "in.zarr", [2, 2], [2, 2], [("0.0", b"\1" * 4)])
    run("label", folder / "in.zarr", "--json", "-", "--formats", "png", code=65, said="contains OME-Zarr")
    (folder / "in.data").write_bytes((folder / "in.png").read_bytes())
    run("label", folder / "in.data", "--json", folder / "out.json")
    run("label", "-", "--json", folder / "out.json", "--formats", "png", code=65, said="contains .npy", stdin=(folder / "in.data").open())


def nifti(dims, samples=b""):
    """A volume of bytes."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, len(dims), *dims, *[1] * (7 - len(dims)))
    struct.pack_into("<hh", header, 70, 2, 8)
    struct.pack_into("<8f", header, 76, *[1] * 8)
    struct.pack_into("<f", header, 108, 352)
    header[344:348] = b"n+1\0"
    return bytes(header) + samples


def tiff(description, pages=1, side=8):
    """Pages, each with the description."""
    return image_files.tiff([(side, side, bytes([page % 2, 0, 1, 0]) * (side * side // 4)) for page in range(pages)], [description] * pages)


def claims(folder):
    """Found: images that a file only claims to have took memory and hours, and ended the batch."""
    inputs, images = folder / "in", "ImageJ=1.53\nimages={0}\nframes={0}\n"
    inputs.mkdir()
    (inputs / "good.tif").write_bytes(tiff(images.format(3), 3))
    (inputs / "a.nii.gz").write_bytes(gzip.compress(nifti((1, 1, 1, 32767, 300))))
    (inputs / "b.nii.gz").write_bytes(gzip.compress(nifti((1, 1, 1, 32767, 20))))
    (inputs / "c.nii").write_bytes(nifti((1, 1, 1, 1000, 1000), bytes(64)))
    for name, count in (("d", 10**9), ("e", 9 * 10**18), ("f", 4)):
        (inputs / f"{name}.tif").write_bytes(tiff(images.format(count), 3))
    (inputs / "g.nrrd").write_bytes(b"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 8 8 1 100000\n"
                                    b"kinds: domain domain domain time\nencoding: raw\n\n" + bytes(64))
    (inputs / "h.mha").write_bytes(b"ObjectType = Image\nNDims = 4\nDimSize = 8 8 1 900000\nElementType = MET_UCHAR\n"
                                   b"ElementDataFile = LOCAL\n" + bytes(64))
    group = inputs / "i.zarr"
    group.mkdir()
    (group / ".zgroup").write_text('{"zarr_format":2}')
    (group / ".zattrs").write_text('{"multiscales":[{"version":"0.4","axes":["t","y","x"],"datasets":[{"path":"0"}]}]}')
    zarr(group / "0", [10000000, 8, 8], [100000, 8, 8])
    bad = sorted(path.name for path in inputs.iterdir() if path.name != "good.tif")

    code, kib = peak_kib("label", inputs, "--frame", "all", "--json-dir", folder / "out", "--memory", "64M")
    assert code == 65 and kib < 64 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)
    assert sorted(path.name for path in (folder / "out").iterdir()) == [f"good-t000{i}.json" for i in range(3)]
    for name in bad:
        for words in (("match", "--track", name, "-o", folder / "tracks/"), ("match", name, name, "--frame", "all")):
            run(*words, cwd=inputs, code=65, said=name, seconds=5)
    for count in (2, 10**7, 10**9):
        (folder / "channels.tif").write_bytes(tiff(f"ImageJ=1.53\nimages={count}\nchannels={count}\n"))
        code, kib = peak_kib("label", inputs / "good.tif", "--frame", "0", "--intensity", folder / "channels.tif", "--intensity-channel", "all",
                             "--stats", folder / "stats.csv", "--memory", "64M")
        assert code == 65 and kib < 64 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)
    # A true number of time points that takes more memory than there is fails alone.
    (inputs / "long.nii").write_bytes(nifti((1, 1, 1, 30000, 20), bytes(600000)))
    out, err = subprocess.Popen([GPUCCL, "label", inputs / "long.nii", inputs / "good.tif", "--frame", "all", "--json-dir", folder / "more",
                                 "--memory", "64M"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).communicate()
    assert "600000 images" in err and "increase --memory" in err and "3 of 4 labeled" in err, err


def reports(folder):
    """Found: the page of labels trusted the report: a box of one number, a centroid of 40, components without areas."""
    npy(folder / "in.npy", (4, 4), bytes([255, 0, 0, 0] * 4))
    run("label", "in.npy", "-o", "labels.tif", "--json", "good.json", "--quiet", cwd=folder)
    good = json.loads((folder / "good.json").read_text())

    def view(text, code=65, said="", **more):
        (folder / "bad.json").write_text(text if isinstance(text, str) else json.dumps(text))
        run("view", "labels.tif", "--report", "bad.json", "-o", "page.html", "--overwrite", cwd=folder, code=code, said=said, **more)
        assert not code or not (folder / "page.html").exists()
        (folder / "page.html").unlink(missing_ok=True)

    def with_component(**fields):
        component = {**good["components"][0], **fields}
        return {**good, "components": [{key: value for key, value in component.items() if value != "none"}]}

    view(good, code=0)
    for fields in ({"bbox": [1]}, {"bbox": []}, {"bbox": [0] * 5}, {"bbox": [0] * 8}, {"bbox": 3}, {"bbox": [0, 0, 1, "x"]},
                   {"centroid": [0] * 40}, {"centroid": []}, {"centroid": [1]}, {"centroid": [1, 2, 3]}, {"centroid": {}},
                   {"centroid_physical": [1]}, {"centroid_physical": [[1, 2], 3]}, {"area_physical": [1]},
                   {"area": "none"}, {"area": None}, {"area": []}, {"area": "1"}, {"label": -1}, {"label": 0.5}, {"label": 1e30},
                   {"label": "none"}, {"label": []}, {"label": 2}, {"solidity": "x"}, {"solidity": {"x": 1}}):
        view(with_component(**fields), said="bad.json")
    first = json.dumps(good["components"][0])
    for more in ('{"label": 1}', '{"label": 1, "area": 1}', first[:-1] + ', "new": 1}', "3", "[]", "null"):
        view(json.dumps({**good, "components": "@"}).replace('"@"', f"[{first}, {more}]"), said="bad.json")
    for components in ({}, {"a": {"label": 1}}, 3, None, "x", [[]], [[{}]]):
        view({**good, "components": components}, said="bad.json")
    for name in ("gpuccl", "input", "options", "hints", "labeling", "intensity"):
        view({key: value for key, value in good.items() if key != name}, said="bad.json")
        for value in ([], {}, 3, None, [3], [{}]):
            (folder / "bad.json").write_text(json.dumps({**good, name: value}))
            code, _ = peak_kib("view", folder / "labels.tif", "--report", folder / "bad.json", "-o", folder / "other.html", "--overwrite")
            assert code in (0, 65), (name, value, code)
    view('{"gpuccl": "x", "input": ' + "[" * 100000 + "]" * 100000 + "}", said="nested too deep")
    view('{"gpuccl": "x", "components": [' + ",".join(["{}"] * 1000000) + "]}", seconds=5)
    view('{"gpuccl": "x", "hints": [' + ",".join(["[]"] * 1000000) + "]}", said="more values", seconds=5)
    wide = ",".join(f'"m{i}": 1' for i in range(20000))
    view(json.dumps({**good, "components": "@"}).replace('"@"', f"[{first[:-1]}, {wide}}}]"), code=0, seconds=20)
    for text in ("", "[]", "{", "3", '{"gpuccl": 1}', "\0" * 100):
        view(text, said="bad.json")
    run("view", "labels.tif", "--report", ".", "-o", "page.html", cwd=folder, code=66, said=".: ")
    run("view", "labels.tif", "--report", "none.json", "-o", "page.html", cwd=folder, code=66, said="none.json")
    code, kib = peak_kib("view", folder / "labels.tif", "--report", "/dev/zero", "-o", folder / "page.html", "--memory", "64M")
    assert code and kib < 64 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)
    head, tail = json.dumps({**good, "components": "@"}).split('"@"')
    with (folder / "long.json").open("w") as file:  # in pieces, because the peak of a child includes that of this process
        file.write(head + "[" + first)
        for _ in range(6000):
            file.write(("," + first) * 100)
        file.write("]" + tail)
    code, kib = peak_kib("view", folder / "labels.tif", "--report", folder / "long.json", "-o", folder / "page.html", "--memory", "64M")
    assert code == 71 and kib < 64 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)
    code, kib = peak_kib("view", folder / "labels.tif", "--report", folder / "long.json", "-o", folder / "page.html", "--memory", "256M")
    assert code in (0, 65) and kib < 256 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)


def outputs(folder):
    """Found: an output with the name of a link replaced the input that it leads to."""
    series = tiff("ImageJ=1.53\nimages=3\nframes=3\n", 3)

    def keeps(*words, links=(), code=(64, 73), said=": "):  # 73: by the sandbox
        for path in ("s.tif", "pairs/a.tif", "others/a.tif"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(series)
        (folder / "out").mkdir(exist_ok=True)
        for link, target, make in links:
            make(folder / target, folder / "out" / link)
        ended = subprocess.run([GPUCCL, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert ended.returncode in code and said in ended.stderr, (words, ended)
        for path in ("s.tif", "pairs/a.tif", "others/a.tif"):
            assert (folder / path).read_bytes() == series, words
        for link in (folder / "out").iterdir():
            link.unlink()

    run_track = ("match", "--track", "s.tif", "--overwrite", "-o")
    for make in (os.symlink, os.link):
        keeps(*run_track, "out/", links=[("s-t0001.tif", "s.tif", make)])
        keeps("match", "pairs", "others", "--frame", "all", "--csv", "out/x.csv", "--overwrite", links=[("x.csv", "others/a.tif", make)])
        keeps("match", "pairs", "others", "--frame", "all", "--json", "out/x.json", "--overwrite", links=[("x.json", "pairs/a.tif", make)])
        keeps("label", "pairs", "-o", "out/", "--frame", "0", "--overwrite", links=[("a.tiff", "pairs/a.tif", make)])
        keeps("label", "s.tif", "--frame", "all", "--json-dir", "out/", "--overwrite", links=[("s-t0002.json", "s.tif", make)])
        keeps("contacts", "s.tif", "-o", "out/x.csv", "--overwrite", links=[("x.csv", "s.tif", make)])
        keeps("view", "s.tif", "-o", "out/x.html", "--overwrite", links=[("x.html", "s.tif", make)])
    (folder / "s-t0001.tif").symlink_to("s.tif")
    keeps(*run_track, ".", code=[64], said="output and input are the same file")
    assert (folder / "s-t0001.tif").is_symlink()
    (folder / "s-t0001.tif").unlink()
    keeps(*run_track, "out/", code=[0], said="")


def memory(folder):
    """Found: a list without lines, and slices that a description claims, took memory without bound."""
    begin = time.monotonic()
    code, kib = peak_kib("label", "@/dev/zero", "-o", folder / "out/")
    assert code == 65 and time.monotonic() - begin < 10 and kib < 256 * 1024 or not PLAIN, (code, kib)
    text = b"ImageJ=1.53\nimages=100000000\nchannels=2\nslices=50000000\nhyperstack=true\n\0"
    tags = [(256, 4, 1, 2), (257, 4, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (270, 2, len(text), 200), (273, 4, 1, 8),
            (277, 3, 1, 1), (278, 4, 1, 2), (279, 4, 1, 4)]
    tiff = b"II*\0" + struct.pack("<I", 12) + b"\1\0\0\1" + struct.pack("<H", len(tags))
    tiff += b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    (folder / "in.tif").write_bytes(tiff.ljust(200, b"\0") + text)
    code, kib = peak_kib("label", folder / "in.tif", "--json", folder / "tiff.json", "--channel", "1", "--memory", "64M")
    assert code == 65 and kib <= 64 * 1024 + KIB_BESIDE or not PLAIN, (code, kib)


def hdf5_memory(folder):
    """Found: what decodes a large chunk was not counted when slabs of values were planned."""
    # By another process, because the peak of a child includes the memory of this one.
    subprocess.run([sys.executable, "-c", "import h5py, numpy\n"
                    "values = numpy.arange(1, 20 * 1500 * 1500 + 1, dtype='u4').reshape(20, 1500, 1500)\n"
                    "h5py.File('in.h5', 'w').create_dataset('values', data=values, chunks=values.shape)"], cwd=folder, check=True)
    for most in (300, 350, 360, 420):
        for more in ([], ["-c", "6"], ["--measure", "all"]):
            code, kib = peak_kib("label", folder / "in.h5", "--values", *more, "-o", folder / "out.tif", "--memory", f"{most}M", "--overwrite")
            assert code == 71 and kib <= most * 1024 + KIB_BESIDE or not PLAIN, (most, more, code, kib)


def signals(folder):
    """Found: the signals that SLURM sends left temporary folders."""
    zarr(folder / "in.zarr", [1500, 1500], [1500, 1500], [("0.0", b"\1\0" * 1125000)])
    for number in (signal.SIGTERM, signal.SIGXCPU, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT, signal.SIGPROF, signal.SIGVTALRM):
        for wait in (0.02, 0.05, 0.1):
            process = subprocess.Popen([GPUCCL, "label", "in.zarr", "-o", "out.zarr", "--quiet"], cwd=folder, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            time.sleep(wait)
            process.send_signal(number)
            assert process.wait() in (0, -number)
            assert not list(folder.glob(".gpuccl-*")), number


def zeros_in_text(folder):
    """Messages show NULs in the text of a file, at which they ended."""
    npy(folder / "type.npy", (1, 1), b"\1", "<\0u1")
    run("label", "type.npy", "-o", "out.tif", cwd=folder, code=65, said=r"(type '<\x00u1')")
    npy(folder / "order.npy", (1, 1), b"\1")
    content = (folder / "order.npy").read_bytes()
    (folder / "order.npy").write_bytes(content.replace(b"False", b"Fa\0se"))
    run("label", "order.npy", "-o", "out.tif", cwd=folder, code=65, said=r"(fortran_order Fa\x00se)")
    zarr(folder / "in.zarr", [2, 2], [2, 2], dtype="|\0u1")
    run("label", "in.zarr", "-o", "out.tif", cwd=folder, code=65, said=r"\x00u1")


def formulas(folder):
    """Names that a spreadsheet would take for formulas."""
    for name in ("=1+1.png", "+a.png", "@b.png", "-c.png", "d.png"):
        png(folder / name, [[255]])
    (folder / "list").write_text("=1+1.png\n+a.png\n@b.png\n-c.png\nd.png\n")
    run("label", "@list", "--stats", "all.csv", "--quiet", cwd=folder)
    names = [line.split(",")[0] for line in (folder / "all.csv").read_text().splitlines()[1:]]
    assert names == ["./=1+1.png", "./+a.png", "./@b.png", "./-c.png", "d.png"], names
    run("match", ".", ".", "--csv", "pairs.csv", "--json", "pairs.json", cwd=folder)
    names = {line.split(",")[0] for line in (folder / "pairs.csv").read_text().splitlines()[1:]}
    assert names == {"./=1+1", "./+a", "./@b", "./-c", "d"}, names


with tempfile.TemporaryDirectory() as scratch:
    tests = [claims, reports, outputs, names_in_brackets, zarr_names, damaged_zip, zipped_plate, json_time, tiny_chunks, few_descriptors, detached, formats, memory,
             signals, zeros_in_text, formulas]
    if HAS_HDF5:
        tests += [hdf5_time, hdf5_memory]
    for test in tests:
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        folder = pathlib.Path(scratch) / test.__name__
        folder.mkdir()
        begin = time.monotonic()
        test(folder)
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
