"""NRRD and MetaImage, both ways: volumes that pynrrd and SimpleITK write are labeled, and they read the labels back.

usage: volumes_interop.py GPUCCL MODULE
Labels and geometry are equal. Exit status 77: the module, nrrd or SimpleITK, is not installed.
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


with tempfile.TemporaryDirectory() as scratch:
    {"nrrd": check_nrrd, "SimpleITK": check_simpleitk}[sys.argv[2]](scratch)
