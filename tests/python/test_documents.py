"""The Python of docs/python.md runs: each block after those before it, where the libraries that it imports are there."""

import os
import re
from pathlib import Path

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


def test_every_function_is_explained():
    page = (ROOT / "docs/python.md").read_text()
    for name in gpuccl.__all__:
        function = getattr(gpuccl, name)
        assert function.__doc__, name
        assert f"`{name}" in page or f"gpuccl.{name}" in page or name == "program", name
