"""Writes images with the programs that users write them with and compares what gpuccl reads.

usage: read_interop.py GPUCCL PART
Exit status 77: the module that PART needs is not installed.
"""

import collections
import fractions
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

from interop import SKIPPED, need


WORDS = {"stack": ["--stack"], "raw": ["--foreground", "raw"], "invert": ["--invert"], "otsu": ["--threshold", "otsu"],
         "index": ["--palette", "index"]}


class Reader:
    """gpuccl, as the program whose labels are the foreground that it reads."""

    def __init__(self, program, folder, outputs):
        self.program = program
        self.folder = folder
        self.output = os.path.join(outputs, "labels.npy")
        self.numpy = need("numpy")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, path, *options):
        """Options are words, as in WORDS, "channel=N" and the like, and thresholds."""
        words = [word for option in options for word in WORDS.get(option, [f"--{option}" if "=" in str(option) else f"--threshold={option}"])]
        run = subprocess.run([self.program, "label", path, "-o", self.output, "--overwrite", "--quiet", "--no-fsync", *words], capture_output=True)
        if run.returncode != 0:
            return None
        labels = self.numpy.load(self.output)
        return labels.reshape((-1,) + labels.shape[-2:]) != 0

    def expect(self, path, expected, *options):
        image = self.read(path, *options)
        expected = expected.reshape((-1,) + expected.shape[-2:])
        assert image is not None, f"{path}: not read"
        assert image.shape == expected.shape, f"{path}: {image.shape}, not {expected.shape}"
        assert (image == expected).all(), f"{path}: {(image != expected).sum()} elements differ"

    def cut(self, path):
        """A copy without its second half."""
        with open(path, "rb") as whole, open(path + ".cut", "wb") as part:
            part.write(whole.read()[: os.path.getsize(path) // 2])
        return path + ".cut"

    def expect_refused(self, path, *options):
        assert self.read(path, *options) is None, f"{path}: read with {options}"


def noise(numpy, shape, dtype):
    random = numpy.random.default_rng(1)
    if dtype == bool:
        return random.random(shape) < 0.5
    if numpy.issubdtype(dtype, numpy.floating):
        values = random.standard_normal(shape).astype(dtype)
        values[random.random(shape) < 0.3] = 0
        values[random.random(shape) < 0.1] = numpy.nan
        return values
    return (random.integers(-3, 4, shape) * random.integers(0, 30, shape)).astype(dtype)


def check_tifffile(reader):
    numpy, tifffile = reader.numpy, need("tifffile")
    path = reader.path("image.tif")
    for kind in ("?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"):
        image = noise(numpy, (5, 37, 51), numpy.dtype(kind))
        foreground = (image != 0) & (image == image)
        variants = [{}, {"bigtiff": True}, {"byteorder": ">"}, {"rowsperstrip": 3}, {"metadata": None}, {"truncate": True}]
        if kind != "?":
            variants += [{"compression": "zlib"}, {"tile": (16, 32)}]
        if kind in ("u1", "u2", "u4"):
            variants += [{"compression": "zlib", "predictor": True, "byteorder": order} for order in "<>"]
        for options in variants:
            tifffile.imwrite(path, image, photometric=None if kind == "?" else "minisblack", **options)
            reader.expect(path, foreground)
        reader.expect(path, image == 0, "invert")  # NaN is background
        if kind != "?":
            reader.expect(path, image > 20, 20)
    image = noise(numpy, (6, 37, 51), numpy.dtype("u2"))
    tifffile.imwrite(path, image, imagej=True, metadata={"axes": "ZYX", "spacing": 2.5, "unit": "um"})
    reader.expect(path, image != 0)
    tifffile.imwrite(path, image.reshape(2, 3, 37, 51), imagej=True, metadata={"axes": "TZYX"})
    reader.expect_refused(path)
    check_choices(reader, tifffile)
    tifffile.imwrite(path, image, imagej=True, truncate=True)  # axes without names are channels
    reader.expect_refused(path)
    reader.expect(path, image[4:5] != 0, "channel=4")
    reader.expect(path, image[2:3] != 0, "page=2")
    tifffile.imwrite(path, image, imagej=True, truncate=True, metadata={"axes": "ZYX"})
    reader.expect(path, image != 0)
    for data in (image, image > 5):
        tifffile.imwrite(reader.path("image.ome.tif"), data, photometric=None, metadata={"axes": "ZYX"})
        reader.expect(reader.path("image.ome.tif"), data != 0)
    tifffile.imwrite(reader.path("image.ome.tif"), image, metadata={"axes": "CYX"})
    reader.expect_refused(reader.path("image.ome.tif"))
    colors = noise(numpy, (37, 51, 3), numpy.dtype("u1")) // 64
    for planar in ("contig", "separate"):
        data = colors if planar == "contig" else numpy.moveaxis(colors, -1, 0)
        tifffile.imwrite(path, data, photometric="rgb", planarconfig=planar)
        reader.expect(path, colors.any(axis=-1))


def check_choices(reader, tifffile):
    """One of several channels, time points and images."""
    numpy = reader.numpy
    path = reader.path("choices.tif")
    image = noise(numpy, (2, 4, 3, 37, 51), numpy.dtype("u2"))  # TZCYX
    for options in ({"imagej": True}, {"imagej": True, "truncate": True}, {}):
        tifffile.imwrite(path, image, metadata={"axes": "TZCYX"}, **options)
        reader.expect_refused(path)
        reader.expect_refused(path, "channel=1")
        for t, c in ((0, 0), (1, 2), (0, 1)):
            reader.expect(path, image[t, :, c] != 0, f"frame={t}", f"channel={c}")
        reader.expect_refused(path, "frame=2", "channel=0")
        reader.expect_refused(path, "frame=0", "channel=3")
    tifffile.imwrite(path, image[0, :, 0].reshape(2, 2, 37, 51))  # axes without names
    reader.expect(path, image[0, 2:, 0] != 0, "frame=1")
    tifffile.imwrite(path, image[:, 0, 0], imagej=True, metadata={"axes": "TYX"})
    reader.expect(path, image[1:, 0, 0] != 0, "frame=1")
    reader.expect_refused(path)
    # Images of several sizes.
    ome = reader.path("choices.ome.tif")
    with tifffile.TiffWriter(ome, ome=True) as tiff:
        tiff.write(image, metadata={"axes": "TZCYX"})
        tiff.write(image[0, :, 0, :20, :30], metadata={"axes": "ZYX"})
        tiff.write(numpy.moveaxis(image[0], 1, 0), metadata={"axes": "CZYX"})
    reader.expect_refused(ome)
    reader.expect_refused(ome, "series=3")
    reader.expect(ome, image[1, :, 2] != 0, "series=0", "frame=1", "channel=2")
    reader.expect(ome, image[0, :, 0, :20, :30] != 0, "series=1")
    reader.expect(ome, image[0, :, 1] != 0, "series=2", "channel=1")
    reader.expect_refused(ome, "series=2")
    # Images that their pages alone tell of, and each with a description by tifffile.
    half = image[1, 0, 0, ::2, ::2]
    for described in (True, False):
        with tifffile.TiffWriter(path) as tiff:
            for data, axes, kind in ((image[0, :, 0], "ZYX", 0), (half, "YX", 0), (half[::2, ::2], "YX", 1),
                                     (image[1, :2], "ZCYX", 0)):
                tiff.write(data, photometric="minisblack", subfiletype=kind, metadata={"axes": axes} if described else None)
        reader.expect_refused(path)
        reader.expect(path, image[0, :, 0] != 0, "series=0")
        reader.expect(path, half != 0, "series=1")
        if described:
            reader.expect_refused(path, "series=2")
            reader.expect(path, image[1, :2, 1] != 0, "series=2", "channel=1")
        else:
            reader.expect(path, image[1, :2].reshape(6, 37, 51) != 0, "series=2")
        reader.expect_refused(path, "series=3")
    # Arrays of like pages, and pages that were written one by one.
    with tifffile.TiffWriter(path) as tiff:
        tiff.write(image[0, :, 0], photometric="minisblack", metadata={"axes": "ZYX"})
        tiff.write(image[1, :2, 0], photometric="minisblack", metadata={"axes": "ZYX"})
    reader.expect_refused(path)
    reader.expect_refused(path, "frame=0")
    reader.expect(path, image[0, :, 0] != 0, "series=0")
    reader.expect(path, image[1, :2, 0] != 0, "series=1")
    with tifffile.TiffWriter(path) as tiff:
        for page in image[0, :, 0]:
            tiff.write(page, photometric="minisblack", contiguous=False)
    reader.expect(path, image[0, :, 0] != 0)
    # Channels of pixels.
    for planar in ("contig", "separate"):
        pixels = noise(numpy, (37, 51, 5), numpy.dtype("u2"))
        data = pixels if planar == "contig" else numpy.moveaxis(pixels, -1, 0)
        tifffile.imwrite(path, data, photometric="minisblack", planarconfig=planar)
        reader.expect_refused(path)
        for c in range(5):
            reader.expect(path, pixels[..., c] > 20, f"channel={c}", 20)
        reader.expect_refused(path, "channel=5")
    tifffile.imwrite(path, pixels[..., :3].astype("u1"), photometric="rgb")
    reader.expect(path, pixels[..., 1].astype("u1") != 0, "channel=1")
    tifffile.imwrite(path, image[0, 0, 0])
    reader.expect(path, image[0, 0, 0] != 0, "channel=0", "frame=0", "series=0")
    for choice in ("channel=1", "frame=1", "series=1"):
        reader.expect_refused(path, choice)


def check_imagej(reader):
    numpy = reader.numpy
    jar = "/usr/share/java/ij.jar"
    if not os.path.exists(jar) or not shutil.which("javac"):  # a JDK: it compiles what it runs
        print(f"skipped: no {jar} or no JDK")
        sys.exit(SKIPPED)
    writer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "WriteByImageJ.java")
    subprocess.run(["java", "-Djava.awt.headless=true", "-cp", jar, writer, reader.folder], check=True)
    for name, slices in (("samples", 1), ("scaled", 1), ("pages", 1), ("volumes", 2)):
        path = reader.path(name + ".tif")
        reader.expect_refused(path)
        for c in range(3):
            image = [(numpy.arange(48) + z) % (c + 2) == 0 for z in range(slices)]
            reader.expect(path, numpy.array(image).reshape(slices, 6, 8), f"channel={c}")
        reader.expect_refused(path, "channel=3")


def check_numpy(reader):
    numpy = reader.numpy
    path = reader.path("array.npy")
    for kind in ("?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"):
        for shape in ((5, 37, 51), (37, 51)):
            image = noise(numpy, shape, numpy.dtype(kind))
            foreground = (image != 0) & (image == image)
            for array in (image, numpy.asfortranarray(image), image.astype(image.dtype.newbyteorder(">"))):
                for version in ((1, 0), (2, 0), (3, 0)):
                    with open(path, "wb") as file:
                        numpy.lib.format.write_array(file, array, version=version)
                    reader.expect(path, foreground)
                if kind != "?":
                    reader.expect(path, image > 20, 20)
    for array in (image.astype("c8"), image[0], numpy.zeros((2, 2), [("a", "u1")]), numpy.zeros((2, 2), object)):
        numpy.save(path, array)
        reader.expect_refused(path)


def otsu(samples):
    """Otsu's threshold of integers in Python's own, which have no limit."""
    low, high = min(samples), max(samples)
    width = (high - low) // 65536 + 1
    counts = collections.Counter((sample - low) // width for sample in samples)
    total, weighted = len(samples), sum(bin * count for bin, count in counts.items())
    best, split, below, sum_below = -1, 0, 0, 0
    for bin in sorted(counts)[:-1]:
        below, sum_below = below + counts[bin], sum_below + bin * counts[bin]
        above = total - below
        variance = fractions.Fraction((sum_below * above - (weighted - sum_below) * below) ** 2, below * above)
        if variance > best:
            best, split = variance, bin
    return min(high, low + (split + 1) * width - 1)


def check_otsu(reader):
    """Otsu's method with integers of 64 bits: whole, in slabs, in parts, and in a batch."""
    numpy, random, expected = reader.numpy, reader.numpy.random.default_rng(3), {}
    for kind, least, span in [("u8", 1700000000000000000, 100), ("i8", 1700000000000000000, 40000), ("i8", -(2**63), 70),
                              ("i8", -30000, 60000), ("i8", -(2**62) - 9, 2**20), ("u8", 2**64 - 70000, 70000), ("u8", 0, 2**64), ("i8", -(2**63), 2**64)]:
        parts = [int(random.integers(0, 1000)) * span // 3000 + (span - span // 3 - 1 if random.integers(3) == 0 else 0) + least for _ in range(60 * 10 * 6)]
        path = reader.path(f"{len(expected)}.npy")
        image = numpy.sort(numpy.array(parts, dtype=kind)).reshape(60, 10, 6).repeat(200, axis=2)  # in few components
        numpy.save(path, image)
        expected[path] = otsu(parts)
        reader.expect(path, image > numpy.array(expected[path], kind), "otsu")
        reader.expect(path, image > numpy.array(expected[path], kind), "otsu", "memory=100K")  # a slice has 94 KiB, all bits have 89 KiB
        folder, labels = path + ".parts", reader.path("labels.npy")
        for run in (["--part", "1/2"], ["--part", "2/2"], None, ["--part", "1/2"], ["--part", "2/2"], ["--finish"]):
            words = ["join", folder, *(run or [])] if run in (None, ["--finish"]) else ["label", path, "-o", labels, "--overwrite", "--threshold", "otsu", "--parts-dir", folder, *run]
            subprocess.run([reader.program, *words, "--quiet"], check=True)
        assert ((numpy.load(labels) != 0) == (image > numpy.array(expected[path], kind))).all(), f"{path}: parts"
    reports = reader.path("reports")
    subprocess.run([reader.program, "label", *expected, "--threshold", "otsu", "--json-dir", reports, "--quiet"], check=True)
    rules = {path: json.load(open(os.path.join(reports, os.path.basename(path)[:-4] + ".json")))["input"]["foreground_rule"] for path in expected}
    assert rules == {path: f"otsu: value > {threshold}" for path, threshold in expected.items()}, rules


def check_nibabel(reader):
    numpy, nibabel = reader.numpy, need("nibabel")
    affine = numpy.array([[0.7, 0.1, 0, -90], [0, 1.1, 0.2, 126], [0, 0, 2.3, -72], [0, 0, 0, 1]])
    for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"):
        image = noise(numpy, (5, 37, 51), numpy.dtype(kind))
        foreground = (image != 0) & (image == image)
        for make in (nibabel.Nifti1Image, nibabel.Nifti2Image, nibabel.Nifti1Pair, nibabel.Nifti2Pair):
            for order in "<>":
                header = make.header_class(endianness=order)
                header.set_data_dtype(numpy.dtype(kind))
                nifti = make(image.T, affine, header)
                name = "image.img" if make in (nibabel.Nifti1Pair, nibabel.Nifti2Pair) else "image.nii"
                for path in [reader.path(name)] + ([reader.path(name + ".gz")] if name == "image.nii" else []):
                    nibabel.save(nifti, path)
                    path = path.replace(".img", ".hdr")
                    reader.expect(path, foreground)
                    reader.expect(path, image > 20, 20)
    scaled = nibabel.Nifti1Image(noise(numpy, (5, 37, 51), numpy.dtype("f8")).T, affine)
    scaled.header.set_data_dtype("i2")  # by slope and intercept
    nibabel.save(scaled, reader.path("scaled.nii.gz"))
    values = nibabel.load(reader.path("scaled.nii.gz")).get_fdata().T
    reader.expect(reader.path("scaled.nii.gz"), values > 0.3, 0.3)
    nibabel.save(nibabel.Nifti1Image(numpy.zeros((4, 3, 2, 5), "u1"), affine), reader.path("frames.nii"))
    reader.expect_refused(reader.path("frames.nii"))
    frames = noise(numpy, (5, 3, 37, 51), numpy.dtype("i2"))
    for name in ("frames.nii", "frames.nii.gz"):
        nibabel.save(nibabel.Nifti1Image(frames.T, affine), reader.path(name))
        reader.expect_refused(reader.path(name))
        reader.expect_refused(reader.path(name), "frame=5")
        for t in range(5):
            reader.expect(reader.path(name), frames[t] != 0, f"frame={t}")
    nibabel.save(nibabel.Nifti1Image(numpy.ones((4, 3, 2, 1), "u1"), affine), reader.path("frame.nii"))
    reader.expect(reader.path("frame.nii"), numpy.ones((2, 3, 4), bool))


def check_opencv(reader):
    numpy, cv2 = reader.numpy, need("cv2")
    for kind in ("u1", "u2"):
        image = numpy.abs(noise(numpy, (37, 51), numpy.dtype("i1"))).astype(kind)
        for name in ("image.png", "image.tif"):
            cv2.imwrite(reader.path(name), image)
            reader.expect(reader.path(name), image != 0)
            colors = cv2.merge([image // 9, image // 10, image // 11])
            cv2.imwrite(reader.path(name), colors)
            reader.expect(reader.path(name), colors.any(axis=-1))
    image = noise(numpy, (37, 51), numpy.dtype(bool))
    cv2.imwrite(reader.path("image.png"), image.astype("u1") * 255, [cv2.IMWRITE_PNG_BILEVEL, 1])
    reader.expect(reader.path("image.png"), image)
    for z in range(11):
        cv2.imwrite(reader.path(f"z{z}.png"), numpy.roll(image, z).astype("u1"))
    os.remove(reader.path("image.png"))
    os.remove(reader.path("image.tif"))
    reader.expect(reader.folder, numpy.stack([numpy.roll(image, z) for z in range(11)]), "stack")


def check_pillow(reader):
    numpy, pillow = reader.numpy, need("PIL.Image")
    image = noise(numpy, (37, 51), numpy.dtype(bool))
    black_and_white = pillow.fromarray(image)
    for name in ("image.png", "image.tif"):
        black_and_white.save(reader.path(name))
        reader.expect(reader.path(name), image)
        black_and_white.convert("P").save(reader.path(name))
        reader.expect(reader.path(name), image)
    for compression in ("group3", "group4", "tiff_lzw", "packbits", "tiff_adobe_deflate"):
        black_and_white.save(reader.path("image.tif"), compression=compression)
        reader.expect(reader.path("image.tif"), image)
    pages = [pillow.fromarray(numpy.roll(image, z)) for z in range(4)]
    pages[0].save(reader.path("image.tif"), compression="group4", save_all=True, append_images=pages[1:])
    reader.expect(reader.path("image.tif"), numpy.stack([numpy.roll(image, z) for z in range(4)]))
    gray = numpy.abs(noise(numpy, (37, 51), numpy.dtype("i1"))).astype("u1")
    bands = [pillow.fromarray((gray + i) // 3) for i in range(4)]
    for name in ("image.png", "image.tif", "image.ppm"):
        mode = "RGB" if name.endswith("ppm") else "RGBA"
        pillow.merge(mode, bands[: len(mode)]).save(reader.path(name))
        for i in range(len(mode)):
            reader.expect(reader.path(name), (gray + i) // 3 > 3, f"channel={i}", 3)
        reader.expect_refused(reader.path(name), f"channel={len(mode)}")
        reader.expect_refused(reader.path(name), "frame=1")
        reader.expect_refused(reader.path(name), "series=1")
    for mode in ("LA", "RGB", "RGBA"):
        for name in ("image.png", "image.tif"):
            pillow.fromarray(gray).convert(mode).save(reader.path(name))
            reader.expect(reader.path(name), gray != 0)
            reader.expect(reader.path(name), gray > 17, 17)
    smooth = numpy.broadcast_to(numpy.where(numpy.arange(64) < 32, 20, 220).astype("u1"), (48, 64))
    pillow.fromarray(numpy.ascontiguousarray(smooth)).save(reader.path("image.tif"), compression="jpeg")
    reader.expect(reader.path("image.tif"), smooth > 100, 100)
    jpeg = pillow.fromarray(numpy.ascontiguousarray(smooth))
    for mode in ("L", "RGB"):
        for options in ({}, {"progressive": True}, {"quality": 100, "subsampling": 0}):
            jpeg.convert(mode).save(reader.path("image.jpg"), **options)
            if reader.read(reader.path("image.jpg")) is not None:  # a build without libjpeg
                reader.expect(reader.path("image.jpg"), smooth > 100, 100)
    reader.expect_refused(reader.cut(reader.path("image.jpg")))
    jpeg.convert("CMYK").save(reader.path("cmyk.jpg"))
    reader.expect_refused(reader.path("cmyk.jpg"))
    black_and_white.save(reader.path("image.pbm"))
    reader.expect(reader.path("image.pbm"), image)
    pillow.fromarray(gray).save(reader.path("image.pgm"))
    reader.expect(reader.path("image.pgm"), gray > 17, 17)
    pillow.fromarray(gray).convert("RGB").save(reader.path("image.ppm"))
    reader.expect(reader.path("image.ppm"), gray > 17, 17)
    for bitmap in (black_and_white, black_and_white.convert("P")):
        bitmap.save(reader.path("image.bmp"))
        reader.expect(reader.path("image.bmp"), image)
    for mode in ("L", "RGB", "RGBA"):
        pillow.fromarray(gray).convert(mode).save(reader.path("image.bmp"))
        reader.expect(reader.path("image.bmp"), gray > 17, 17)
    pillow.merge("RGB", bands[:3]).save(reader.path("image.bmp"))
    for i in range(3):
        reader.expect(reader.path("image.bmp"), (gray + i) // 3 > 3, f"channel={i}", 3)
    reader.expect_refused(reader.cut(reader.path("image.bmp")))
    colors = jpeg.convert("RGB")
    colors.save(reader.path("image.tif"), compression="jpeg")
    reader.expect(reader.path("image.tif"), smooth > 100, 100)


def check_skimage(reader):
    numpy, filters, tifffile = reader.numpy, need("skimage.filters"), need("tifffile")
    random = numpy.random.default_rng(2)
    path = reader.path("image.tif")
    for kind in ("u1", "u2", "i2", "f4"):
        classes = random.random((5, 40, 60)) < 0.3
        image = (numpy.where(classes, 90, 30) + random.standard_normal(classes.shape) * 12).astype(kind)
        tifffile.imwrite(path, image, photometric="minisblack")
        reader.expect(path, image > filters.threshold_otsu(image), "otsu")


def check_zarr(reader):
    numpy, zarr, numcodecs = reader.numpy, need("zarr"), need("numcodecs")
    v3, numbered = need("zarr.codecs"), need("zarr.codecs.numcodecs")

    path = reader.path("array.zarr")

    def expect(image, *options, foreground=None, **how):
        array = zarr.create_array(path, shape=image.shape, dtype=image.dtype, overwrite=True, **how)
        array[...] = image
        reader.expect(path, (image != 0) & (image == image) if foreground is None else foreground, *options)

    in_v2 = [None, numcodecs.Zlib(), numcodecs.GZip(), numcodecs.Zstd(), numcodecs.LZ4()]
    in_v2 += [numcodecs.Blosc(cname, shuffle=shuffle) for cname in ("lz4", "zstd", "zlib", "blosclz") for shuffle in range(3)]
    in_v3 = [None, v3.GzipCodec(), v3.ZstdCodec(), v3.ZstdCodec(checksum=True), v3.Crc32cCodec()]
    in_v3 += [[v3.GzipCodec(), v3.Crc32cCodec()], [v3.Crc32cCodec(), v3.ZstdCodec()], v3.BloscCodec(cname="lz4")]
    in_v3 += [numbered.Zlib(), numbered.LZ4()]
    for kind in ("?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"):
        image = noise(numpy, (9, 37, 151), numpy.dtype(kind))
        how = {"chunks": (4, 16, 64), "zarr_format": 2}
        for order in "CF":
            expect(image, order=order, compressors=None, **how)
        if kind != "?":
            expect(image, 20, foreground=image > 20, **how)
            expect(image.astype(image.dtype.newbyteorder(">")), **how)
        expect(image, chunks=(4, 16, 64))
        expect(image, chunks=(2, 8, 64), shards=(4, 16, 128), serializer=v3.BytesCodec(endian="big"))
    for compressor in in_v2:
        expect(image, compressors=compressor, chunks=(4, 16, 64), zarr_format=2)
    for compressors in in_v3:
        expect(image, compressors=compressors, chunks=(4, 16, 64))
        expect(image, compressors=compressors, chunks=(2, 8, 64), shards=(4, 16, 128))
    for separator in "./":
        expect(image, chunk_key_encoding={"name": "v2", "separator": separator}, chunks=(4, 16, 64))
        expect(image, chunk_key_encoding={"name": "default", "separator": separator}, chunks=(4, 16, 64))
        expect(image, chunk_key_encoding={"name": "v2", "separator": separator}, chunks=(4, 16, 64), zarr_format=2)
    expect(image, filters=[v3.TransposeCodec(order=(2, 0, 1))], chunks=(4, 16, 64))
    expect(image, chunks=(100, 100, 1000))  # larger than the array
    expect(image[0], chunks=(7, 11))
    expect(image[None, None], chunks=(1, 1, 4, 16, 64))
    # Chunks that are not there have the fill value.
    for form, fill in ((2, 7), (3, 7), (2, 0), (3, 0)):
        array = zarr.create_array(path, shape=(8, 8, 128), chunks=(4, 4, 64), dtype="i2", fill_value=fill, overwrite=True, zarr_format=form)
        array[:4, 4:, 64:] = 1 - min(fill, 1)
        reader.expect(path, array[...] != 0)
        array = zarr.create_array(path, shape=(8, 8, 128), chunks=(4, 4, 64), shards=(8, 8, 64), dtype="f4", fill_value=fill, overwrite=True) if form == 3 else array
        array[:2, :2, 3] = 5
        reader.expect(path, array[...] > 2, 2)
    for kind, fill in (("f4", numpy.inf), ("f2", 1.5), ("f8", -1e30), ("u8", 2**64 - 1), ("i8", -(2**63))):
        for form in (2, 3):
            array = zarr.create_array(path, shape=(4, 4), chunks=(4, 4), dtype=kind, fill_value=fill, overwrite=True, zarr_format=form)
            reader.expect(path, array[...] > 1, 1)
    # Axes by their names, whatever their order.
    image = noise(numpy, (9, 37, 51), numpy.dtype("u2"))
    for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        names = ["zyx"[axis] for axis in axes]
        expect(image.transpose(axes), foreground=image != 0, chunks=(8, 8, 8), dimension_names=names)
    expect_zip(reader, zarr, image)
    for bad in (image[..., None].repeat(2, axis=-1)[None], image[0, 0], image.astype("c8")):
        zarr.create_array(path, shape=bad.shape, dtype=bad.dtype, overwrite=True)[...] = bad
        reader.expect_refused(path)


def expect_zip(reader, zarr, image):
    """Stores that zarr-python writes into a zip, and one of a folder by the zip of Python."""
    for form in (2, 3):
        path = reader.path("array.ozx")
        with zarr.storage.ZipStore(path, mode="w") as store:
            array = zarr.create_array(store, shape=image.shape, dtype=image.dtype, chunks=(4, 16, 32), zarr_format=form)
            array[...] = image
        reader.expect(path, image != 0)
        reader.expect_refused(reader.cut(path))
        with zarr.storage.ZipStore(path, mode="w") as store:
            array = zarr.create_group(store, zarr_format=form).create_array("labels/cells", shape=image.shape, dtype=image.dtype)
            array[...] = image
        reader.expect_refused(path)
        reader.expect(path + ":/labels/cells", image != 0)
        with zarr.storage.ZipStore(path, mode="w", compression=zipfile.ZIP_DEFLATED) as store:
            zarr.create_array(store, shape=image.shape, dtype=image.dtype, zarr_format=form)[...] = image
        reader.expect_refused(path)


def check_ngff(reader):
    """Images of each version of OME-Zarr by ngff-zarr, in a folder and in a zip."""
    numpy, ngff = reader.numpy, need("ngff_zarr")
    image = noise(numpy, (6, 37, 51), numpy.dtype("u2"))
    units = {axis: "micrometer" for axis in "zyx"}
    scale, origin = {"z": 2.0, "y": 0.5, "x": 0.25}, {"z": 1.0, "y": 2.0, "x": 3.0}
    scales = ngff.to_multiscales(ngff.to_ngff_image(image, dims=list("zyx"), scale=scale, translation=origin, axes_units=units), scale_factors=[2], chunks=16)
    for name in ("0.4.zarr", "0.5.zarr", "0.6.zarr", "0.5.ozx", "0.6.ozx"):
        ngff.to_ngff_zarr(reader.path(name), scales, version=name[:3])
        reader.expect(reader.path(name), image != 0)
        run = subprocess.run([reader.program, "label", reader.path(name), "--json", "-", "--no-components", "--quiet"], capture_output=True, check=True)
        geometry = json.loads(run.stdout)["input"]["geometry"]
        assert geometry["spacing"] == [0.25, 0.5, 2] and geometry["unit"] == "um" and geometry["origin"] == [3, 2, 1], (name, geometry)


def main():
    program, part = sys.argv[1:]
    checks = {"imagej": check_imagej, "numpy": check_numpy, "otsu": check_otsu, "nibabel": check_nibabel, "tifffile": check_tifffile, "opencv": check_opencv, "pillow": check_pillow, "skimage": check_skimage, "ngff": check_ngff, "zarr": check_zarr}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outputs:
        checks[part](Reader(program, folder, outputs))


main()
