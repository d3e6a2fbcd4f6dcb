"""agree.py GPUCCL: the labels of every sample agree with scikit-image, numbers included.

Exit status 77, skipped, where scikit-image, tifffile or Pillow is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import tifffile
    from PIL import Image
    from skimage.measure import label
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
REACH = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}  # connectivity in scikit-image's terms


def page(path):
    with Image.open(path) as image:
        return numpy.asarray(image.convert("L")) > 0


def stack(folder):
    return numpy.stack([page(path) for path in sorted(folder.glob("*.png"), key=lambda p: (len(p.name), p.name))])


def samples():
    """Each sample with the options it needs and its foreground as other programs read it."""
    for path in sorted(DATA.iterdir()):
        if path.is_dir() and list(path.glob("*.png")):
            yield path, ["--stack"], stack(path)
        elif path.name.startswith("cells") and path.suffix == ".tif":
            yield path, [], tifffile.imread(path) > 0
        elif path.suffix in (".png", ".tif"):
            yield path, [], page(path)
            yield path, ["--invert"], ~page(path)


def check(gpuccl, path, options, foreground, folder):
    bad = 0
    connectivities = (4, 8) if foreground.ndim == 2 else (6, 18, 26)
    for connectivity in connectivities:
        expected = label(foreground, connectivity=REACH[connectivity])
        for name in ("labels.tiff", "labels.npy"):
            output = folder / name
            subprocess.run([gpuccl, "label", path, *options, "-c", str(connectivity), "-o", output], check=True)
            found = numpy.load(output) if name.endswith(".npy") else tifffile.imread(output)
            same = found.shape == expected.shape and bool((found == expected).all())
            bad += not same
            print("same" if same else "DIFFERENT", path.name, *options, "-c", connectivity, name, expected.max())
    return bad


def main():
    gpuccl = sys.argv[1]
    bad = checked = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, options, foreground in samples():
            bad += check(gpuccl, path, options, foreground, pathlib.Path(folder))
            checked += 1
    if checked < 4:
        sys.exit("only %d samples found in %s" % (checked, DATA))
    sys.exit(bad > 0)


main()
