"""NRRD, MetaImage and MRC, both ways: volumes that pynrrd, SimpleITK and mrcfile write are labeled, and they read the labels back.

usage: volumes_interop.py GPUCCL MODULE
Labels and geometry are equal. Exit status 77: the module, nrrd, SimpleITK or mrcfile, is not installed.
"""

import importlib
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy

    module = importlib.import_module(sys.argv[2])
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

GPUCCL = sys.argv[1]
KINDS = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def label(source, output, *options):
    """The report of a labeling of single elements: labels are numbers in raster order."""
    words = [GPUCCL, "label", source, "-o", output, "--json", "-", "--quiet", *options]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def scattered(kind):
    """A volume in which no two elements of the foreground touch, and its labels."""
    image = numpy.zeros((6, 14, 18), kind)
    random = numpy.random.default_rng(7)
    image[::2, ::2, ::2] = random.integers(0, 3, image[::2, ::2, ::2].shape)
    labels = numpy.zeros(image.shape, "u2")
    labels[image != 0] = numpy.arange(1, 1 + (image != 0).sum())
    return image, labels


def check_nrrd(folder):
    path, output = os.path.join(folder, "image.nrrd"), os.path.join(folder, "labels.nrrd")
    tilted = {"space": "left-posterior-superior", "space directions": [[0.4, 0.3, 0], [-0.3, 0.4, 0], [0, 0.1, 2]],
              "space origin": [10.5, -20.25, 1 / 3], "space units": ["mm", "mm", "mm"], "kinds": ["domain"] * 3}
    headers = [{}, {"spacings": [0.5, 0.25, 2], "units": ["um"] * 3}, tilted,
               {**tilted, "space": "right-anterior-superior"}, {**tilted, "space": "scanner-xyz"}]
    for kind in KINDS:
        image, labels = scattered(kind)
        for encoding in ("raw", "gzip"):
            for endian in ("little", "big"):
                header = {**headers[len(kind + encoding + endian) % len(headers)], "encoding": encoding, "endian": endian}
                module.write(path, image.T, header)
                label(path, output)
                assert (module.read(output)[0].T == labels).all(), (kind, header)
    image, labels = scattered("u1")
    for header in headers:
        for options in ((), ("--compress", "none")):
            module.write(path, image.T, header)
            label(path, output, *options)
            found, about = module.read(output)
            assert found.dtype == numpy.uint16 and (found.T == labels).all(), header
            assert about["encoding"] == ("raw" if options else "gzip"), about
            for field in ("space", "spacings", "space directions", "space origin", "units", "space units"):
                same = numpy.array_equal(about[field], header[field]) if field in header else field not in about
                assert same, f"{field}: {about.get(field)}, not {header.get(field)}"
    detached = os.path.join(folder, "image.nhdr")
    module.write(detached, image.T, {"encoding": "gzip"}, detached_header=True)
    label(detached, output)
    assert (module.read(output)[0].T == labels).all()
    for page in (image[0], image[0].T):
        module.write(path, page.T, {"spacings": [3, 4]})
        assert label(path, output)["input"]["geometry"]["spacing"] == [3, 4, None]
        found, about = module.read(output)
        assert found.shape == page.T.shape and list(about["spacings"]) == [3, 4], about


