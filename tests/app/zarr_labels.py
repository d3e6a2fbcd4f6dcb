"""Labels that gpuccl writes as OME-Zarr, read by zarr-python and ome-zarr-py.

usage: zarr_labels.py GPUCCL
Exit status 77: a module is not installed.
"""

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy
    import zarr
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

logging.disable(logging.WARNING)
program = sys.argv[1]


def run(*words):
    subprocess.run([program, *words, "--quiet", "--no-fsync"], check=True)


def run_tasks(folder, *words):
    """Runs three parts, whose outputs the second join assembles."""
    for last in ([], ["--finish"]):
        for part in range(1, 4):
            run(*words, "--part", f"{part}/3", "--parts-dir", folder)
        subprocess.run([program, "join", folder, *last, "--quiet"], check=True)
    shutil.rmtree(folder)


def image_of(path, shape, form, axes, consolidated, scales=()):
    """An OME-Zarr image of boxes, and its elements. `scales`: the sizes of smaller ones."""
    random = numpy.random.default_rng(len(shape))
    image = numpy.kron(random.random([(n + 4) // 5 for n in shape]) < 0.35, numpy.ones([5] * len(shape)))
    image = image[tuple(slice(n) for n in shape)].astype("u1")
    multiscale = {
        "axes": [{"name": axis, "type": "channel" if axis == "c" else "space"} | ({"unit": "micrometer"} if axis != "c" else {}) for axis in axes],
        "datasets": [{"path": "0", "coordinateTransformations": [
            {"type": "scale", "scale": [1 if axis == "c" else 0.5 for axis in axes]},
            {"type": "translation", "translation": [0 if axis == "c" else 7 for axis in axes]}]}],
    }
    for level, sizes in enumerate(scales, 1):
        steps = [round(n / s) for n, s in zip(shape, sizes)]
        multiscale["datasets"].append({"path": f"s{level}", "coordinateTransformations": [{"type": "scale", "scale": [0.5 * n for n in steps]}]})
    ome = {"version": "0.5", "multiscales": [multiscale]}
    group = zarr.open_group(path, mode="w", zarr_format=form)
    group.attrs.update({"multiscales": [multiscale | {"version": "0.4"}]} if form == 2 else {"ome": ome})
    array = group.create_array("0", shape=shape if axes[0] != "c" else (1, *shape), chunks=(16,) * len(axes), dtype="u1")
    array[...] = image.reshape(array.shape)
    for level, sizes in enumerate(scales, 1):
        group.create_array(f"s{level}", shape=sizes, chunks=(16,) * len(sizes), dtype="u1")[...] = 1
    if consolidated:
        zarr.consolidate_metadata(path)
    return image


def contents(path):
    """The files of a store, by their names."""
    files = [os.path.join(place, name) for place, _, names in os.walk(path) for name in names]
    return {os.path.relpath(name, path): open(name, "rb").read() for name in files}


def labels_shape(labels, step):
    return labels[tuple(slice(None, None, n) for n in step)].shape


def check(path, expected, in_image):
    group = zarr.open_group(path, mode="r")
    labels = group["0"][...]
    assert labels.shape == expected.shape and (labels == expected).all(), path
    attributes = group.attrs.asdict()
    attributes = attributes.get("ome", attributes)
    scale, *others = attributes["multiscales"][0]["datasets"][0]["coordinateTransformations"]
    assert scale["scale"] == [0.5] * labels.ndim and others[0]["translation"] == [7] * labels.ndim, attributes
    assert all(axis["unit"] == "micrometer" for axis in attributes["multiscales"][0]["axes"])
    described = attributes["image-label"]
    assert ("source" in described) == in_image
    assert "colors" not in described and "properties" not in described


def check_zip(image, path, expected, words):
    """Labels in one file."""
    run("label", image, "-o", path, "--overwrite", *words)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[:2] == ["zarr.json", "0/zarr.json"], archive.namelist()
        assert json.loads(archive.comment)["ome"]["version"] == "0.5"
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
    group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
    assert (group["0"][...] == expected).all(), words
    assert group.attrs["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][1]["translation"][-1] == 7


with tempfile.TemporaryDirectory() as folder:
    path, other, npy = (os.path.join(folder, name) for name in ("cells.ome.zarr", "labels.zarr", "expected.npy"))
    for form in (2, 3):
        for shape, axes, consolidated in (((9, 37, 51), "zyx", True), ((9, 37, 51), "czyx", False), ((1030, 1100), "yx", form == 3)):
            image_of(path, shape, form, axes, consolidated)
            run("label", path, "-o", npy)
            expected = numpy.load(npy)
            run("label", path, "-o", path)
            check(os.path.join(path, "labels/gpuccl"), expected, True)
            run("label", path, "-o", os.path.join(path, "labels/other"), "--label-type", "u32")
            check(os.path.join(path, "labels/other"), expected, True)
            run("label", path, "-o", path)  # again
            root = zarr.open_group(path, mode="r")
            listed = root["labels"].attrs.asdict()
            assert listed.get("ome", listed)["labels"] == ["gpuccl", "other"], listed
            assert (root["labels/other/0"][...] == expected).all() and root["0"].shape[-1] == shape[-1]
            run("label", path, "-o", other)
            check(other, expected, False)
            assert zarr.open_group(other, mode="r").metadata.zarr_format == form, "the format of the input"
            run("label", path, "-o", other, "--zarr-format", str(5 - form))
            check(other, expected, False)
            assert zarr.open_group(other, mode="r").metadata.zarr_format == 5 - form
            # The image, or a store of labels alone, opens with its labels.
            for store in (other, path):
                labels = [node for node in Reader(parse_url(store))() if any(type(spec).__name__ == "Label" for spec in node.specs)]
                assert labels and all((numpy.asarray(node.data[0]) == expected).all() for node in labels), store
            report = json.load(open(os.path.join(folder, "cells.ome.json")))
            assert report["output"] == {"path": os.path.join(path, "labels/gpuccl"), "bytes": None}, report["output"]

        # Labels have the scales of their image, whose sizes are rounded down or up, unless a scale is no fraction of it.
        for scales, steps in ((((9, 18, 25), (9, 9, 12)), ((1, 2, 2), (1, 4, 4))), (((5, 19, 26), (3, 10, 13)), ((2, 2, 2), (4, 4, 4))), (((9, 25, 30),), ()), (((9, 37, 51),), ())):
            store = os.path.join(folder, f"scales{form}{scales[0][2]}.zarr")
            image_of(store, (9, 37, 51), form, "zyx", True, scales)
            run("label", store, "-o", npy)
            run("label", store, "-o", store)
            expected, name = numpy.load(npy), os.path.join(store, "labels/gpuccl")
            check(name, expected, True)
            group = zarr.open_group(name, mode="r")
            attributes = group.attrs.asdict()
            multiscale, = attributes.get("ome", attributes)["multiscales"]
            assert multiscale["name"] == "gpuccl" and len(multiscale["datasets"]) == 1 + len(steps), multiscale
            for level, (sizes, step) in enumerate(zip(scales, steps), 1):
                labels = group[str(level)][...]
                assert labels.shape == sizes and (labels == expected[tuple(slice(None, n * s, n) for n, s in zip(step, sizes))]).all(), (scales, level)

        # A pyramid: chunks of several slices and every codec, the same bytes at once, in slabs and in parts.
        for shape, axes, spacing, steps in (((70, 300, 517), "zyx", (1, 1, 1), [(1, 1, 1), (2, 2, 2), (4, 4, 4)]),
                                            ((9, 530, 300), "zyx", (4, 1, 1), [(1, 1, 1), (1, 2, 2), (1, 4, 4)]),
                                            ((1030, 700), "yx", (1, 1), [(1, 1), (2, 2), (4, 4), (8, 8)])):
            store = os.path.join(folder, f"pyramid{form}{shape[0]}.zarr")
            image_of(store, shape, form, axes, True)
            run("label", store, "-o", npy)
            expected = numpy.load(npy)
            every = (["none"], ["deflate"], ["deflate", "9"], ["zstd"], ["zstd", "19"], ["blosc"], ["blosc", "1"])
            for how in every if len(shape) == 2 else (["none"], ["zstd"], ["deflate", "1", "--shards"])[:form]:
                words = ["--pyramid", "--chunks", "100,64,7", "--compress", how[0], *(["--compress-level", how[1]] if how[1:] else []), *how[2:]]
                words += ["--spacing", ",".join(map(str, reversed(spacing))) + ",um"] if len(shape) == 3 else ["--spacing", "1,1,1,um"]
                name = os.path.join(store, "labels/scales")
                run("label", store, "-o", name, *words)
                group = zarr.open_group(name, mode="r")
                attributes = group.attrs.asdict()
                multiscale, = attributes.get("ome", attributes)["multiscales"]
                assert [dataset["path"] for dataset in multiscale["datasets"]] == [str(i) for i in range(len(steps))], multiscale
                for dataset, step in zip(multiscale["datasets"], steps):
                    labels = group[dataset["path"]]
                    assert (labels[...] == expected[tuple(slice(None, None, n) for n in step)]).all(), (how, dataset)
                    assert all(c == min(n, s) for c, n, s in zip(labels.chunks, (7, 64, 100)[-len(shape):], labels.shape)), labels.chunks
                    row = -(-labels.shape[-1] // labels.chunks[-1]) * labels.chunks[-1]
                    assert labels.shards == ((*labels.chunks[:-1], row) if how[2:] else None), (labels.shards, how)
                    scale, *others = dataset["coordinateTransformations"]
                    assert scale["scale"] == [n * s for n, s in zip(step, spacing)], dataset
                    assert others[0]["translation"] == [7 + (n - 1) * s / 2 for n, s in zip(step, spacing)], dataset
                assert zarr.open_group(store, mode="r")["labels/scales/1"].shape == labels_shape(expected, steps[1])
                nodes = [node for node in Reader(parse_url(store))() if any(type(spec).__name__ == "Label" for spec in node.specs)]
                scales = [node for node in nodes if len(node.data) == len(steps)]
                assert scales and all((numpy.asarray(level) == expected[tuple(slice(None, None, n) for n in step)]).all()
                                      for level, step in zip(scales[0].data, steps)), store
                files = contents(name)
                run("label", store, "-o", name, *words, "--memory", "9M")
                assert contents(name) == files, (how, "slabs")
                tasks = os.path.join(folder, "tasks")
                shutil.rmtree(name)
                run_tasks(tasks, "label", store, "-o", name, *words)
                assert contents(name) == files, (how, "parts")
                if how[2:]:  # labels of an image with shards have some, too
                    run("measure", name, "--relabel", "-o", other, "--overwrite", "--no-components")
                    copy = zarr.open_group(other, mode="r")["0"]
                    assert copy.shards and (copy[...] == expected).all()
                    continue
                check_zip(store, os.path.join(folder, "packed.ozx"), expected, words[1:])
