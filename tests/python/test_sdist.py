"""The sdist is complete, and has the same bytes when it is built twice."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# pyproject.toml leaves these out: nothing that is installed needs them.
LEFT_OUT = (".ci/", "data/cells", "data/page", "tests/")
PICTURES = (".png", ".svg")


@pytest.fixture
def backend(monkeypatch):
    backend = pytest.importorskip("scikit_build_core.build")
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not in a checkout")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return backend


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def test_it_has_all_files_of_a_build(backend, tmp_path):
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    pictures = {name for name in tracked() if name.startswith("docs/") and name.endswith(PICTURES)}
    needed = {name for name in tracked() if not name.startswith(LEFT_OUT)} - pictures
    assert len(needed) > 500 and needed <= names
    assert "PKG-INFO" in names and not any(name.startswith((*LEFT_OUT, "build/", "dist/", ".git/")) for name in names)


def test_it_has_the_same_bytes_twice(backend, tmp_path):
    made = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        made.append((tmp_path / folder / backend.build_sdist(str(tmp_path / folder))).read_bytes())
    assert made[0] == made[1]