def check_simpleitk(folder):
    angle = 0.3
    turned = (math.cos(angle), -math.sin(angle), 0, math.sin(angle), math.cos(angle), 0, 0, 0, 1)
    for kind in KINDS:
        array, labels = scattered(kind)
        image = module.GetImageFromArray(array)
        image.SetSpacing((0.5, 0.25, 2))
        image.SetOrigin((10.5, -20.25, 3))
        image.SetDirection(turned)
        for source in ("a.mha", "a.mhd", "a.nrrd", "a.nhdr", "a.nii.gz"):
            if kind in ("i8", "u8") and source == "a.nii.gz":
                continue  # NIfTI that SimpleITK does not write
            for compressed in (False, True):
                path = os.path.join(folder, source)
                module.WriteImage(image, path, compressed)
                for target in ("b.mha", "b.nrrd", "b.nii.gz")[:: 1 if kind == "u1" else 4]:
                    output = os.path.join(folder, target)
                    report = label(path, output, *(("--compress", "none") if target == "b.mha" and compressed else ()))
                    found = module.ReadImage(output)
                    assert (module.GetArrayFromImage(found) == labels).all(), (path, output)
                    for a, b in ((found.GetSpacing(), image.GetSpacing()), (found.GetOrigin(), image.GetOrigin()),
                                 (found.GetDirection(), image.GetDirection())):
                        assert numpy.allclose(a, b, rtol=1e-6, atol=1e-6), (path, output, a, b)
                    one = report["components"][0]
                    place = image.TransformContinuousIndexToPhysicalPoint(one["centroid"])
                    if source.startswith("a.m"):
                        assert numpy.allclose(one["centroid_physical"], place), one
                    assert math.isclose(one["area_physical"], 0.25, rel_tol=1e-6), one
    array, labels = scattered("u1")
    image = module.GetImageFromArray(array)
    image.SetSpacing((0.5, 0.25, 2))
    path, output = os.path.join(folder, "e.nrrd"), os.path.join(folder, "f.nrrd")
    module.WriteImage(module.JoinSeries([image]), path)
    label(path, output)
    assert (module.GetArrayFromImage(module.ReadImage(output)) == labels).all()
    # Labels of what says of no axis where it points lie on their image.
    numpy.save(os.path.join(folder, "g.npy"), array)
    module.WriteImage(image, os.path.join(folder, "g.tif"))
    plain = module.ReadImage(os.path.join(folder, "g.tif"))
    for source in ("g.tif", "g.npy"):
        for target in ("h.nii.gz", "h.nrrd", "h.mha"):
            output = os.path.join(folder, target)
            label(os.path.join(folder, source), output)
            found = module.ReadImage(output)
            assert (module.GetArrayFromImage(found) == labels).all(), (source, target)
            assert numpy.allclose(found.GetDirection(), plain.GetDirection()), (source, target, found.GetDirection())
            assert numpy.allclose(found.GetOrigin(), plain.GetOrigin()), (source, target, found.GetOrigin())
    flat = image[:, :, 2]
    for source in ("c.mha", "c.nrrd"):
        path, output = os.path.join(folder, source), os.path.join(folder, "d" + source[1:])
        module.WriteImage(flat, path)
        label(path, output)
        found = module.ReadImage(output)
        assert found.GetDimension() == 2 and found.GetSpacing() == flat.GetSpacing(), found.GetSpacing()
        assert numpy.allclose(found.GetOrigin(), flat.GetOrigin())


