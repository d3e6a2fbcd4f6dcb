"""label_file runs the program; GPUCCL_PROGRAM names it here."""

import os
from pathlib import Path

import numpy as np
import pytest

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


def test_labels_of_the_program_are_those_of_the_module(tmp_path):
    mask = np.random.default_rng(1).random((30, 40, 50)) < 0.3
    np.save(tmp_path / "mask.npy", mask)
    gpuccl.label_file(tmp_path / "mask.npy", tmp_path / "labels.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "labels.npy"), gpuccl.label(mask)[0])


def test_errors_have_the_program_s_words(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.tif"):
        gpuccl.label_file(tmp_path / "missing.tif")
    with pytest.raises(ValueError, match="no-such-option"):
        gpuccl.label_file(DATA / "cells.tif", no_such_option=True)
    (tmp_path / "text.tif").write_text("no image")
    with pytest.raises(ValueError, match="text.tif"):
        gpuccl.label_file(tmp_path / "text.tif")
