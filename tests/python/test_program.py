"""label_file runs the program; GPUCCL_PROGRAM names it here."""

import csv
import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import refused
from scipy import ndimage

import gpuccl

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    program = os.environ.get("GPUCCL_PROGRAM")
    if program is None:
        pytest.skip("GPUCCL_PROGRAM does not name the program")
    monkeypatch.setenv("PATH", os.path.dirname(program) + os.pathsep + os.environ["PATH"])
    monkeypatch.setattr("gpuccl._program.program", lambda: program)


def test_label_file(tmp_path):
    stats = tmp_path / "cells.csv"
    out = tmp_path / "cells.npy"
    report = gpuccl.label_file(DATA / "cells.tif", out, connectivity=6, stats=stats, min_size=2, invert=False)
    labels = np.load(out)
    assert report["labeling"]["connectivity"] == 6 and report["labeling"]["components"] == labels.max()
    assert stats.read_text().startswith("label,area,")
    assert gpuccl.label_file(DATA / "cells.tif", spacing=[5, 5, 30, "nm"])["labeling"]["components"] > 0


def test_label_file_takes_options_of_the_command_line(tmp_path):
    image = np.random.default_rng(3).integers(0, 256, (60, 80), np.uint8)
    for name, array in (("image", image), ("mirrored", image[::-1]), ("seeds", image > 250)):
        np.save(tmp_path / f"{name}.npy", array)
    report = gpuccl.label_file(tmp_path / "image.npy", threshold="180:240", connectivity=4)
    assert report["labeling"]["components"] == gpuccl.label(gpuccl.clean(image > 180, 1, seeds=image > 240), 1)[1]
    report = gpuccl.label_file(
        tmp_path / "image.npy", tmp_path / "labels.tiff", threshold=180, connectivity=4, seeds=tmp_path / "seeds.npy",
        intensity=[tmp_path / "image.npy", tmp_path / "mirrored.npy"], measure="intensity_mean", spacing=(0.5, 0.5, "um"),
        stats=tmp_path / "table.csv", outlines=tmp_path / "outlines.geojson",
    )  # fmt: skip
    mask = gpuccl.clean(image > 180, 1, seeds=image > 250)
    labels, count = gpuccl.label(mask, 1)
    rows = list(csv.DictReader((tmp_path / "table.csv").open()))
    table = gpuccl.measure(labels, np.stack([image, image[::-1]], -1), ("area", "intensity_mean"), spacing=0.5)
    assert report["labeling"]["components"] == count == len(rows) > 10
    for column, name in (("area", "area_physical"), ("intensity_mean-0", "intensity_mean[image]"),
                         ("intensity_mean-1", "intensity_mean[mirrored]")):  # fmt: skip
        np.testing.assert_allclose([float(row[name]) for row in rows], table[column], rtol=1e-12)
    assert len(json.loads((tmp_path / "outlines.geojson").read_text())["features"]) == count


@pytest.mark.parametrize("spacing, is_valid", [(0, 0), (math.inf, 0), (math.nan, 0), (9e-81, 0), (1e-80, 1), (1e80, 1), (2e80, 0)])
def test_functions_and_files_take_the_same_spacings(tmp_path, spacing, is_valid):
    np.save(tmp_path / "mask.npy", np.eye(3, dtype=bool))
    for call in (
        lambda: gpuccl.label_file(tmp_path / "mask.npy", spacing=f"{spacing},{spacing}"),
        lambda: gpuccl.label(np.eye(3), stats=True, spacing=spacing),
    ):
        if is_valid:
            call()
        else:
            with pytest.raises(ValueError, match="spacing"):
                call()


