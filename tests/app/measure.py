"""measure.py GPUCCL: `gpuccl measure` has the values of scikit-image's `regionprops_table`.

Random label images of all integer types, 2D and 3D, with objects that touch and objects of several pieces: 300, and
10,000 with GPUCCL_LONG, with two images of samples and an image of three channels. They are measured whole and in
slabs, with the same bytes. Each object is measured as if it were alone: perimeters, Euler numbers, hulls, Feret
diameters, inscribed radii, which are SciPy's distances, and surfaces, which are those of SimpleITK where it is
installed. Exit status 77, skipped, where scikit-image is missing.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import ndimage
    from scipy.spatial.distance import pdist
    from skimage.measure import label, marching_cubes, regionprops_table
    from skimage.morphology import convex_hull_image

    from measures import SimpleITK, least_width
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

IMAGES = 10000 if os.environ.get("GPUCCL_LONG") else 300
TYPES = [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64, np.float32, np.float64]
SAMPLES = [np.uint8, np.uint16, np.float32]
REAL = {"extent": "extent", "equivalent_diameter_area": "equivalent_diameter_area"}
INTENSITIES = ("intensity_mean", "intensity_min", "intensity_max")
SHAPES = ("perimeter", "perimeter_crofton", "euler_number", "area_convex", "solidity", "feret_diameter_max")
AXES = {"axis_major_length": "axis_major_length", "axis_minor_length": "axis_minor_length"}


def labels_of(random, shape, kind):
    """Boxes that cover each other; some pixels are elsewhere, so that objects have several pieces."""
    most = 2**24 if kind == np.float32 else 2**53 if kind == np.float64 else int(np.iinfo(kind).max)
    values = [int(random.integers(1, most, dtype=np.uint64, endpoint=True)) for _ in range(random.integers(0, 14))]
    numbers = np.zeros(shape, np.int64)
    for i in range(len(values)):
        low = [random.integers(0, size) for size in shape]
        numbers[tuple(slice(begin, begin + random.integers(1, 9)) for begin in low)] = i + 1
    noise = random.random(shape) < random.choice([0, 0.05, 0.3])
    numbers[noise] = random.permutation(numbers[noise])
    return numbers, np.array([0] + values, dtype=kind)


def close(ours, theirs, scale=1.0):
    return abs(ours - theirs) <= 1e-12 * max(abs(theirs), scale)


def check(i, rows, numbers, values, channels):
    """`rows` of the table against scikit-image's, which takes no labels of 64 bits: it gets the numbers. `channels`:
    the images of samples by the names of columns."""
    merged = {}  # values may repeat
    places = np.array([0] + [merged.setdefault(int(value), len(merged) + 1) for value in values[1:]])
    numbers = places[numbers]
    order = [value for value, place in sorted(merged.items()) if (numbers == place).any()]
    assert [int(row["label"]) for row in rows] == order, (i, rows, order)
    if not order:
        return
    names = ["label", "area", "bbox", "centroid", *REAL, *AXES, *INTENSITIES, "euler_number"]
    names += [name for name in SHAPES if name not in names] if numbers.ndim == 2 else []
    surfaces = surfaces_of(numbers) if numbers.ndim == 3 and SimpleITK else None
    table = regionprops_table(numbers, np.stack(list(channels.values()), axis=-1), properties=names)
    at = {int(label): k for k, label in enumerate(table["label"])}
    axes = numbers.ndim
    for row in rows:
        k = at[merged[int(row["label"])]]
        assert int(row["area"]) == table["area"][k], (i, row)
        for axis, name in enumerate("zyx"[-axes:]):
            assert int(row[name + "0"]) == table[f"bbox-{axis}"][k], (i, row)
            assert int(row[name + "1"]) == table[f"bbox-{axis + axes}"][k] - 1, (i, row)
            assert close(float(row["c" + name]), table[f"centroid-{axis}"][k]), (i, row)
        for ours, theirs in REAL.items():
            assert close(float(row[ours]), float(table[theirs][k])), (i, ours, row, table[theirs][k])
        for channel, name in enumerate(channels):
            for measure in INTENSITIES:
                ours, theirs = float(row[f"{measure}[{name}]"]), float(table[f"{measure}-{channel}"][k])
                assert close(ours, theirs), (i, measure, name, row, theirs)
        alone = numbers == table["label"][k]
        pieces = label(alone, connectivity=axes).max()
        assert int(row["components"]) == pieces, (i, row, pieces)
        check_shape(i, row, alone, {name: table[name][k] for name in SHAPES if name in table})
        if surfaces:
            surface = surfaces.GetPerimeter(int(table["label"][k]))
            assert abs(float(row["surface_crofton"]) - surface) <= 1e-9 * surface, (i, row, surface)
        for ours, theirs in AXES.items():  # roots of small differences: compared as squares
            assert close(float(row[ours])**2, float(table[theirs][k])**2, max(numbers.shape)**2), (i, ours, row, table[theirs][k])


def surfaces_of(numbers):
    found = SimpleITK.LabelShapeStatisticsImageFilter()
    found.ComputePerimeterOn()
    found.Execute(SimpleITK.GetImageFromArray(numbers.astype(np.uint16)))
    return found


def check_shape(i, row, alone, theirs):
    for name, value in theirs.items():
        assert close(float(row[name]), float(value)), (i, name, row, value)
    radius = ndimage.distance_transform_edt(np.pad(alone, 1)).max()
    assert close(float(row["inscribed_radius"]), radius), (i, row, radius)
    if alone.ndim == 2:
        holes = int(row["components"]) - int(row["euler_number"])
        assert int(row["holes"]) == holes == label(~np.pad(alone, 1), connectivity=1).max() - 1, (i, row)
        width = least_width(convex_hull_image(alone))
        assert abs(float(row["feret_diameter_min"]) - width) <= 1e-9 * width, (i, row, width)
        return
    points = marching_cubes(np.pad(alone, 2).astype(float), level=0.5)[0].astype(float)
    assert close(float(row["feret_diameter_max"]), pdist(points).max()), (i, row)
    places = np.argwhere(alone)
    if np.linalg.matrix_rank(places - places[0]) == 3:  # scikit-image has no hull of voxels in a plane
        hull = convex_hull_image(alone[ndimage.find_objects(alone.astype(np.uint8))[0]]).sum()
        assert int(row["area_convex"]) == hull, (i, row, hull)
    else:
        assert int(row["area_convex"]) >= len(places), (i, row)


def run(folder, *words):
    result = subprocess.run([sys.argv[1], "measure", *map(str, words)], capture_output=True, text=True, cwd=folder)
    assert result.returncode == 0, (words, result.stderr)


def main():
    random = np.random.default_rng(35)
    images = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("flat", "deep"):
            for what in ("labels", "real", "whole"):
                (folder / name / what).mkdir(parents=True)
        for i in range(IMAGES):
            shape = tuple(random.integers(3, 24, size=2 + i % 2))
            numbers, values = labels_of(random, shape, TYPES[i // 2 % len(TYPES)])
            group = folder / ("deep" if len(shape) == 3 else "flat")
            channels = {"real": (random.random(shape) * 200).astype(SAMPLES[i % len(SAMPLES)]),
                        "whole": random.integers(-300, 300, shape).astype(np.int16)}
            np.save(group / "labels" / f"{i}.npy", values[numbers])
            for name, samples in channels.items():
                np.save(group / name / f"{i}.npy", samples)
            images.append((numbers, values, {name: samples.astype(float) for name, samples in channels.items()}))
        tables = {}
        shapes = "shape,topology,intensity,components,inscribed_radius"
        for name, more in (("flat", ""), ("deep", ",area_convex,solidity,feret_diameter_max")):
            words = [f"{name}/labels", "--intensity", f"{name}/real,{name}/whole", "--measure", shapes + more]
            run(folder, *words, "--stats-dir", f"{name}/tables", "--json-dir", f"{name}/reports", "--stats", f"{name}.csv")
            joint = (folder / f"{name}.csv").read_bytes()
            run(folder, *words, "--stats-dir", f"{name}/tables", "--json-dir", f"{name}/reports", "--stats", f"{name}.csv",
                "--skip-existing")
            assert (folder / f"{name}.csv").read_bytes() == joint, "other rows from reports"
            tables[name] = folder / name / "tables"
        for i, (numbers, values, channels) in enumerate(images):
            rows = list(csv.DictReader(open(tables["deep" if numbers.ndim == 3 else "flat"] / f"{i}.csv")))
            check(i, rows, numbers, values, channels)

        # Channels of one image.
        numbers, values = labels_of(random, (40, 50), np.uint16)
        colors = random.integers(0, 256, (40, 50, 3)).astype(np.uint8)
        np.save(folder / "labels.npy", values[numbers])
        (folder / "colors.ppm").write_bytes(b"P6 50 40 255\n" + colors.tobytes())
        run(folder, "labels.npy", "--intensity", "colors.ppm", "--intensity-channel", "all", "--measure", shapes,
            "--stats", "colors.csv")
        check("colors", list(csv.DictReader(open(folder / "colors.csv"))), numbers, values,
              {str(channel): colors[..., channel].astype(float) for channel in range(3)})

        # A volume that does not fit: slabs give the same tables and label images. Without `shape`: diameters of 3,000
        # objects that all reach through the whole volume take more than its labels.
        numbers = random.integers(0, 3000, (64, 300, 300)) * (random.random((64, 300, 300)) < 0.3)
        np.save(folder / "large.npy", (numbers * 1000003).astype(np.uint32))
        np.save(folder / "u16.npy", random.integers(0, 2**16, numbers.shape).astype(np.uint16))
        np.save(folder / "f32.npy", random.random(numbers.shape).astype(np.float32))
        measured = []
        for memory in ([], ["--memory", "70M"]):
            run(folder, "large.npy", "--measure", "extent,components,surface_crofton,euler_number,intensity_mean,intensity_std,cx_weighted",
                "--intensity", "u16.npy,f32.npy", "--keep", "intensity_mean[f32] > 0.49", "--min-size", 470, "--stats", "large.csv", "-o", "kept.npy",
                "--json", "large.json", "--overwrite", "--progress" if memory else "--quiet", *memory)
            measured.append([(folder / name).read_bytes() for name in ("large.csv", "kept.npy")])
        assert measured[0] == measured[1]
        kept = np.load(folder / "kept.npy")
        areas = np.bincount(numbers.ravel(), minlength=3000)
        means = np.bincount(numbers.ravel(), np.load(folder / "f32.npy").ravel(), minlength=3000) / areas
        kept_numbers = (areas[numbers] >= 470) & (means[numbers] > 0.49)
        assert np.array_equal(kept, np.where(kept_numbers, numbers * 1000003, 0).astype(np.uint32))
    print(f"{IMAGES} label images have scikit-image's measures")


main()
