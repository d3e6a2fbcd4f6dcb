"""Signatures, docstrings and stubs agree: each fact that is written in two places is compared here."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import gpuccl
import gpuccl.compat.cc3d
import gpuccl.compat.scipy
import gpuccl.compat.skimage
import gpuccl.dask
from gpuccl import _core

FUNCTIONS = [getattr(gpuccl, name) for name in gpuccl.__all__] + [gpuccl.dask.label]


def parameters(function):
    return list(inspect.signature(function).parameters)


def section(function, title):
    """The names that a section of a numpydoc docstring explains."""
    doc = inspect.getdoc(function)
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", doc, re.M | re.S)
    names = []
    for line in found[1].splitlines() if found else ():
        if line and not line[0].isspace():
            names += [name.strip(" *") for name in line.partition(" : ")[0].split(",")]
    return names


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_docstrings_explain_the_parameters(function):
    explained = section(function, "Parameters")
    if "As :func:`label`" in function.__doc__ and not explained:
        # Parameters and defaults agree, and the page explains them.
        all_of_label = inspect.signature(gpuccl.label).parameters
        for name, parameter in inspect.signature(function).parameters.items():
            assert parameter == all_of_label[name]
        return
    assert explained == parameters(function)


def test_labels_of_dask_arrays_take_arguments_of_label():
    names = {"images": "intensity"}  # as dask's users call it
    for function in ("label", "measure", "match", "clean", "contacts"):
        known = inspect.signature(getattr(gpuccl, function)).parameters
        for name, parameter in inspect.signature(getattr(gpuccl.dask, function)).parameters.items():
            if name != "lazy":
                assert parameter.default == known[names.get(name, name)].default, name


@pytest.mark.parametrize("peer", ["scipy.ndimage", "skimage.measure", "skimage.morphology", "cc3d"])
def test_functions_of_other_packages_have_their_parameters(peer):
    theirs = pytest.importorskip(peer)
    ours = importlib.import_module("gpuccl.compat." + peer.partition(".")[0])
    compared = 0
    for name, function in vars(ours).items():
        original = getattr(theirs, name, None)
        if name.startswith("_") or not inspect.isfunction(function) or function.__module__ != ours.__name__:
            continue
        try:
            expected = parameters(original) if original is not None else []
        except ValueError:  # compiled, without a signature
            continue
        if expected and not {"args", "kwargs"} & set(parameters(function)):
            assert set(parameters(function)) <= set(expected), name
            compared += 1
    assert compared > 0 or peer == "cc3d"


def test_the_stub_is_that_of_the_module():
    """The stub, which is generated, lists what the module has, and Python calls what it lists."""
    stub = ast.parse((Path(gpuccl.__file__).parent / "_core.pyi").read_text())
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    assert functions == {
        name for name, value in vars(_core).items()
        if callable(value) and not isinstance(value, type) and not name.startswith("_")
    }
    called = set()
    for path in Path(gpuccl.__file__).parent.rglob("*.py"):
        called |= set(re.findall(r"_core\.(\w+)\(", path.read_text()))
    assert called - functions <= device_functions() | {"free_memory"}
    assert functions - called <= device_functions(), "functions that nothing calls"


def device_functions():
    """Functions that a build with CUDA adds."""
    texts = [path.read_text() for path in Path(gpuccl.__file__).parent.glob("_device*.py")]
    return set(re.findall(r"_core\.(\w+)", " ".join(texts)))