def test_label_file_takes_arrays_in_local_files(tmp_path):
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    mask = np.random.default_rng(3).random((20, 30, 40)) < 0.2
    expected, count = gpuccl.label(mask)
    group = zarr.open_group(tmp_path / "in.zarr", mode="w")
    stored = group.create_array("scan/mask", data=mask.astype(np.uint8), chunks=(8, 8, 8))
    with h5py.File(tmp_path / "in.h5", "w") as file:
        dataset = file.create_dataset("scan/mask", data=mask.astype(np.uint8))
        dataset.file.flush()
    with h5py.File(tmp_path / "in.h5") as file:
        for array in (stored, file["scan/mask"]):
            report = gpuccl.label_file(array, tmp_path / "out.npy", seeds=array)
            assert report["labeling"]["components"] == count
            np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), expected)
    in_memory = zarr.array(mask.astype(np.uint8))
    refused(TypeError, r"MemoryStore is not in a local folder; use gpuccl.dask.label\(dask.array.from_z", gpuccl.label_file, in_memory)
    with h5py.File("none.h5", "w", driver="core", backing_store=False) as file:
        refused(TypeError, "the driver core is not in a local file", gpuccl.label_file, file.create_dataset("mask", data=mask))
    for array in (mask, [1]):
        refused(TypeError, "a path is needed, or an array of zarr or h5py in a local file, not (nd|li)", gpuccl.label_file, array)
    for output in (stored, in_memory, mask):
        refused(TypeError, "output is a path, not (Array|ndarray); write to a new file", gpuccl.label_file, stored, output)


def test_label_file_takes_a_folder(tmp_path):
    masks = {name: np.random.default_rng(i).random((20, 30)) < 0.3 for i, name in enumerate("ab")}
    (tmp_path / "in").mkdir()
    for name, mask in masks.items():
        np.save(tmp_path / "in" / f"{name}.npy", mask)
    counts = {name: gpuccl.label(mask)[1] for name, mask in masks.items()}
    reports = gpuccl.label_file(tmp_path / "in", f"{tmp_path}/out/", format="npy")
    assert {Path(one["input"]).stem: one["components"] for one in reports} == counts
    for name, mask in masks.items():
        np.testing.assert_array_equal(np.load(tmp_path / "out" / f"{name}.npy"), gpuccl.label(mask)[0])
    (tmp_path / "list").write_text(f"{tmp_path}/in/b.npy\n")
    (one,) = gpuccl.label_file(f"@{tmp_path}/list", stats=tmp_path / "all.csv")
    assert one["components"] == counts["b"]
    assert gpuccl.label_file(tmp_path / "in" / "a.npy", f"{tmp_path}/one/")[0]["components"] == counts["a"]
    header = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 1 2\nkinds: space space time\nencoding: raw\n\n"
    (tmp_path / "movie.nrrd").write_bytes(header + b"\0\1\0\1\0\0\0\0\1\0")
    assert [one["components"] for one in gpuccl.label_file(tmp_path / "movie.nrrd", frame="all", summary=os.devnull)] == [2, 1]
    volume = gpuccl.label_file(tmp_path / "in", stack=True, spacing=np.array([1.0, 1.0, 2.5]), min_size=5.0)
    expected = gpuccl.clean(np.stack(list(masks.values())), min_size=5)
    assert volume["labeling"]["components"] == gpuccl.label(expected)[1]
    gpuccl.label_file(tmp_path / "in" / "a.npy", tmp_path / "a.ome.zarr")
    assert gpuccl.label_file(tmp_path / "a.ome.zarr", values=True)["labeling"]["components"] == counts["a"]
    refused(ValueError, "nothing to write", gpuccl.label_file, tmp_path / "in")
    refused(ValueError, "run gpuccl.program", gpuccl.label_file, tmp_path / "in", tmp_path / "out", dry_run=True)
    for name in ("json", "report"):
        refused(ValueError, f"{name} is what label_file returns", gpuccl.label_file, tmp_path / "in", tmp_path / "out", **{name: "r.json"})



