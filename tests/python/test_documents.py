"""The Python of docs/python.md runs: each block after those before it, where the libraries that it imports are there."""

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import gpuccl

ROOT = Path(__file__).parents[2]


def test_blocks_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = os.environ.get("GPUCCL_PROGRAM")
    monkeypatch.setattr("gpuccl._program.program", lambda: program)
    names, ran = {}, 0
    for block in re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(), re.M | re.S):
        if "import torch" in block or "import cupy" in block:
            compile(block, "docs/python.md", "exec")  # gpu_test.py runs what it says
            continue
        if "label_file" in block and program is None:
            continue
        exec(compile(block, "docs/python.md", "exec"), names)
        ran += 1
    assert ran >= 3 and names["n"] == gpuccl.label(names["volume"], 6)[1]


@pytest.mark.parametrize("code", ("u1", "i8", ">i8", "u8", "f8"))
def test_replacements_of_fastremap_are_exact(code):
    page = (ROOT / "docs/python.md").read_text()
    renumber, remap, first, mask = (re.search(rf"^\| `fastremap.{one}[^|]*\| .*?`{two}`", page, re.M)[1] for one, two in (
        ("renumber", r"(places = [^`]*)"), ("remap", r"(new\[places\])"), ("remap", r".*after `(new = [^`]*)"), ("mask", r"(np\.[^`]*)"),
    ))  # fmt: skip
    most = {"f": 2**53, "u": 2 ** (8 * np.dtype(code).itemsize)}.get(np.dtype(code).kind, 2**63) - 1
    ids = np.array([0, 5, most // 2, most // 2 + 1, most - 2, most - 1, most], code)
    labels = np.random.default_rng(1).choice(ids, (20, 30))
    if np.dtype(code).kind in "if":  # are background
        labels[0, :2] = -3, (np.nan if code == "f8" else -1)
    with warnings.catch_warnings(action="ignore"):
        names = {"np": np, "labels": labels, "table": gpuccl.measure(labels), "unwanted": [5, most - 1]}
    exec(f"{renumber}\n{first}\nnew[1:] = table['label'] - 1", names)
    expected = np.where(labels > 0, np.searchsorted(ids, labels), 0)
    assert np.array_equal(names["places"], expected)
    assert np.array_equal(eval(remap, names), np.where(labels > 0, labels - np.ones((), code), 0))
    for unwanted in (names["unwanted"], names["table"]["label"][[0, 4]]):
        assert np.array_equal(eval(mask, {**names, "unwanted": unwanted}) > 0, (expected > 0) & (expected != 1) & (expected != 5))


def test_every_function_is_explained():
    page = (ROOT / "docs/python.md").read_text()
    for name in gpuccl.__all__:
        function = getattr(gpuccl, name)
        assert function.__doc__, name
        assert f"`{name}" in page or f"gpuccl.{name}" in page or name == "program", name
