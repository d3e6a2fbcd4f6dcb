"""Reads label images and reports written by gpuccl with the programs that users read them with.

usage: interop.py WRITE_SAMPLES SCHEMA PART
Exit status 77: the module that PART needs is not installed.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def need(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: no module {name}")
        sys.exit(SKIPPED)


class Sample:
    """A label image and what is in it."""

    def __init__(self, folder, entry):
        numpy = need("numpy")
        self.name = entry["file"]
        self.path = os.path.join(folder, entry["file"])
        self.type = entry["type"]
        self.depth = entry["depth"]
        self.max = entry["max"]
        shape = (entry["height"], entry["width"])
        if self.depth > 1:
            shape = (self.depth,) + shape
        raw = numpy.fromfile(os.path.join(folder, entry["raw"]), dtype="<u4")
        self.labels = raw.reshape(shape).astype({"u8": "u1", "u16": "u2", "u32": "u4"}[self.type])

    def expect(self, image):
        assert image.dtype == self.labels.dtype, f"{self.name}: {image.dtype}"
        assert image.shape == self.labels.shape, f"{self.name}: {image.shape}"
        assert (image == self.labels).all(), f"{self.name}: other labels"

    def is_tiff(self):
        return self.name.endswith(".tif")


def check_ome(tiff, sample):
    assert tiff.is_ome and not tiff.is_imagej, sample.name
    [series] = tiff.series
    assert series.axes == ("ZYX" if sample.depth > 1 else "YX"), series.axes
    xml = tiff.ome_metadata
    assert 'PhysicalSizeX="0.5" PhysicalSizeXUnit="mm"' in xml and 'PhysicalSizeZ="1.5"' in xml, xml
    sample.expect(series.asarray())


def check_tifffile(samples):
    tifffile = need("tifffile")
    # LZW and PackBits are decoded by another module, which need not be there.
    codecs = importlib.util.find_spec("imagecodecs") is not None
    for sample in samples:
        if not sample.is_tiff() or (not codecs and ("-lzw" in sample.name or "-packbits" in sample.name)):
            continue
        with tifffile.TiffFile(sample.path) as tiff:
            if ".ome." in sample.name:
                check_ome(tiff, sample)
                continue
            assert tiff.is_imagej, sample.name
            assert len(tiff.pages) == sample.depth, sample.name
            about = tiff.imagej_metadata
            assert about["images"] == sample.depth, about
            assert about.get("slices", 1) == sample.depth, about
            assert about["min"] == 0 and about["max"] == sample.max, about
            assert about["spacing"] == 1.5, about
            tags = tiff.pages[0].tags
            assert tags["XResolution"].value == (2, 1) and tags["YResolution"].value == (4, 1), sample.name
            sample.expect(tiff.asarray())


def check_skimage(samples):
    reader = need("skimage.io")
    for sample in samples:
        if sample.is_tiff() and "-lzw" not in sample.name and "-packbits" not in sample.name:
            sample.expect(reader.imread(sample.path, plugin="tifffile"))
        if sample.name.endswith(".png"):
            sample.expect(reader.imread(sample.path))


def check_opencv(samples):
    cv2 = need("cv2")
    for sample in samples:
        if sample.name.endswith(".npy") or ".nii" in sample.name or sample.type == "u32":
            continue  # OpenCV has no unsigned 32-bit images
        if sample.depth == 1:
            sample.expect(cv2.imread(sample.path, cv2.IMREAD_UNCHANGED))
        else:
            done, pages = cv2.imreadmulti(sample.path, flags=cv2.IMREAD_UNCHANGED)
            assert done, sample.name
            sample.expect(need("numpy").stack(pages))


def check_numpy(samples):
    numpy = need("numpy")
    for sample in samples:
        if sample.name.endswith(".npy"):
            image = numpy.load(sample.path, mmap_mode="r")
            assert image.flags["C_CONTIGUOUS"], sample.name
            sample.expect(image)


def check_nibabel(samples):
    numpy, nibabel = need("numpy"), need("nibabel")
    for sample in samples:
        if ".nii" in sample.name:
            nifti = nibabel.load(sample.path)
            assert nifti.header["intent_code"] == 1002, sample.name
            assert nifti.header.get_xyzt_units()[0] == "mm", sample.name
            assert numpy.allclose(nifti.affine, numpy.diag([-0.5, -0.25, 1.5, 1])), nifti.affine
            image = numpy.asanyarray(nifti.dataobj).T
            sample.expect(image.reshape(image.shape[-2:]) if sample.depth == 1 else image)


def check_imagej(samples):
    numpy = need("numpy")
    jar = "/usr/share/java/ij.jar"
    if not os.path.exists(jar) or not shutil.which("javac"):  # a JDK: it compiles what it runs
        print(f"skipped: no {jar} or no JDK")
        sys.exit(SKIPPED)
    tiffs = [sample for sample in samples if sample.is_tiff() and ".ome." not in sample.name]
    files = [name for sample in tiffs for name in (sample.path, sample.path + ".f4")]
    reader = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ReadByImageJ.java")
    subprocess.run(["java", "-Djava.awt.headless=true", "-cp", jar, reader] + files, check=True)
    for sample in tiffs:
        with open(sample.path + ".f4", "rb") as file:
            image = numpy.frombuffer(file.read(), dtype="<f4")
        assert image.size == sample.labels.size, f"{sample.name}: {image.size} elements"
        labels = sample.labels.view("<i4") if sample.type == "u32" else sample.labels  # signed to ImageJ
        same = image.reshape(labels.shape) == labels.astype("f4")
        assert same.all(), f"{sample.name}: other labels"


def check_reports(folder, schema_path):
    jsonschema = need("jsonschema")
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for name in ("image.json", "volume.json", "empty.json"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            report = json.load(file)
        validator(schema).validate(report)
        assert len(report["components"]) == report["labeling"]["components"], name
    # Other documents must not pass as reports.
    for spoil in (lambda r: r.pop("output"), lambda r: r["input"].update(extra=1),
                  lambda r: r["labeling"].update(connectivity=5)):
        spoiled = json.loads(json.dumps(report))
        spoil(spoiled)
        assert list(validator(schema).iter_errors(spoiled)), "the schema accepts anything"


PARTS = {"tifffile": check_tifffile, "skimage": check_skimage, "opencv": check_opencv, "numpy": check_numpy,
         "nibabel": check_nibabel, "imagej": check_imagej}


def main(tool, schema_path, part):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, folder], check=True)
        if part == "reports":
            check_reports(folder, schema_path)
            return
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            samples = [Sample(folder, entry) for entry in json.load(file)]
        PARTS[part](samples)
        print(f"{part}: {len(samples)} samples")


main(*sys.argv[1:])