def test_scores_of_the_program_are_those_of_the_module(tmp_path):
    random = np.random.default_rng(2)
    truth = gpuccl.label(random.random((40, 50)) < 0.4, 1)[0]
    prediction = np.roll(truth, 1, axis=1)
    for name, labels in (("truth", truth), ("prediction", prediction)):
        np.save(tmp_path / f"{name}.npy", labels)
    subprocess.run(
        [gpuccl._program.program(), "match", "truth.npy", "prediction.npy", "--threshold", "0.2,0.5",
         "--json", "match.json", "--csv", "match.csv"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    scores, table = gpuccl.match(truth, prediction, (0.2, 0.5), pairs=True)
    report = json.loads((tmp_path / "match.json").read_text())["total"]
    assert scores == report and list(scores) == list(report) and scores["matching"][0]["true_positives"] > 0
    rows = list(csv.DictReader((tmp_path / "match.csv").open()))
    assert list(rows[0]) == list(table)
    for name, column in table.items():
        assert column.tolist() == [float(row[name] or 0) for row in rows]


def test_hints_of_the_report_are_warnings(tmp_path):
    np.save(tmp_path / "image.npy", np.ones((64, 64), np.uint8))
    with pytest.warns(UserWarning) as record:
        report = gpuccl.label_file(tmp_path / "image.npy")
    assert report["hints"] == [str(warning.message) for warning in record] and {one.filename for one in record} == {__file__}


def test_errors_have_the_program_s_words(tmp_path):
    refused(FileNotFoundError, "missing.tif", gpuccl.label_file, tmp_path / "missing.tif")
    refused(ValueError, "no-such-option", gpuccl.label_file, DATA / "cells.tif", no_such_option=True)
    (tmp_path / "text.tif").write_text("no image")
    refused(ValueError, "text.tif", gpuccl.label_file, tmp_path / "text.tif")


def test_one_bad_image_does_not_hide_the_others(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "ac":
        np.save(folder / f"{name}.npy", np.eye(5, dtype=np.uint8))
    (folder / "b.npy").write_text("no image")
    (tmp_path / "list").write_text(f"{folder}/a.npy\n{folder}/missing.npy\n")
    for input, statuses in ((folder, ["labeled", "failed", "labeled"]), (f"@{tmp_path}/list", ["labeled", "failed"])):
        with pytest.warns(UserWarning, match=f"1 of {len(statuses)} images failed, the first is .*(b|missing).npy"):
            found = gpuccl.label_file(input, tmp_path / "out", overwrite=True)
        assert [one["status"] for one in found] == statuses and found[0]["components"] == 1 and found[1]["error"]
    (folder / "a.npy").unlink()
    (folder / "c.npy").unlink()
    with pytest.warns(UserWarning, match="1 of 1 images failed"):
        assert [one["status"] for one in gpuccl.label_file(folder, tmp_path / "out")] == ["failed"]


def test_names_are_neither_options_nor_lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    image = np.eye(5, dtype=np.uint8)
    for name in ("--help", "-", "-x.npy", "@list", "@x.npy", "a=b"):
        with open(name, "wb") as file:
            np.save(file, image)
        for input in (name, Path(name), os.fsencode(name)):
            assert gpuccl.label_file(input)["labeling"]["components"] == 1
    for name in ("-o.npy", "@o.npy", "--json.npy"):
        gpuccl.label_file("a=b", name, overwrite=True)
        assert np.load(name).max() == 1
    gpuccl.label_file("a=b", stats=Path("-t.csv"), seeds=Path("-x.npy"))
    assert Path("-t.csv").read_text().startswith("label,")
    assert gpuccl.label_file("a=b", threshold=-1)["labeling"]["components"] == 1
    refused(ValueError, "use ./--json", gpuccl.label_file, "a=b", stats="--json")
    with pytest.raises(FileNotFoundError):
        gpuccl.label_file(Path("@missing"))


def test_outlines_are_those_of_the_program(random, tmp_path):
    mask = ndimage.gaussian_filter(random.random((60, 70)), 1.5) > 0.5
    np.save(tmp_path / "mask.npy", mask)
    gpuccl.label_file(tmp_path / "mask.npy", tmp_path / "labels.tif", outlines=str(tmp_path / "labels.geojson"))
    features = json.loads((tmp_path / "labels.geojson").read_text())["features"]
    ids, points, (rings, polygons, objects) = gpuccl.outlines(gpuccl.label(mask)[0])
    assert len(features) == len(ids) > 5
    for i, feature in enumerate(features):
        shape = feature["geometry"]
        expected = shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
        found = [
            [points[rings[ring] : rings[ring + 1]].tolist() for ring in range(polygons[at], polygons[at + 1])]
            for at in range(objects[i], objects[i + 1])
        ]
        assert found == expected
