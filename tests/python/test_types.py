"""The annotations are complete, and fit what users write (typed.py), where mypy or pyright is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gpuccl

HERE = Path(__file__).parent


def run(checker, folder, *arguments):
    pytest.importorskip(checker)
    environment = os.environ | {"PYTHONPATH": str(Path(gpuccl.__file__).resolve().parents[1])}
    command = [sys.executable, "-m", checker, *arguments, str(HERE / "typed.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def test_mypy(tmp_path):
    done = run("mypy", tmp_path, "--strict", "--cache-dir", str(tmp_path))
    assert done.returncode == 0, done.stdout


def test_pyright(tmp_path):
    done = run("pyright", tmp_path, "--outputjson", "--pythonpath", sys.executable)
    if not done.stdout.startswith("{"):
        pytest.skip("pyright cannot fetch Node.js")
    errors = [one["message"] for one in json.loads(done.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    assert not errors
