"""outlines.py GPUCCL: outlines are valid polygons that cover their pixels, by shapely; run lengths and categories are those of pycocotools.

Random images of several densities and sizes, as components by all connectivities, also across periodic borders, and
as objects of label images.
GPUCCL_LONG: 2,000 of these, else 60. tests/golden compares the files of slabs, threads and tasks.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import pycocotools.coco
    import pycocotools.mask
    import shapely.geometry
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

GPUCCL = sys.argv[1]
COUNT = 2000 if os.environ.get("GPUCCL_LONG") else 60
CASES = [["label", "-c", "4"], ["label", "-c", "8"], ["label", "--values"], ["measure"], ["label", "-c", "4", "--periodic", "x,y"]]


def run(folder, *words):
    done = subprocess.run([GPUCCL, *words, "--quiet", "--no-fsync", "--overwrite", "--device" if words[0] == "label" else "--threads",
                           "cpu" if words[0] == "label" else "1"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def check_polygons(outlines, labels, rows, name):
    features = json.loads(outlines)["features"]
    assert [f["properties"]["label"] for f in features] == sorted(set(labels[labels > 0].tolist())), name
    for feature in features:
        shape = shapely.geometry.shape(feature["geometry"])
        pixels = labels == feature["properties"]["label"]
        assert shape.is_valid, (name, shapely.is_valid_reason(shape))
        assert shape.area == pixels.sum() == feature["properties"]["area"], (name, shape.area)
        # QuPath reads `measurements` as a Map<String, Double>, in which null is an error.
        row = rows[feature["properties"]["label"]]
        wanted = {key: value for key, value in row.items() if key not in ("label", "value", "bbox", "centroid") and value is not None}
        assert feature["properties"]["measurements"] == wanted, (name, feature, row)
        y, x = numpy.nonzero(pixels)
        assert shapely.contains_xy(shape, x + 0.5, y + 0.5).all(), name


def check_run_lengths(outlines, labels, name):
    data = json.loads(outlines)
    assert (data["images"][0]["height"], data["images"][0]["width"]) == labels.shape, name
    for annotation in data["annotations"]:
        pixels = (labels == annotation["id"]).astype("u1")
        wanted = pycocotools.mask.encode(numpy.asfortranarray(pixels))
        assert annotation["segmentation"]["counts"] == wanted["counts"].decode(), name
        assert annotation["segmentation"]["size"] == wanted["size"], name
        assert annotation["area"] == pycocotools.mask.area(wanted), name
        assert annotation["bbox"] == pycocotools.mask.toBbox(wanted).tolist(), name


def check_categories(path, image, labels, name):
    """`image`: the values that are categories, or None."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = pycocotools.coco.COCO(path)
    ids = [1] if image is None else sorted(set(image[labels > 0].tolist()))
    assert coco.loadCats(coco.getCatIds()) == [{"id": i, "name": "object" if image is None else str(i)} for i in ids], name
    for i in ids:
        annotations = coco.loadAnns(coco.getAnnIds(catIds=[i]))
        pixels = sum(coco.annToMask(annotation) for annotation in annotations)
        assert (pixels == (labels > 0 if image is None else image == i)).all(), (name, i)
        assert all("value" not in annotation for annotation in annotations), name


def check_folder(folder, rng):
    """One COCO of a folder and a plate is that of pycocotools, image by image, with values as joint categories."""
    os.mkdir(os.path.join(folder, "in"))
    images = {}
    for name in ("a.npy", "b.npy", "c.npy"):
        images[name] = (rng.integers(0, 4, (20, 30)) * (rng.random((20, 30)) < 0.5)).astype("i2") + (5 if name == "b.npy" else 0)
        numpy.save(os.path.join(folder, "in", name), images[name])
    run(folder, "label", "in", "--values", "-c", "4", "-o", "out/", "--outlines", "all.json", "--format", "npy")
    with contextlib.redirect_stdout(io.StringIO()):
        coco = pycocotools.coco.COCO(os.path.join(folder, "all.json"))
    assert coco.getAnnIds() == list(range(1, len(coco.getAnnIds()) + 1))
    assert [image["file_name"] for image in coco.loadImgs(coco.getImgIds())] == sorted(images)
    assert sorted(coco.getCatIds()) == sorted(set(numpy.concatenate([image.ravel() for image in images.values()]).tolist()) - {0})
    for image in coco.loadImgs(coco.getImgIds()):
        pixels, labels = images[image["file_name"]], numpy.load(os.path.join(folder, "out", image["file_name"]))
        for annotation in coco.loadAnns(coco.getAnnIds(imgIds=[image["id"]])):
            mask = coco.annToMask(annotation) > 0
            assert (mask == (labels == annotation["label"])).all() and set(pixels[mask].tolist()) == {annotation["category_id"]}
    numpy.save(os.path.join(folder, "in", "d.npy"), numpy.array([[0.5, 1]], "f4"))
    done = subprocess.run([GPUCCL, "label", "in", "--values", "--delta", "0", "--outlines", "real.json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 64 and "in/d.npy: has values that are not integers" in done.stderr, done.stderr
    store = os.path.join(folder, "plate.zarr/A/1/0")
    os.makedirs(store)
    for place, text in (("plate.zarr/.zattrs", '{"plate":{"wells":[{"path":"A/1"}]}}'), ("plate.zarr/A/1/.zattrs", '{"well":{"images":[{"path":"0"}]}}'),
                        ("plate.zarr/A/1/0/.zarray", '{"zarr_format":2,"shape":[2,2],"chunks":[2,2],"dtype":"|u1","compressor":null,"fill_value":1,"order":"C","filters":null}')):
        with open(os.path.join(folder, place), "w") as file:
            file.write(text)
    for words in (["plate.zarr", "-o", "wells/"], [store]):
        run(folder, "label", *words, "--outlines", "plate.json")
        with open(os.path.join(folder, "plate.json")) as file:
            assert json.load(file)["images"] == [{"id": 1, "width": 2, "height": 2, "file_name": "plate.zarr/A/1/0"}]


def main():
    rng = numpy.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for i in range(COUNT):
            command = CASES[i % len(CASES)]
            shape = rng.integers(2 if "--periodic" in command else 1, 200 if i % 7 == 0 else 24, 2)
            image = rng.integers(0, 4, shape) * (rng.random(shape) < rng.uniform(0.1, 1))
            if command[:2] in (["label", "-c"],):
                image = image > 0
            numpy.save(path("in.npy"), image.astype("u1" if image.dtype == bool else "u2"))
            words = [command[0], "in.npy", *command[1:], "-o", "labels.npy"]
            if i % 2 == 0:
                words += ["--measure", "border" if "--periodic" in command else "shape"]
            found = {}
            for extension in ("geojson", "json"):
                run(folder, *words, "--json", "report.json", "--outlines", "out." + extension)
                found[extension] = open(path("out." + extension), "rb").read()
            labels = numpy.load(path("labels.npy"))
            if labels.max(initial=0) > 0:
                rows = {row["label"]: row for row in json.load(open(path("report.json")))["components"]}
                check_polygons(found["geojson"], labels, rows, (i, command, shape))
                check_run_lengths(found["json"], labels, (i, command, shape))
                check_categories(path("out.json"), image if "--values" in command else None, labels, (i, command, shape))
        check_folder(folder, rng)
        print(f"{COUNT} images")


main()
