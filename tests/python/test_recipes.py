"""Recipes of other package managers parse, and name the version and the dependencies of this one."""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "docs/packaging"
VERSION = re.search(r"project\(gpuccl VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Libraries that CMake looks for, by the names of packages.
LIBRARIES = ("blosc", "cli11", "deflate", "fmt", "hdf5", "jpeg", "json", "lz4", "png", "pugixml", "tbb", "tiff", "zlib", "zstd")


def assert_complete(names):
    for library in LIBRARIES:
        assert any(re.search(rf"(^|lib|[-_]){library}", name.lower()) for name in names), library


def test_conda_forge():
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((RECIPES / "conda/recipe.yaml").read_text())
    assert recipe["schema_version"] == 1 and recipe["context"]["version"] == VERSION
    assert (RECIPES / "conda" / recipe["source"]["path"]).resolve() == ROOT
    assert_complete(recipe["requirements"]["host"])
    project = (ROOT / "pyproject.toml").read_text()
    for build in re.findall(r'"([^"]+)"', re.search(r"^requires = \[(.*)\]", project, re.M)[1]):
        assert build in recipe["requirements"]["host"]


def test_spack():
    tree = ast.parse((RECIPES / "spack/gpuccl/package.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    words = {(call.func.id, call.args[0].value) for call in calls if call.args and isinstance(call.args[0], ast.Constant)}
    assert ("version", VERSION) in words
    assert_complete([name for function, name in words if function == "depends_on"])


def test_vcpkg():
    manifest = json.loads((RECIPES / "vcpkg/gpuccl/vcpkg.json").read_text())
    assert manifest["version"] == VERSION
    assert_complete([one if isinstance(one, str) else one["name"] for one in manifest["dependencies"]])
    portfile = (RECIPES / "vcpkg/gpuccl/portfile.cmake").read_text()
    options = set(re.findall(r"-D(GPUCCL_\w+)", portfile))
    declared = "".join(path.read_text() for path in (ROOT / "CMakeLists.txt", ROOT / "app/CMakeLists.txt",
                                                     ROOT / "lib/cmake/gpuccl_cuda.cmake"))  # fmt: skip
    assert options and all(option in declared for option in options)


def test_container():
    lines = re.sub(r"^#.*\n", "", (RECIPES / "Containerfile").read_text(), flags=re.M).replace("\\\n", " ").split("\n")
    words = [line.partition(" ")[0] for line in lines if line.strip()]
    assert words[0] == "FROM" and set(words) <= {"FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT", "CMD"}
    for line in lines:
        if line.startswith(("ENTRYPOINT", "CMD")):
            assert json.loads(line.partition(" ")[2])
