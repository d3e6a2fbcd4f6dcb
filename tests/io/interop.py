"""Reads label images written by gpuccl with the programs that users read them with.

usage: interop.py GPUCCL PART
Exit status 77: the module that PART needs is not installed.
"""

import importlib.util
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
    """A label image as gpuccl writes it, and what is in it."""

    def __init__(self, path, labels):
        self.name = os.path.basename(path)
        self.path = path
        self.labels = labels
        self.type = labels.dtype.str[1:]
        self.depth = labels.shape[0] if labels.ndim == 3 else 1
        self.max = labels.max()

    def expect(self, image):
        assert image.dtype == self.labels.dtype, f"{self.name}: {image.dtype}"
        assert image.shape == self.labels.shape, f"{self.name}: {image.shape}"
        assert (image == self.labels).all(), f"{self.name}: other labels"

    def is_tiff(self):
        return self.name.endswith(".tif")


def write_samples(gpuccl, folder):
    """Label images of every type and compression, some of them of several strips."""
    numpy = need("numpy")
    random = numpy.random.default_rng(1)
    for shape in ((207, 301), (1000, 1100), (40, 1), (6, 45, 123)):
        for kind in ("u1", "u2", "u4"):
            largest = numpy.iinfo(kind).max
            values = random.choice([0, 1, largest // 2, largest], shape, p=[0.5, 0.2, 0.1, 0.2]).astype(kind)
            labels = numpy.repeat(values, 5, -1)[..., :shape[-1]]
            labels.flat[0] = largest
            stem = os.path.join(folder, "x".join(map(str, shape)) + kind)
            numpy.save(stem + "-in.npy", labels)
            names = [f"-{method}.tif" for method in ("none", "deflate", "lzw", "packbits")]
            names += [".ome.tif", ".npy", ".nii", ".nii.gz"] + [".png"] * (labels.ndim == 2 and kind != "u4")
            for name in names:
                method = ["--compress", name[1:-4]] if name.startswith("-") else []
                spacing = "0.5,0.25,1.5,mm" if labels.ndim == 3 else "0.5,0.25,mm"
                subprocess.run([gpuccl, "label", stem + "-in.npy", "--values", "--keep-values", "--spacing", spacing,
                                "-o", stem + name, "--quiet", *method], check=True)
                yield Sample(stem + name, labels)


def check_ome(tiff, sample):
    assert tiff.is_ome and not tiff.is_imagej, sample.name
    [series] = tiff.series
    assert series.axes == ("ZYX" if sample.depth > 1 else "YX"), series.axes
    xml = tiff.ome_metadata
    assert 'PhysicalSizeX="0.5" PhysicalSizeXUnit="mm"' in xml, xml
    assert ('PhysicalSizeZ="1.5"' in xml) == (sample.depth > 1), xml
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
            assert about.get("spacing") == (1.5 if sample.depth > 1 else None), about
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
        if sample.name.endswith(".npy") or ".nii" in sample.name or sample.type == "u4":
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
            assert numpy.allclose(nifti.affine, numpy.diag([-0.5, -0.25, 1.5 if sample.depth > 1 else 1, 1])), nifti.affine
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
        labels = sample.labels.view("<i4") if sample.type == "u4" else sample.labels  # signed to ImageJ
        same = image.reshape(labels.shape) == labels.astype("f4")
        assert same.all(), f"{sample.name}: other labels"


PARTS = {"tifffile": check_tifffile, "skimage": check_skimage, "opencv": check_opencv, "numpy": check_numpy,
         "nibabel": check_nibabel, "imagej": check_imagej}


def main(gpuccl, part):
    with tempfile.TemporaryDirectory() as folder:
        samples = list(write_samples(gpuccl, folder))
        PARTS[part](samples)
        print(f"{part}: {len(samples)} samples")


if __name__ == "__main__":
    main(*sys.argv[1:])
