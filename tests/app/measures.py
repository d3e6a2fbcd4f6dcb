"""measures.py GPUCCL: measures of components are those of scikit-image, SimpleITK and scipy.

Random images and volumes, and shapes whose measures are known. Exit status 77, skipped, where scikit-image is missing;
what SimpleITK says is looked at where it is installed.
"""
import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import ndimage
    from scipy.spatial import ConvexHull
    from skimage import measure
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)
try:
    import SimpleITK
except ImportError:
    SimpleITK = None

RELATIVE = 1e-9
SPACING = (0.7, 1.3, 2.1)  # x, y, z


def label_all(gpuccl, images, connectivity, *options):
    """Labels and rows of measures of each image."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for i, image in enumerate(images):
            np.save(folder / f"{i}.npy", image.astype(np.uint8))
        (folder / "list.txt").write_text("".join(f"{folder}/{i}.npy\n" for i in range(len(images))))
        subprocess.run([gpuccl, "label", f"@{folder}/list.txt", "-o", folder / "out/", "--format", "npy", "--stats-dir",
                        folder / "out", "-c", str(connectivity), "--measure", "all,feret_diameter_max", "--quiet", "--no-fsync",
                        "--label-type", "u16", "--device", "cpu", *options], check=True)
        for i, image in enumerate(images):
            with open(folder / f"out/{i}.csv", newline="") as table:
                rows = [{name: None if text == "" else text if name == "unit" else float(text)
                         for name, text in row.items()} for row in csv.DictReader(table)]
            labels = np.load(folder / f"out/{i}.npy").astype(np.int32).reshape(image.shape)
            yield labels, rows


def expect(name, ours, theirs, scale=0.0):
    if ours is None or not math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=RELATIVE * scale):
        raise AssertionError(f"{name}: {ours}, expected {theirs}")


def check_shape(region, row):
    """Measures that tests/python/test_label.py does not compare with scikit-image."""
    spread = region.inertia_tensor_eigvals
    if region.image.ndim == 3:
        assert row["axis_minor_length"] <= row["axis_middle_length"] <= row["axis_major_length"]
        return
    if spread[0] - spread[1] > 1e-6 * spread[0]:
        difference = (row["orientation"] - region.orientation) % math.pi
        assert min(difference, math.pi - difference) < 1e-6 or abs(region.orientation) == math.pi / 4, "orientation"
    expect("perimeter", row["perimeter"], region.perimeter)
    expect("perimeter_crofton", row["perimeter_crofton"], region.perimeter_crofton)
    expect("feret_diameter_max", row["feret_diameter_max"], region.feret_diameter_max)
    assert row["area_convex"] == region.area_convex, ("area_convex", row["area_convex"], region.area_convex)
    expect("solidity", row["solidity"], region.solidity)
    expect("feret_diameter_min", row["feret_diameter_min"], least_width(region.image_convex))


def least_width(image):
    """The smallest distance between parallel lines that enclose points half a pixel next to those of an image."""
    y, x = np.nonzero(image)
    points = np.concatenate([np.stack([y + dy, x + dx], 1) for dy, dx in ((0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5))])
    corners = points[ConvexHull(points).vertices]
    sides = np.roll(corners, -1, 0) - corners
    normals = np.stack([-sides[:, 1], sides[:, 0]], 1) / np.hypot(*sides.T)[:, None]
    return np.ptp(corners @ normals.T, axis=0).min()


def check_with_itk(labels, rows, spacing, suffix):
    volume = labels.ndim == 3
    image = SimpleITK.GetImageFromArray(labels.astype(np.uint16))
    image.SetSpacing(spacing[:labels.ndim])
    found = SimpleITK.LabelShapeStatisticsImageFilter()
    found.ComputePerimeterOn()
    found.Execute(image)
    for i, row in enumerate(rows, 1):
        moments = found.GetPrincipalMoments(i)
        factor = 20 if volume else 16
        scale = row["area"] * 1e2
        expect("axis_minor_length", row["axis_minor_length" + suffix] ** 2, factor * moments[0], scale)
        expect("axis_major_length", row["axis_major_length" + suffix] ** 2, factor * moments[-1], scale)
        if moments[-2] > 1e-6:
            expect("elongation", row["elongation" + suffix], found.GetElongation(i), 1e3)
        if volume and moments[0] > 1e-6:
            expect("flatness", row["flatness" + suffix], found.GetFlatness(i), 1e3)
        if suffix == "" and min(labels.shape) > 1:  # SimpleITK counts otherwise in images of one row
            expect("surface or perimeter", row["surface_crofton" if volume else "perimeter_crofton"],
                   found.GetPerimeter(i))
            expect("sphericity or roundness", row["sphericity" if volume else "roundness"], found.GetRoundness(i))
        if suffix != "":
            expect("area_physical", row["area_physical"], found.GetPhysicalSize(i))


def check_images(gpuccl, images, connectivity):
    for image, (labels, rows) in zip(images, label_all(gpuccl, images, connectivity, "--spacing",
                                                       ",".join(map(str, SPACING)))):
        regions = measure.regionprops(labels)
        assert len(regions) == len(rows)
        for region, row in zip(regions, rows):
            try:
                check_shape(region, row)
            except AssertionError:
                print(region.image.astype(int), connectivity, row, sep="\n")
                raise
        if SimpleITK:
            check_with_itk(labels, rows, (1.0, 1.0, 1.0), "")
            check_with_itk(labels, rows, SPACING, "_physical")


def random_images(count, axes, seed):
    random = np.random.default_rng(seed)
    for i in range(count):
        sides = random.integers(1, 70 if axes == 2 else 14, axes)
        if i % 7 == 0:
            sides[-1] = random.integers(60, 200)  # several words
        noise = random.random(sides)
        if i % 3 == 1:
            noise = ndimage.uniform_filter(noise, 3)
        image = noise < np.quantile(noise, random.choice([0.1, 0.3, 0.5, 0.7, 0.9]))
        yield image


def check_known(gpuccl):
    """Balls, boxes, rings, shells, and a ball of elements that are longer along z."""
    z, y, x = np.mgrid[-40:41, -40:41, -40:41]
    far = np.sqrt(x * x + y * y + z * z)
    ring = np.hypot(np.hypot(x, y) - 25, z) < 7.3
    two_rings = np.zeros((20, 30, 50), bool)
    for first in (2, 22):
        two_rings[8:12, 5:25, first:first + 22] = True
        two_rings[8:12, 9:21, first + 4:first + 18] = False
    box = np.zeros((20, 30, 40), bool)
    box[5:15, 3:23, 2:32] = True
    images = [far < 30.2, (far < 30.2) & (far > 20.1), ring, two_rings, box]
    ball, shell, torus, double, brick = (rows[0] for _, rows in label_all(gpuccl, images, 26))
    topology = lambda row: (row["euler_number"], row["cavities"], row["tunnels"])
    assert topology(ball) == (1, 0, 0) and topology(shell) == (2, 1, 0), "ball and shell"
    assert topology(torus) == (0, 0, 1) and topology(double) == (-1, 0, 2), "rings"

    def near(name, ours, known, share):
        assert abs(ours / known - 1) < share, f"{name}: {ours} is not near {known}"

    near("surface of a ball", ball["surface_crofton"], 4 * math.pi * 30.2 ** 2, 0.01)
    near("the same in 3 directions", ball["surface_crofton_3"], 4 * math.pi * 30.2 ** 2, 0.01)
    near("sphericity of a ball", ball["sphericity"], 1, 0.01)
    near("axes of a ball", ball["axis_minor_length"], 60.4, 0.01)
    near("surface of a torus", torus["surface_crofton"], 4 * math.pi ** 2 * 25 * 7.3, 0.02)
    near("surface of a box", brick["surface_crofton"], 2 * (10 * 20 + 10 * 30 + 20 * 30), 0.12)
    # Moments of a box of n elements along an axis: (n * n - 1) / 12 each.
    expect("box", brick["moments_central-0-0-2"], 6000 * (30 * 30 - 1) / 12)

    z, y, x = np.mgrid[-10:11, -50:51, -50:51]
    flat = [np.sqrt(x * x + y * y + (5.0 * z) ** 2) < 40.3]
    row = next(iter(label_all(gpuccl, flat, 26, "--spacing", "1,1,5,um")))[1][0]
    assert row["unit"] == "um3"
    near("volume at 1x1x5", row["area_physical"], 4 / 3 * math.pi * 40.3 ** 3, 0.01)
    near("surface at 1x1x5", row["surface_crofton_physical"], 4 * math.pi * 40.3 ** 2, 0.02)
    near("sphericity at 1x1x5", row["sphericity_physical"], 1, 0.02)
    near("longest axis at 1x1x5", row["axis_major_length_physical"], 80.6, 0.01)
    near("shortest axis at 1x1x5", row["axis_minor_length_physical"], 80.6, 0.01)

    y, x = np.mgrid[-60:61, -60:61]
    disks = [np.hypot(x, y) < 50.4, (np.hypot(x, y) < 50.4) & (np.hypot(x, y) > 20)]
    disk, annulus = (rows[0] for _, rows in label_all(gpuccl, disks, 8))
    for name in ("perimeter", "perimeter_crofton"):
        near(name, disk[name], 2 * math.pi * 50.4, 0.06)
    near("roundness of a disk", disk["roundness"], 1, 0.02)
    near("feret", disk["feret_diameter_max"], 100.8, 0.02)
    assert (disk["holes"], annulus["holes"], annulus["euler_number"]) == (0, 1, 0)


def main():
    gpuccl, cases = sys.argv[1], 3000 if os.environ.get("GPUCCL_LONG") else 60
    check_known(gpuccl)
    for connectivity in (4, 8, 6, 18, 26):
        check_images(gpuccl, list(random_images(cases // 5, 2 if connectivity in (4, 8) else 3, connectivity)), connectivity)
    print(cases, "random cases agree with scikit-image" + (" and SimpleITK" if SimpleITK else ""))


if __name__ == "__main__":
    main()
