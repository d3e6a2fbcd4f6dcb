"""holes.py GPUCCL: filled holes are those of scipy and scikit-image, in 2D, 3D and slice by slice.

Random images for each connectivity, many more with GPUCCL_LONG set. Exit status 77, skipped, where their modules are
missing.
"""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy import ndimage
    from skimage import morphology
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

# How foreground and background are connected, as the number of axes that neighbours differ on at most.
REACH = {4: (1, 2), 8: (2, 1), 6: (1, 3), 18: (2, 1), 26: (3, 1)}


def structure(axes, reach):
    return ndimage.generate_binary_structure(axes, min(axes, reach))


def up_to(most):
    """The largest hole to be filled; before scikit-image 0.26, the first size that is not."""
    if "max_size" in inspect.signature(morphology.remove_small_holes).parameters:
        return {"max_size": most}
    return {"area_threshold": most + 1}


def filled(image, reach, most):
    if most is None:
        return ndimage.binary_fill_holes(image, structure(image.ndim, reach))
    # Background at the border is open to a background that is larger than any hole.
    margin = most + 1
    padded = numpy.pad(image, margin)
    closed = morphology.remove_small_holes(padded, **up_to(most), connectivity=min(image.ndim, reach))
    return closed[(slice(margin, -margin),) * image.ndim]


def labels(image, connectivity, most):
    foreground, background = REACH[connectivity]
    return ndimage.label(filled(image, background, most), structure(image.ndim, foreground))[0]


def expected(image, connectivity, most):
    if image.ndim == 2 or connectivity not in (4, 8):
        return labels(image, connectivity, most)
    slices, above = [], 0
    for one in image:
        one = labels(one, connectivity, most)
        slices.append(numpy.where(one > 0, one + above, 0))
        above += one.max()
    return numpy.stack(slices)


def random_image(rng, axes):
    size = rng.integers(1, 40 if axes == 2 else 14, axes)
    noise = rng.random(tuple(int(side) for side in size))
    if rng.integers(2):
        noise = ndimage.uniform_filter(noise, 3)
    return noise > numpy.quantile(noise, rng.uniform(0.1, 0.7))


def main():
    gpuccl = sys.argv[1]
    count = 400 if os.environ.get("GPUCCL_LONG") else 25
    rng = numpy.random.default_rng(5)
    holes = compared = 0
    for axes, connectivity, options in [(2, 4, []), (2, 8, []), (3, 6, []), (3, 18, []), (3, 26, []),
                                        (3, 4, ["--per-slice"]), (3, 8, ["--per-slice"])]:
        images = [random_image(rng, axes) for _ in range(count)]
        for most in (None, 1, 4):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "in").mkdir()
                for i, image in enumerate(images):
                    numpy.save(folder / "in" / ("%d.npy" % i), image)
                subprocess.run([gpuccl, "label", "--fill-holes", *([] if most is None else [str(most)]),
                                folder / "in", "-o", str(folder / "out") + "/", "--format", "npy", "--quiet",
                                "-c", str(connectivity), *options], check=True)
                for i, image in enumerate(images):
                    found = numpy.load(folder / "out" / ("%d.npy" % i))
                    if not numpy.array_equal(found.reshape(image.shape), expected(image, connectivity, most)):
                        sys.exit("%d-connectivity, holes of at most %s: not as scipy has it" % (connectivity, most))
                    holes += numpy.count_nonzero(found) - numpy.count_nonzero(image)
                    compared += 1
    assert holes > compared, "hardly any image had a hole"
    print(compared, "images,", holes, "elements filled")


main()
