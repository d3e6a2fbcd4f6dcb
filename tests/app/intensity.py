"""intensity.py GPUCCL: what samples say of components is what numpy, scipy and scikit-image say.

Random images of each kind of sample, many more with GPUCCL_LONG set. Exit status 77, skipped, where their modules are
missing.
"""
import csv
import decimal
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy import ndimage
    from skimage.measure import regionprops_table
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

KINDS = [numpy.uint8, numpy.int8, numpy.uint16, numpy.int16, numpy.uint32, numpy.int32, numpy.uint64, numpy.int64,
         numpy.float32, numpy.float64]
PERCENTILES = {"intensity_median": 50, "intensity_p5": 5, "intensity_p25": 25, "intensity_p75": 75, "intensity_p95": 95}


def samples(rng, kind, shape):
    if numpy.issubdtype(kind, numpy.floating):
        values = (rng.normal(1000, rng.choice([1e-3, 1, 1e6]), shape)).astype(kind)
        values[rng.random(shape) < 0.02] = numpy.nan
        return values
    info = numpy.iinfo(kind)
    low, high = (info.min, info.max) if rng.integers(2) else (3, 9)
    return rng.integers(low, high, shape, dtype=kind, endpoint=True)


def expected(labels, values):
    """Columns by component; scikit-image's own where it leaves no NaN out."""
    count = labels.max()
    index = numpy.arange(1, count + 1)
    exact = values.astype(numpy.float64)
    numbers = ~numpy.isnan(exact)
    rows = []
    for label in index:
        inside = exact[(labels == label) & numbers]
        at = numpy.argwhere((labels == label) & numbers)
        row = {"intensity_nan": numpy.count_nonzero((labels == label) & ~numbers), "intensity_sum": inside.sum()}
        if len(inside):
            row.update(intensity_min=inside.min(), intensity_max=inside.max(), intensity_mean=inside.mean(),
                       intensity_std=inside.std())
            if row["intensity_sum"] != 0:
                center = (at * inside[:, None]).sum(axis=0) / inside.sum()
                row.update(zip(("cx_weighted", "cy_weighted", "cz_weighted"), center[::-1]))
            if values.dtype.itemsize <= 2:
                row.update({name: numpy.percentile(inside, share) for name, share in PERCENTILES.items()})
        rows.append(row)
    if count and numbers.all():
        table = regionprops_table(labels, exact, properties=("intensity_min", "intensity_max", "intensity_mean"))
        sums = ndimage.sum_labels(exact, labels, index)
        deviations = ndimage.standard_deviation(exact, labels, index)
        for i, row in enumerate(rows):
            for name in table:
                assert numpy.isclose(row[name], table[name][i], rtol=1e-9)
            assert numpy.isclose(row["intensity_sum"], sums[i], rtol=1e-9)
            assert numpy.isclose(row["intensity_std"], deviations[i], rtol=1e-6, atol=1e-6 * abs(row["intensity_mean"]))
    return rows


def compare_whole(found, labels, values):
    """Extremes and sums of integers, digit by digit."""
    for label, line in enumerate(found, 1):
        inside = [int(value) for value in values[labels == label]]
        for name, whole in (("min", min(inside)), ("max", max(inside)), ("sum", sum(inside))):
            assert decimal.Decimal(line["intensity_" + name]) == whole, (name, line["intensity_" + name], whole)


def compare(found, rows, scale):
    assert len(found) == len(rows)
    for line, row in zip(found, rows):
        for name in line:
            if not name.startswith("intensity_") and not name.endswith("_weighted"):
                continue
            if line[name] == "":
                assert name not in row, (name, row)
                continue
            # Sums, and what they are divided by, are as exact as the samples are large.
            ill = 1e-12 * scale * (float(line.get("area", 1)) if name == "intensity_sum" else 1)
            if name.endswith("_weighted"):
                ill = 1e-9 * scale * float(line["area"]) / max(abs(row["intensity_sum"]), 1e-300)
            assert numpy.isclose(float(line[name]), row[name], rtol=1e-9, atol=ill), (name, line[name], row[name])


def main():
    gpuccl = sys.argv[1]
    count = 60 if os.environ.get("GPUCCL_LONG") else 5
    rng = numpy.random.default_rng(11)
    components = 0
    for kind in KINDS:
        for axes, options in ((2, []), (3, []), (3, ["--per-slice"])):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                (folder / "in").mkdir()
                (folder / "of").mkdir()
                images = {}
                for i in range(count):
                    shape = tuple(int(side) for side in rng.integers(2, 30 if axes == 2 else 11, axes))
                    values = samples(rng, kind, shape)
                    image = ndimage.uniform_filter(rng.random(shape), 2) > 0.5
                    images["%d" % i] = values
                    numpy.save(folder / "in" / ("%d.npy" % i), image)
                    numpy.save(folder / "of" / ("%d.npy" % i), values)
                outputs = []
                for more in ([], ["--memory", "64M", "--threads", "1"]):
                    subprocess.run([gpuccl, "label", folder / "in", "--intensity", folder / "of", "--quiet", *options,
                                    "-o", str(folder / "out") + "/", "--format", "npy", "--stats-dir", folder / "t",
                                    *more], check=True)
                    outputs.append([(folder / "t" / (name + ".csv")).read_bytes() for name in images])
                assert outputs[0] == outputs[1], "other values by one thread"
                for name, values in images.items():
                    labels = numpy.load(folder / "out" / (name + ".npy")).reshape(values.shape).astype(numpy.int64)
                    with open(folder / "t" / (name + ".csv")) as table:
                        found = list(csv.DictReader(table))
                    finite = values[~numpy.isnan(values)] if values.dtype.kind == "f" else values
                    scale = float(abs(finite.astype(float)).max()) if finite.size else 1
                    compare(found, expected(labels, values), scale)
                    if values.dtype.kind != "f":
                        compare_whole(found, labels, values)
                    components += len(found)
    print(components, "components are as numpy, scipy and scikit-image have them")


main()