def check_mrcfile(folder):
    output = os.path.join(folder, "labels.mrc")
    for kind in ("i1", "i2", "u2", "f4", "f2"):
        image, labels = scattered(kind)
        for order in "<>":
            for compression, name in ((None, "a.mrc"), (None, "a.rec"), ("gzip", "a.map.gz")):
                path = os.path.join(folder, name)
                with module.new(path, image.astype(order + kind), compression=compression, overwrite=True) as mrc:
                    mrc.set_volume()
                    mrc.voxel_size = (2, 1.5, 4.25)
                    mrc.header.origin.x, mrc.header.origin.z = 11, -7.5
                    if order == ">":
                        mrc.set_extended_header(numpy.arange(77, dtype="i1"))
                report = label(path, output)
                assert math.isclose(report["components"][0]["area_physical"], 2 * 1.5 * 4.25), report["components"][0]
                assert report["input"]["geometry"]["unit"] == "angstrom", report["input"]
                assert module.validate(output), path
                with module.open(output) as found:
                    assert found.data.dtype == numpy.uint16 and (found.data == labels).all(), path
                    assert found.is_volume() and found.voxel_size.tolist() == (2, 1.5, 4.25), found.voxel_size
                    assert found.header.origin.tolist() == (11, 0, -7.5), found.header.origin
        if kind[0] != "f":  # floats that are integers are kept as int32
            label(path, output, "--values", "--keep-values")
            with module.open(output) as found:
                assert found.data.dtype == kind and (found.data == image).all(), kind
    batch, out = os.path.join(folder, "batch"), os.path.join(folder, "out", "")
    os.mkdir(batch)
    module.write(os.path.join(batch, "a.map"), scattered("i1")[0])
    for name in ("app.js.map", "b.st"):  # of other programs
        with open(os.path.join(batch, name), "w") as file:
            file.write("{}")
    run = subprocess.run([GPUCCL, "label", batch, "-o", out], capture_output=True, text=True)
    assert run.returncode == 0 and "2 files skipped" in run.stderr, run.stderr
    assert sorted(os.listdir(out)) == ["a.json", "a.tiff"], os.listdir(out)  # labels may need more than 16 bits
    image, labels = scattered("u1")
    numpy.save(os.path.join(folder, "a.npy"), image)
    label(os.path.join(folder, "a.npy"), output, "--values", "--keep-values", "--spacing", "2,3,4,nm")
    with module.open(output) as found:  # unsigned bytes are not in the standard
        assert found.data.dtype == numpy.uint16 and (found.data == image).all()
        assert found.voxel_size.tolist() == (20, 30, 40), found.voxel_size
    path = os.path.join(folder, "stack.mrcs")
    movie = numpy.stack([numpy.roll(image, t, 2).astype("i1") for t in range(3)])
    module.write(path, movie, overwrite=True)  # a stack of volumes
    for t in range(3):
        label(path, output, "--frame", str(t), "--values", "--keep-values")
        with module.open(output) as found:
            assert (found.data == movie[t]).all(), t
    images = numpy.tile(image, (1, 8, 8)).astype("i1")
    with module.new(path, images, overwrite=True) as mrc:
        mrc.set_image_stack()
        mrc.voxel_size = 3
    for options, hints in (((), True), (("--per-slice",), False)):
        run = subprocess.run([GPUCCL, "label", path, "-o", output, "--overwrite", *options], capture_output=True, text=True)
        assert run.returncode == 0 and ("use --per-slice" in run.stderr) == hints, run.stderr
    label(path, output, "--page", "2..3")
    with module.open(output) as found:
        assert ((found.data != 0) == (images[2:4] != 0)).all()
    with module.new(path, image[0].astype("f4"), overwrite=True) as mrc:
        mrc.voxel_size = 3
    label(path, output)
    with module.open(output) as found:
        assert found.is_single_image() and found.voxel_size.x == 3 and ((found.data != 0) == (image[0] != 0)).all()
    turned = numpy.ascontiguousarray(image.transpose(1, 2, 0)).astype("i1")  # columns z, rows x, sections y
    with module.new(path, turned, overwrite=True) as mrc:
        mrc.set_volume()
        mrc.header.mapc, mrc.header.mapr, mrc.header.maps = 3, 1, 2
        mrc.header.mx, mrc.header.my, mrc.header.mz = 18, 14, 6
        mrc.header.cella.x, mrc.header.cella.y, mrc.header.cella.z = 18 * 2, 14 * 3, 6 * 5
    assert label(path, output)["input"]["geometry"]["spacing"] == [5, 2, 3]
    with module.open(output) as found:
        header = found.header
        assert (header.mapc, header.mapr, header.maps) == (3, 1, 2) and found.voxel_size.tolist() == (2, 3, 5), found.voxel_size
        assert ((found.data != 0) == (turned != 0)).all()
    numpy.save(os.path.join(folder, "many.npy"), numpy.arange(70000, dtype="u4").reshape(7, 100, 100))
    run = subprocess.run([GPUCCL, "label", os.path.join(folder, "many.npy"), "--values", "-o", output, "--overwrite"], capture_output=True, text=True)
    assert run.returncode == 65 and "69999 labels do not fit the 16 bits of MRC; write a .tiff" in run.stderr, run.stderr
    module.write(path, image.astype("c8"), overwrite=True)
    run = subprocess.run([GPUCCL, "label", path, "-o", output, "--overwrite"], capture_output=True, text=True)
    assert run.returncode == 65 and "complex numbers; save their magnitude" in run.stderr, run.stderr


with tempfile.TemporaryDirectory() as scratch:
    {"nrrd": check_nrrd, "SimpleITK": check_simpleitk, "mrcfile": check_mrcfile}[sys.argv[2]](scratch)
