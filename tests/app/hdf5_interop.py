"""HDF5 in: datasets that h5py writes are labeled as the same arrays of numpy are.

usage: hdf5_interop.py GPUCCL
Exit status 77: h5py is not installed, or the program was built without libhdf5.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

GPUCCL = sys.argv[1]
if "HDF5" not in subprocess.run([GPUCCL, "info"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("reads")[1].split("\n")[0]:
    print("skipped: built without libhdf5")
    sys.exit(77)


def run(*words):
    return subprocess.run([GPUCCL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def label(folder, source, *options):
    """The labels, and the report."""
    output = os.path.join(folder, "labels.npy")
    done = run("label", source, "-o", output, "--json", "-", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return numpy.load(output), json.loads(done.stdout)


def refused(source, code, reason, *options):
    done = run("label", source, "--json", "-", "--quiet", *options)
    assert done.returncode == code and reason in done.stderr and done.stderr.count("\n") == 1, (done.returncode, done.stderr)


def scattered(kind, shape):
    """An array in which no two elements of the foreground touch, and its labels."""
    image = numpy.zeros(shape, kind)
    random = numpy.random.default_rng(7)
    apart = tuple(slice(None, None, 2) for _ in shape)
    image[apart] = random.integers(0, 2, image[apart].shape)
    labels = numpy.zeros(shape, "u2")
    labels[image != 0] = numpy.arange(1, 1 + (image != 0).sum())
    return image, labels


def check_layouts(folder):
    path = os.path.join(folder, "image.h5")
    kinds = ["?"] + [order + kind for order in "<>" for kind in ("u1", "i2", "u4", "i8", "f2", "f4", "f8")]
    ways = [{}, {"chunks": (2, 5, 7)}, {"chunks": (3, 16, 20), "compression": "gzip"},
            {"chunks": (1, 4, 23), "compression": "gzip", "shuffle": True, "fletcher32": True},
            {"chunks": (4, 9, 13), "compression": "lzf", "shuffle": True}, {"chunks": (2, 8, 8), "fletcher32": True},
            {"chunks": (4, 8, 8), "maxshape": (None, None, None), "compression": "gzip"}]
    for (i, kind), way in itertools.product(enumerate(kinds), ways):
        image, labels = scattered(kind, (6, 17, 23))
        with h5py.File(path, "w", libver=("earliest", "latest")[i % 2], userblock_size=(0, 512, 1024)[i % 3]) as file:
            file.create_dataset("a/b", data=image, **way)
        found, report = label(folder, path)
        assert (found == labels).all(), (kind, way)
        assert report["input"]["format"] == "hdf5" and report["input"]["bits_per_sample"] == image.dtype.itemsize * 8, report["input"]
    with h5py.File(path, "w") as file:  # missing chunks hold the fill value
        some = file.create_dataset("image", (9, 30, 40), "u2", chunks=(2, 8, 8), fillvalue=7)
        some[3, :, :] = 0
        file.create_dataset("empty", (30, 40), "u1")
    found, _ = label(folder, path + ":/image", "-c", "6")
    assert (found[:3] == 1).all() and (found[3] == 0).all() and (found[4:] == 2).all()
    assert not label(folder, path + ":/empty")[0].any()
    with h5py.File(path, "w") as file:
        create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        create.set_layout(h5py.h5d.COMPACT)
        image, labels = scattered("u1", (12, 18))
        h5py.h5d.create(file.id, b"image", h5py.h5t.STD_U8LE, h5py.h5s.create_simple(image.shape), create).write(
            h5py.h5s.ALL, h5py.h5s.ALL, image)
    assert (label(folder, path)[0] == labels).all()


def check_axes(folder):
    path = os.path.join(folder, "axes.h5")
    image, labels = scattered("u1", (5, 8, 9))
    for order in ("tzyxc", "czyx", "zyx", "xyz", "zcyx"):
        sizes = {"z": 5, "y": 8, "x": 9, "c": 3, "t": 2}
        for chunks in (None, True):
            whole = numpy.zeros([sizes[key] for key in order], "u1")
            whole[tuple({"c": 1, "t": 1}.get(key, slice(None)) for key in order)] = numpy.transpose(
                image, ["zyx".index(key) for key in order if key in "zyx"])
            with h5py.File(path, "w") as file:
                data = file.create_dataset("exported_data", data=whole, chunks=chunks)
                data.attrs["axistags"] = json.dumps({"axes": [
                    {"key": key, "typeFlags": 2, "resolution": {"x": 0.25, "y": 0.5, "z": 2}.get(key, 0)} for key in order]})
            choice = (["--channel", "1"] if "c" in order else []) + (["--frame", "1"] if "t" in order else [])
            found, report = label(folder, path, *choice)
            assert (found == labels).all(), order
            assert report["input"]["geometry"]["spacing"] == [0.25, 0.5, 2], report["input"]
            if "c" in order:
                refused(path, 65, "contains 3 channels; --channel N selects one, from 0", *choice[2:])
                refused(path, 65, "has no channel 3: there are 3 channels", "--channel", "3", *choice[2:])
    with h5py.File(path, "w") as file:
        file.create_dataset("image", data=image).attrs["element_size_um"] = [2, 0.5, 0.25]
        file.create_dataset("two", data=image).attrs["element_size_um"] = [0.5, 0.25]
        file.create_dataset("slice", data=image[0]).attrs["element_size_um"] = [0.5, 0.25]
        file.create_dataset("one", data=image[None, ..., None])
        file.create_dataset("many", data=numpy.stack([image, image]))
    report = label(folder, path + ":/image")[1]
    assert report["input"]["geometry"]["spacing"] == [0.25, 0.5, 2] and report["input"]["geometry"]["unit"] == "um"
    assert label(folder, path + ":/two")[1]["input"]["geometry"] is None
    assert label(folder, path + ":/slice")[1]["input"]["geometry"]["spacing"] == [0.25, 0.5, None]
    assert (label(folder, path + ":/one")[0] == labels).all()
    refused(path + ":/many", 65, "contains 2 elements along its axis 0; --frame N selects one, from 0")
    # CF conventions 4.1 to 4.3: axes are known by units, standard names and the direction of the vertical.
    for names, attributes in [(("p", "a", "b"), ({"units": "hPa"}, {}, {})),
                              (("depth", "lat", "lon"), ({"positive": "down"}, {"positive": "north"}, {"positive": "east"})), (("deptht", "a", "b"), ({"positive": "down"}, {}, {})),
                              (("a", "b", "c"), ({"positive": "up"}, {"standard_name": "longitude"}, {"standard_name": "latitude"})),
                              (("a", "xt_ocean", "yt_ocean"), ({"axis": "Z"}, {}, {})), (("z", "west_east", "south_north"), ({}, {}, {}))]:
        is_transposed = any("x" in name or "west" in name for name in names) or "standard_name" in attributes[1]
        with h5py.File(path, "w") as file:
            file["image"] = image.transpose(0, 2, 1) if is_transposed else image
            for i, (name, about) in enumerate(zip(names, attributes)):
                file.create_dataset(name, (file["image"].shape[i],)).make_scale(name)
                file["image"].dims[i].attach_scale(file[name])
                file[name].attrs.update(about)
        assert (label(folder, path + ":/image")[0] == labels).all(), names


def check_missing(folder):
    """Attributes of any type are compared with samples as Python compares them, without rounding."""
    path = os.path.join(folder, "missing.h5")
    time, low, high = 1700000000000000256, -(2**63), 2**63
    for kind, samples, fill in [("i8", [time, time + 1, time - 1], numpy.float64(time)), ("i8", [high - 1, high - 2], numpy.float64(high)),
                                ("i8", [low, low + 1], numpy.float64(low)), ("i8", [high - 1, high - 2], str(high - 1)),
                                ("u8", [high, high - 1, high + 1], numpy.array([float(high)])), ("u8", [2**64 - 1, 3], numpy.uint64(2**64 - 1)),
                                ("i8", [time, 5, 6], numpy.array([5.0, time])), ("f4", [numpy.float32(0.1), 0.5], numpy.array([0.1]))]:
        numbers = [numpy.float32(one) if kind == "f4" else int(one) for one in numpy.atleast_1d(fill)]
        for name in ("_FillValue", "missing_value"):
            with h5py.File(path, "w") as file:
                file["image"] = numpy.array([samples, samples], kind)
                file["image"].attrs[name] = fill
            found, _ = label(folder, path)
            assert ((found == 0) == [sample in numbers for sample in samples]).all(), (kind, samples, fill, found)
    # Without the attribute, what was never written over netCDF's default fill value. Other files have no such value.
    for kind, fill, has_scales in [("f4", 15 * 2.0**119, True), (">f8", 15 * 2.0**119, True), ("f4", 7, True), ("i2", -32767, True),
                                   ("f8", 15 * 2.0**119, False)]:
        is_missing = has_scales and fill > 7
        with h5py.File(path, "w") as file:
            file.create_dataset("image", (2, 2), kind, fillvalue=fill)[0] = 1
            if has_scales:
                file.create_dataset("y", (2,)).make_scale("y")
                file["image"].dims[0].attach_scale(file["y"])
        found, report = label(folder, path + ":/image")
        assert (found[1] == (0 if is_missing else 1)).all() and found[0].all(), (kind, found)
        assert is_missing == ("missing" in str(report["input"].get("value_rule"))), (kind, report["input"])


def check_refusals(folder):
    path, other = os.path.join(folder, "a.h5"), os.path.join(folder, "b.h5")
    image, labels = scattered("u1", (20, 30))
    with h5py.File(other, "w") as file:
        file["image"] = image
    image.tofile(os.path.join(folder, "raw"))
    with h5py.File(path, "w") as file:
        file["minc-2.0/image/0/image"] = image
    refused(path, 65, "is a MINC 2 file; convert it to NIfTI with mnc2nii")
    assert (label(folder, path + ":/minc-2.0/image/0/image")[0] == labels).all()
    with h5py.File(path, "w") as file:
        file["image"] = image
        file["group/twice"] = image
        file["soft"] = h5py.SoftLink("/image")
        file["far"] = h5py.ExternalLink("b.h5", "/image")
        file["text"] = "some text"
        file["list"] = numpy.zeros(7)
        file["pairs"] = numpy.zeros((4, 4), [("a", "u1"), ("b", "u1")])
        file["complex"] = numpy.zeros((4, 4), "c8")
        file.create_dataset("outside", (20, 30), "u1", external=[("raw", 0, 600)])
        file.create_dataset("szip", data=image, chunks=(20, 30), scaleoffset=0)
        layout = h5py.VirtualLayout((20, 30), "u1")
        layout[:] = h5py.VirtualSource(other, "image", (20, 30))
        file.create_virtual_dataset("virtual", layout)
    assert (label(folder, path + ":/image")[0] == labels).all()
    assert (label(folder, path + ":/soft")[0] == labels).all()
    assert (label(folder, path + ":/group")[0] == labels).all()
    refused(path, 65, "name one of them, as in file.h5:/name: /")
    refused(path + ":/none", 66, "has no dataset '/none'; it has /")
    refused(path + ":/far", 65, "leads to nothing in this file")
    refused(path + ":/far/image", 66, "has no dataset")
    refused(path + ":/list", 65, "has 1 axes")
    for name in ("text", "pairs", "complex"):
        refused(path + ":/" + name, 65, "contains no numbers")
    refused(path + ":/outside", 65, "has its samples in another file")
    refused(path + ":/virtual", 65, "has its samples in other datasets (virtual)")
    refused(path + ":/szip", 65, "its filter 6")
    with h5py.File(path, "w") as file:
        file.create_dataset("huge", (1 << 40, 1 << 40), "u1", chunks=(1 << 12, 1 << 12))
        file.create_dataset("chunk", (30000, 30000), "u1", chunks=(30000, 30000))
    refused(path + ":/huge", 65, "header claims")
    refused(path + ":/chunk", 71, "of memory", "--memory", "500M")
    whole = open(other, "rb").read()
    for size in range(0, len(whole), 97):
        with open(path, "wb") as file:
            file.write(whole[:size])
        done = run("label", path, "--json", "-", "--quiet")
        assert done.returncode == 65 and done.stderr.count("\n") == 1, (size, done.stderr)
    piped = subprocess.run([GPUCCL, "label", "-", "--json", "-", "--quiet"], input=whole, stdout=subprocess.PIPE, check=True)
    assert json.loads(piped.stdout)["labeling"]["components"] == labels.max()


def check_batch(folder):
    inputs, outputs = os.path.join(folder, "in"), os.path.join(folder, "out")
    os.mkdir(inputs)
    image, labels = scattered("u1", (70, 60, 50))
    for name in ("a.h5", "b.hdf5", "c.he5"):
        with h5py.File(os.path.join(inputs, name), "w") as file:
            file.create_dataset("raw", data=image, chunks=(7, 20, 30), compression="gzip")
    batch = ("label", inputs, "-o", outputs + "/", "--format", "npy", "--skip-existing")
    assert run(*batch).returncode == 0
    for name in "abc":
        assert (numpy.load(os.path.join(outputs, name + ".npy")) == labels).all()
    again = run(*batch)
    assert again.returncode == 0 and "3 skipped" in again.stderr, again.stderr
    found, _ = label(folder, os.path.join(inputs, "a.h5:/raw"), "--memory", "700K")
    assert (found == labels).all()
    path = os.path.join(folder, "two.h5")
    with h5py.File(path, "w") as file:
        file["g/one"] = labels
        file["two"] = labels
    names = (path + ":/g/one", path + ":/two")
    assert run("label", *names, "-o", outputs + "/", "--format", "npy", "--skip-existing").returncode == 0
    assert (numpy.load(os.path.join(outputs, "two-g-one.npy")) == labels).all()
    again = run("label", *names, "-o", outputs + "/", "--format", "npy", "--skip-existing")
    assert "2 skipped" in again.stderr, again.stderr
    assert run("compare", *names).returncode == 0
    assert run("compare", names[0], os.path.join(outputs, "a.npy")).returncode == 0
    before = open(path, "rb").read()
    same = run("label", names[0], "-o", path)
    assert same.returncode == 64 and open(path, "rb").read() == before, same.stderr
    stack = os.path.join(folder, "stack")
    os.mkdir(stack)
    for z in range(5):
        with h5py.File(os.path.join(stack, f"{z}.h5"), "w") as file:
            file["slice"] = image[z]
    assert (label(folder, stack, "--stack")[0] == labels[:5]).all()


for check in (check_layouts, check_axes, check_missing, check_refusals, check_batch):
    with tempfile.TemporaryDirectory() as scratch:
        check(scratch)
